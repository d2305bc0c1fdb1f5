"""Our agents while somebody watches their container, as `formicary watch` does.

Ten times a second a container answers who watches: it collects until then, and writes what it has seen. That
is done here in the worker, so it is what the container does for a view; who looks is another process.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from formicary.observe.events import Filters
from formicary_bench.subjects.ours import behaviours, containers
from formicary_bench.vocabulary.watching import FOLLOWED, LEFT

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from formicary import Container
    from formicary_bench.worker.workload import PreparedRole, Workload

CPU_GROUP = "platform"

_EVERY = 0.1  # s between two questions, as of a view
_MOST = 100  # messages of an answer, as of a view
_VIEWER = "laboratory"
_FILTERS = {FOLLOWED: Filters(conversation="none that there is")}


@asynccontextmanager
async def container(work: Workload, name: str, **about: Any) -> AsyncIterator[Container]:
    """Make a container, and watch it until it closes; as `containers.container`."""
    kind = work.configuration.kind
    async with containers.container(work, name, **about) as home:
        filters = _FILTERS.get(kind, Filters())
        await _ask(home, filters)
        if kind == LEFT:
            await home.management.watch(name, _VIEWER, filters, _MOST, end=True)
            yield home
            return
        watching = asyncio.get_running_loop().create_task(_watch(home, filters), name="watches")
        try:
            yield home
        finally:
            watching.cancel()
            await asyncio.wait([watching])


async def _watch(home: Container, filters: Filters) -> None:
    while True:
        await _ask(home, filters)
        await asyncio.sleep(_EVERY)


async def _ask(home: Container, filters: Filters) -> None:
    msgspec.json.encode(await home.management.watch(home.name, _VIEWER, filters, _MOST))


_ROLES = replace(behaviours.ROLES, make=container)


@asynccontextmanager
async def both(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have all agents in one container."""
    async with _ROLES.both(work) as role:
        yield role
