"""A container's own entries of the directory, which others get as numbered updates or as snapshots."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from formicary.directory.replicated.exchange import Part, Updates
from formicary.fipa.control_codec import encode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary.directory.model.description import ServiceDescription
    from formicary.directory.replicated.exchange import Ask, Key, More

BATCH: Final = 256
"""Entries in an update or a part: with 16 KiB at most in each, this fits into a message."""

LOG_BYTES: Final = 1 << 20
"""How much of the latest updates is kept for those who have missed some."""

AHEAD: Final = 4
"""Parts of a snapshot that are sent before the first is known to have come."""


@dataclass(slots=True)
class _Snapshot:
    """A snapshot that is on its way to one container."""

    ask: int
    keys: list[Key]  # that were there when it began
    sent: int = 0  # how many of them are in earlier parts
    parts: int = 0


class OwnEntries:
    """The entries of one container, which is the only one that changes them.

    Args:
        incarnation: that of the container.
    """

    def __init__(self, incarnation: int) -> None:
        self.incarnation = incarnation
        self.entries: dict[Key, ServiceDescription] = {}
        self.number = 0
        """That of the latest update."""
        self._changes: dict[Key, ServiceDescription | None] = {}  # since the latest update; None: removed
        self._log: deque[bytes] = deque()  # the latest updates, without a gap
        self._log_bytes = 0
        self._snapshots: dict[str, _Snapshot] = {}

    def put(self, key: Key, description: ServiceDescription) -> None:
        """Add an entry, or replace it."""
        self.entries[key] = self._changes[key] = description

    def remove(self, key: Key) -> None:
        """Remove an entry, if it is there."""
        if self.entries.pop(key, None) is not None:
            self._changes[key] = None

    def flush(self, *, is_alone: bool) -> Iterator[bytes]:
        """Yield what has changed since the latest update, as updates.

        Args:
            is_alone: whether there is nobody to tell it to: then it is counted only.
        """
        changes = iter(self._changes.items())
        self._changes = {}
        while batch := list(islice(changes, BATCH)):
            self.number += 1
            if is_alone:
                self._clear_log()
                continue
            put = [description for _, description in batch if description is not None]
            removed = [key for key, description in batch if description is None]
            payload = encode(Updates(self.incarnation, self.number, put, removed))
            self._keep(payload)
            yield payload

    def _keep(self, payload: bytes) -> None:
        self._log.append(payload)
        self._log_bytes += len(payload)
        while self._log_bytes > LOG_BYTES:
            self._log_bytes -= len(self._log.popleft())

    def _clear_log(self) -> None:
        self._log.clear()
        self._log_bytes = 0

    def answer(self, domain: str, question: Ask) -> Iterator[bytes]:
        """Yield what a container lacks: updates, or the first parts of a snapshot. All must be flushed."""
        self.forget(domain)
        lacks = len(self._log) + 1 if question.number is None else self.number - question.number
        if 0 <= lacks <= len(self._log):
            yield from islice(self._log, len(self._log) - lacks, None)
            return
        self._snapshots[domain] = _Snapshot(question.ask, list(self.entries))
        for _ in range(AHEAD):
            yield from self._next_part(domain, question)

    def more(self, domain: str, message: More) -> Iterator[bytes]:
        """Yield another part of the snapshot that a container is getting, if there is one."""
        yield from self._next_part(domain, message)

    def _next_part(self, domain: str, message: Ask | More) -> Iterator[bytes]:
        """Yield a part of what is there now.

        What has changed since the snapshot began was broadcast before this part: so to add what is there now
        is right for entries that have changed, and those that were removed are left out.
        """
        snapshot = self._snapshots.get(domain)
        if snapshot is None or snapshot.ask != message.ask:
            return
        keys = snapshot.keys[snapshot.sent : snapshot.sent + BATCH]
        snapshot.sent += BATCH
        is_last = snapshot.sent >= len(snapshot.keys)
        put = [self.entries[key] for key in keys if key in self.entries]
        index = snapshot.parts
        snapshot.parts += 1
        if is_last:
            self.forget(domain)
        yield encode(
            Part(self.incarnation, message.incarnation, message.ask, index, self.number, is_last, put)
        )

    def forget(self, domain: str) -> None:
        """Send no more parts of a snapshot to a container."""
        self._snapshots.pop(domain, None)
