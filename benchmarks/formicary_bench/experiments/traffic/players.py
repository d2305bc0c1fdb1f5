"""Who makes the traffic: agents of a local platform, in one container or several, or bare tasks."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from functools import partial
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from formicary import LocalPlatform
from formicary.errors import FormicaryError
from formicary_bench.experiments.traffic import Traffic
from formicary_bench.experiments.traffic.agents import CONDUCTOR, Conduct, Receiver, Sender
from formicary_bench.experiments.traffic.patterns import container_of, partners_of
from formicary_bench.subjects.baselines.tasks import Channel, echo_to_many, end
from formicary_bench.subjects.ours.containers import act
from formicary_bench.vocabulary.values import SYNCHRONOUS
from formicary_bench.worker.workload import PairTimes, PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from contextlib import AbstractAsyncContextManager

    from formicary import Agent
    from formicary_bench.worker.workload import Workload


def both(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Set up senders and receivers."""
    return _tasks(work) if work.configuration.platform == "tasks" else _agents(work)


@asynccontextmanager
async def _agents(work: Workload) -> AsyncIterator[PreparedRole]:
    one = work.configuration
    about: dict[str, Any] = {"mode": SYNCHRONOUS} if one.kind == SYNCHRONOUS else {}
    async with LocalPlatform(containers=Traffic.of(one).containers, seed=work.job.seed, **about) as platform:
        await _start(platform, work)
        yield PreparedRole(measure=partial(act, platform.container, CONDUCTOR, Conduct(work)))


async def _start(platform: LocalPlatform, work: Workload) -> None:
    """Start all agents, those that answer first.

    Raises:
        FormicaryError: one of them cannot be started.
    """
    one = Traffic.of(work.configuration)
    work.times += [PairTimes() for _ in range(one.pairs)]
    about: dict[str, Any] = {
        "agents": one.pairs,
        "receivers": one.echoes,
        "trips": work.trips,
        "body": work.body,
        "containers": one.containers,
    }
    groups: list[tuple[type[Agent], str, int, dict[str, Any]]] = [
        (Receiver, "receiver", one.echoes, {}),
        (Sender, "agent", one.pairs, about),
    ]
    for cls, word, many, arguments in groups:
        for first in range(min(one.containers, many)):
            names = [f"{word}-{number}" for number in range(first, many, one.containers)]
            made = await platform.start_many(cls, names, arguments, on=container_of(first, one.containers))
            if made.failed:
                raise FormicaryError(f"an agent could not be started: {made.failed[0]}")
            work.steps += len(made)
    work.steps = 0


@asynccontextmanager
async def _tasks(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up tasks that put messages into each other's channels, in one event loop."""
    sizes = Traffic.of(work.configuration)
    agents, receivers = sizes.pairs, sizes.echoes
    answering = [Channel() for _ in range(receivers or agents)]
    asking = [Channel() for _ in range(agents)]
    work.times += [PairTimes() for _ in asking]
    echoes = [asyncio.create_task(echo_to_many(one)) for one in answering]

    async def measure() -> None:
        async with asyncio.TaskGroup() as group:
            for number, own in enumerate(asking):
                partners = [answering[partner] for partner in partners_of(number, agents, receivers)]
                group.create_task(_ask(own, partners, work, work.times[number]))

    yield PreparedRole(measure=measure)
    await end(echoes)


async def _ask(own: Channel, partners: list[Channel], work: Workload, times: PairTimes) -> None:
    """Put a message to each partner in turn, and wait for its answer."""
    items, item, many = own.items, (own, work.body), len(partners)
    future = asyncio.get_running_loop().create_future
    started, took = times.starts.append, times.rtts.append
    for trip in range(work.trips):
        start = perf_counter_ns()
        partners[trip % many].put(item)
        if not items:
            own.waiter = future()
            await own.waiter
        items.popleft()
        took(perf_counter_ns() - start)
        started(start)
