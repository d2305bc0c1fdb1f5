"""Agents that go to another container: `mobile/dispatch` and `mobile/messenger`."""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import TYPE_CHECKING

from formicary import Agent
from formicary_bench.experiments.mobile.by_hand import places as by_hand
from formicary_bench.experiments.mobile.loops import (
    LIVING,
    MakeLoops,
    first_place,
    other_place,
    start_sweeper,
)
from formicary_bench.experiments.mobile.roaming import ThereAndBack
from formicary_bench.subjects.ours.behaviours import Wait
from formicary_bench.vocabulary.containers import ASKING, ECHOING
from formicary_bench.vocabulary.loops import AT_ONCE

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from formicary import Container
    from formicary_bench.worker.workload import PreparedRole, Workload

CPU_GROUP = "agents"


class Dispatched(Agent):
    """Waits for messages, here or there."""

    data: bytes

    async def after_move(self, origin: str) -> None:
        """Note that it is here."""
        del origin
        LIVING.append(self)


class Dispatch(MakeLoops):
    """Creates agents, and sends them to the other container, each after the one before or all at once."""

    async def loop(self, count: int) -> float:
        """Do so, and have them ended there."""
        home = self.agent.container
        names = self.names("dispatched", count)
        for name in names:
            agent = Dispatched(name)
            agent.data = self.work.body.encode()
            agent.add_behaviour(Wait())
            await home.start(agent)
        await asyncio.sleep(0)  # so that all of them wait
        move = home.management.move
        start = perf_counter()
        if self.work.configuration.way == AT_ONCE:
            await asyncio.gather(*(move(name, ECHOING) for name in names))
        else:
            for name in names:
                await move(name, ECHOING)
        seconds = perf_counter() - start
        await self.sweep(f"{ECHOING}.{home.platform}", count)
        return seconds


def echo(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Have the container to which they go."""
    return by_hand.echo(work) if work.configuration.platform == "tcp" else other_place(work, _start)


def ask(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Have the container from which they go."""
    if work.configuration.platform == "tcp":
        return by_hand.ask(work)
    if work.configuration.experiment == "mobile/messenger":
        return first_place(work, ThereAndBack(work, (ASKING, ECHOING)))
    return first_place(work, Dispatch(work))


async def _start(home: Container, _: Workload) -> None:
    await start_sweeper(home)
