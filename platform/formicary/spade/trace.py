"""The trace of a SPADE agent's latest messages."""

from __future__ import annotations

from collections import deque
from datetime import UTC, datetime
from itertools import islice
from time import time
from typing import TYPE_CHECKING, Any

from formicary.spade.jid import JID

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Entry = tuple[datetime, Any, str | None]
"""The local time, the message, and the behaviour's name, if any."""


class TraceStore:
    """The latest messages of an agent.

    Args:
        size: how many to keep.
        read: converts an entry to a message; None if it is one.
    """

    def __init__(self, size: int, read: Callable[[Any], Any] | None = None) -> None:
        self.size = size
        self._read = read or (lambda event: event)
        # Behaviours append the platform's messages and seconds: conversion takes time, so it is done on
        # access.
        self.entries: deque[tuple[float, Any, str | None]] = deque(maxlen=size)

    @property
    def store(self) -> list[Entry]:
        """All entries, latest first."""
        return [
            (datetime.fromtimestamp(at, UTC).astimezone().replace(tzinfo=None), self._read(event), category)
            for at, event, category in reversed(self.entries)
        ]

    def reset(self) -> None:
        """Remove all entries."""
        self.entries.clear()

    def append(self, event: Any, category: str | None = None) -> None:
        """Append a message; drop the oldest if there are too many."""
        self.entries.append((time(), event, category))

    def len(self) -> int:
        """Return the number of entries."""
        return len(self.entries)

    def all(self, limit: int | None = None) -> list[Entry]:
        """Return the latest entries, oldest first; at most `limit`."""
        return _latest(self.store, limit)

    def received(self, limit: int | None = None) -> list[Entry]:
        """Return the latest received messages, oldest first; at most `limit`."""
        return _latest((entry for entry in self.store if not entry[1].sent), limit)

    def filter(
        self, limit: int | None = None, to: str | None = None, category: str | None = None
    ) -> list[Entry]:
        """Return the latest matching entries, oldest first.

        Args:
            limit: how many at most.
            to: only those to or from this address.
            category: only those of this category.
        """
        address = JID(str(to)) if to else None
        wanted = (
            entry
            for entry in self.store
            if (address is None or _agent_in_msg(address, entry[1]))
            and (not category or entry[2] == category)
        )
        return _latest(wanted, limit)


def _latest(entries: Iterable[Entry], limit: int | None) -> list[Entry]:
    return list(islice(entries, limit))[::-1]


def _agent_in_msg(agent: str, msg: Any) -> bool:
    """Return whether a message is to or from an agent."""
    return agent in {str(msg.to.bare), str(msg.sender.bare)}
