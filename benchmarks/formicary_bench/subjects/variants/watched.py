"""Our agents while someone watches them at times, as `formicary watch` does, alternating with and without.

Ten times a second a watched container collects and writes what it has seen. The worker does that here, as a
container does for a viewer, which itself is another process.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from formicary.observe.events import Filters
from formicary_bench.subjects.ours import behaviours, containers
from formicary_bench.subjects.variants.alternating import alternate, before_and_after, in_turns, times_without
from formicary_bench.vocabulary.places import ASKING
from formicary_bench.vocabulary.values import ALONE, FOLLOWED, LEFT

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from formicary import Container
    from formicary_bench.subjects.variants.alternating import Window
    from formicary_bench.worker.workload import PreparedRole, Workload

CPU_GROUP = "platform"

_EVERY = 0.1  # s between two requests, as of a viewer
_MOST = 100  # messages in an answer, as of a viewer
_VIEWER = "laboratory"
_FILTERS = {FOLLOWED: Filters(conversation="none that there is")}


class _Viewer:
    """A viewer that watches a container at times."""

    def __init__(self, home: Container, filters: Filters) -> None:
        self._home = home
        self._filters = filters
        self._watching: asyncio.Task[None] | None = None

    async def come_or_go(self, is_there: bool) -> None:  # noqa: FBT001 -- a callback
        """Start or stop watching; no change is not an error."""
        if is_there and self._watching is None:
            await self._ask()
            self._watching = asyncio.get_running_loop().create_task(self._watch(), name="watches")
        elif self._watching is not None and not is_there:
            watching, self._watching = self._watching, None
            watching.cancel()
            await asyncio.wait([watching])
            await self._home.management.watch(self._home.name, _VIEWER, self._filters, _MOST, end=True)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_EVERY)
            await self._ask()

    async def _ask(self) -> None:
        seen = await self._home.management.watch(self._home.name, _VIEWER, self._filters, _MOST)
        msgspec.json.encode(seen)


async def _measure(home: Container, work: Workload, talk: Callable[[], Awaitable[None]]) -> None:
    """Make all round trips, measuring them with a viewer and without."""
    kind = work.configuration.kind
    viewer = _Viewer(home, _FILTERS.get(kind, Filters()))
    is_after = kind in {LEFT, ALONE}
    turns = before_and_after(work, comes=kind == LEFT) if is_after else in_turns()
    windows: list[Window] = []
    watching = asyncio.get_running_loop().create_task(alternate(work, turns, viewer.come_or_go, windows))
    try:
        await talk()
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
        await viewer.come_or_go(is_there=False)
    work.counters |= times_without(windows, is_after=is_after)


@asynccontextmanager
async def both(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up all agents in one container."""
    async with containers.container(work, ASKING) as home:
        await behaviours.start_echoes(home, work)
        talk = await behaviours.start_asking(home, work)
        yield containers.prepared(home, work, partial(_measure, home, work, talk))
