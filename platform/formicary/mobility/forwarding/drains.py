"""What agents must wait for before they leave, so that they overtake no messages of their own."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from formicary.mobility.forwarding.forwarder import Forwarder

Undrained = list[tuple["Forwarder", int]]
"""Forwarders that hold messages, with their `turns` at that time."""


class DrainTracker:
    """The forwarders of one container that hold messages of its agents."""

    def __init__(self) -> None:
        self._busy: set[Forwarder] = set()  # includes all that hold messages
        self._changed: asyncio.Event = asyncio.Event()

    def add(self, forwarder: Forwarder) -> None:
        """Note that a forwarder holds messages."""
        self._busy.add(forwarder)

    def discard(self, forwarder: Forwarder) -> None:
        """Forget a forwarder that is over."""
        self._busy.discard(forwarder)

    def look(self) -> None:
        """Check again: messages may have been sent on."""
        self._changed.set()

    def begin(self, leaving: Collection[str] = ()) -> Undrained:
        """Return what agents must wait for.

        What they have sent to other containers must have arrived: these have said by then what they forward.

        Args:
            leaving: the full names of agents for which messages of others may keep waiting.
        """
        if not self._busy:
            return []
        self._busy = {each for each in self._busy if each.is_held or each.has_own}
        for each in self._busy:
            each.hurry()
        return [(each, each.turns) for each in self._busy if each.holds_up(leaving)]

    async def drain(self, undrained: Undrained) -> None:
        """Wait until everything that `begin` returned has been sent on."""
        while any(forwarder.turns == turns for forwarder, turns in undrained):
            self._changed.clear()
            await self._changed.wait()
