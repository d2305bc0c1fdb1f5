"""What agents have to wait for before they leave, so that they overtake no message of theirs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from formicary.mobility.forwarding.forwarder import Forwarder

Undrained = list[tuple["Forwarder", int]]
"""Forwarders that hold messages, and how often all that they held had gone on by then."""


class DrainTracker:
    """The forwarders of one container that hold messages of its agents."""

    def __init__(self) -> None:
        self._busy: set[Forwarder] = set()  # among these all that hold something up
        self._changed: asyncio.Event = asyncio.Event()

    def add(self, forwarder: Forwarder) -> None:
        """Note that a forwarder holds messages."""
        self._busy.add(forwarder)

    def discard(self, forwarder: Forwarder) -> None:
        """Forget a forwarder that is over."""
        self._busy.discard(forwarder)

    def look(self) -> None:
        """Wake whoever waits: messages may have gone on."""
        self._changed.set()

    def begin(self, leaving: Collection[str] = ()) -> Undrained:
        """Return what agents have to wait for.

        What they have sent to others up to now must be there: those have told by then what they forward.

        Args:
            leaving: the full names of agents for which what others have sent them may wait on.
        """
        if not self._busy:
            return []
        self._busy = {each for each in self._busy if each.is_held or each.has_own}
        for each in self._busy:
            each.hurry()
        return [(each, each.turns) for each in self._busy if each.holds_up(leaving)]

    def is_drained(self, undrained: Undrained) -> bool:
        """Return whether nothing waits any more of what `begin` has returned."""
        return all(forwarder.turns != turns for forwarder, turns in undrained)

    async def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait for a condition that changes only when messages go on."""
        while not condition():
            self._changed.clear()
            await self._changed.wait()

    async def drain(self, undrained: Undrained) -> None:
        """Wait until nothing waits any more of what `begin` has returned."""
        await self.wait_until(lambda: self.is_drained(undrained))
