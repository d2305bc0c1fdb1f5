"""What agents have to wait for before they leave, so that they overtake no message of theirs."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from formicary.mobility.redirection.detour import Detour

Unsettled = list[tuple["Detour", int]]
"""Ways on which something waits, and how often all that waited there had gone on by then."""


class Settling:
    """The ways on which something waits, of all that one container has."""

    def __init__(self) -> None:
        self._busy: set[Detour] = set()  # among these all that hold something up
        self._changed: asyncio.Event = asyncio.Event()

    def add(self, detour: Detour) -> None:
        """Take note that something waits on a way."""
        self._busy.add(detour)

    def discard(self, detour: Detour) -> None:
        """Forget a way that is over."""
        self._busy.discard(detour)

    def look(self) -> None:
        """Have everybody look whether what they wait for is so: messages may have gone on."""
        self._changed.set()

    def begin(self, leaving: Collection[str] = ()) -> Unsettled:
        """Return what agents have to wait for.

        What they have sent to others up to now must be there: those have told by then what they pass on.

        Args:
            leaving: the full names of agents of which what others have sent them may wait on.
        """
        if not self._busy:
            return []
        self._busy = {each for each in self._busy if each.is_held or each.has_own}
        unsettled = [(each, each.turns) for each in self._busy if each.holds_up(leaving)]
        for detour, _ in unsettled:
            detour.empty_line(partial(self._line_is_empty, detour))
        return unsettled

    def _line_is_empty(self, detour: Detour) -> None:
        if not detour.is_held:
            detour.turns += 1
            self.look()

    def is_settled(self, unsettled: Unsettled) -> bool:
        """Return whether nothing waits any more of what `begin` has returned."""
        return all(detour.turns != turns for detour, turns in unsettled)

    async def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait until something is so that changes only when messages go on."""
        while not condition():
            self._changed.clear()
            await self._changed.wait()

    async def settle(self, unsettled: Unsettled) -> None:
        """Wait until nothing waits any more of what `begin` has returned."""
        await self.wait_until(lambda: self.is_settled(unsettled))
