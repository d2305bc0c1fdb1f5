"""Agents that fall asleep, and are woken by a timer or by a message each: `mobile/wake`.

An agent's memory is what Python traces of its objects: that of the process would say little, as it keeps what
earlier agents freed.
"""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from time import perf_counter
from typing import TYPE_CHECKING, Any

from formicary import Agent, Message, OneShotBehaviour, Services
from formicary.core.clock import now
from formicary.core.scratch import scratch_folder
from formicary_bench.experiments.mobile import Looped
from formicary_bench.experiments.mobile.play import LIVING, Play, end_all, played
from formicary_bench.subjects.ours.containers import container
from formicary_bench.vocabulary.values import ASLEEP, AWAKE, BY_TIME, IN_FILE
from formicary_bench.worker.workload import Countdown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from formicary import Container
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.worker.workload import Workload


_TOGETHER = 500  # agents in a batch
_AT_LEAST, _OF_EACH = 0.02, 0.0002  # s until agents are due, so that all sleep before
_LATER = timedelta(hours=1)  # when weighed agents are due


MORNING = Countdown()
"""Counts agents of this process that wake; an agent that wakes has nothing but its state."""


@dataclass
class Night:
    """The state of an agent that sleeps.

    Attributes:
        is_due: whether a timer wakes it.
        has_begun: whether it has been ready to sleep.
    """

    is_due: bool
    has_begun: bool = False


class Sleeper(Agent):
    """Waits until told to sleep."""

    data: Night


class Doze(OneShotBehaviour):
    """Waits for a message, before its agent sleeps and when it wakes, unless its timer woke it."""

    __slots__ = ()

    async def run(self) -> None:
        """Wait, and report being awake."""
        night: Night = self.agent.data
        if not (night.is_due and night.has_begun):
            night.has_begun = True
            await self.receive()
        LIVING.append(self.agent)
        MORNING.count()


class Wake(Play):
    """Puts agents to sleep, and wakes them all or waits for their timers."""

    _weighed_in: Path
    _patience = 1  # grows if agents were due before they slept

    @contextmanager
    def options(self) -> Iterator[dict[str, Any]]:
        """Provide the file in which agents sleep."""
        with scratch_folder() as folder:
            self._weighed_in = folder / "weighed.sqlite"
            yield {"services": Services(sleepers=folder / "sleepers.sqlite")}

    async def make_all(self) -> None:
        """Make all loops, and weigh agents after them."""
        await super().make_all()
        self.work.counters |= await _weigh(self.work, self._weighed_in)

    async def operate(self, count: int) -> float:
        """Put `count` agents to sleep, and return how many seconds it takes until all are awake."""
        before, is_by_time = self.work.steps, self.sizes.way == BY_TIME
        seconds = await (self._by_time(count) if is_by_time else self._by_message(count))
        self.work.steps = before  # falling asleep is a step only to show progress
        return seconds

    async def _by_message(self, count: int) -> float:
        names, all_awake = self.names("sleeper", count), MORNING.expect(count)
        await _fall_asleep(self.work, self.home, names, None)
        start = perf_counter()
        for name in names:
            await self.send(Message(to=name, performative="inform"))
        await all_awake
        return perf_counter() - start

    async def _by_time(self, count: int) -> float:
        """Wait until all agents due at one moment are awake, and return the seconds from it."""
        while True:
            due = now() + timedelta(seconds=self._patience * (_AT_LEAST + count * _OF_EACH))
            all_awake = MORNING.expect(count)
            await _fall_asleep(self.work, self.home, self.names("sleeper", count), due)
            left = (due - now()).total_seconds()
            start = perf_counter() + left
            await all_awake
            if left > 0:
                return perf_counter() - start
            self._patience *= 2
            await end_all()


async def _fall_asleep(
    work: Workload, home: Container, names: Sequence[str], deadline: datetime | None
) -> None:
    """Start agents in batches that fall asleep before the next, to bound memory."""
    for first in range(0, len(names), _TOGETHER):
        some = names[first : first + _TOGETHER]
        await _deactivate(await _start(home, some, deadline), deadline)
        work.steps += len(some)


async def _start(home: Container, names: Iterable[str], deadline: datetime | None) -> list[Sleeper]:
    """Start agents, and wait until all of them are ready to sleep."""
    started = []
    for name in names:
        agent = Sleeper(name)
        agent.data = Night(is_due=deadline is not None)
        agent.add_behaviour(Doze())
        await home.start(agent)
        started.append(agent)
    while not started[-1].data.has_begun:  # noqa: ASYNC110 -- behaviours begin first come, first served
        await asyncio.sleep(0)
    return started


async def _deactivate(agents: Iterable[Sleeper], deadline: datetime | None) -> None:
    await asyncio.gather(*(agent.deactivate(deadline=deadline) for agent in agents))
    await asyncio.sleep(0)  # those that waited for it are gone


FEWEST = 2000
"""The fewest agents weighed: with fewer, the fixed parts of file and container would dominate."""


def weighed(configuration: Configuration) -> int:
    """Return the number of agents weighed together."""
    return max(Looped.of(configuration).loop, FEWEST)


@contextmanager
def weighing() -> Iterator[Callable[[], int]]:
    """Trace Python's objects, and yield a function that returns the bytes of new ones."""

    def held() -> int:
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    gc.collect()  # older objects would be freed untraced
    tracemalloc.start()
    try:
        yield held
    finally:
        tracemalloc.stop()


async def _weigh(work: Workload, path: Path) -> dict[str, float]:
    """Return an agent's memory before and during sleep, in a container and a file of its own."""
    deadline = now() + _LATER if Looped.of(work.configuration).way == BY_TIME else None
    count = weighed(work.configuration)
    names = [f"weighed-{number}" for number in range(_TOGETHER + count)]
    async with container(work, "weighing", services=Services(sleepers=path)) as home:
        await _fall_asleep(
            work, home, names[:_TOGETHER], deadline
        )  # objects made only once exist from now on
        with weighing() as held:
            await _fall_asleep(work, home, names[_TOGETHER:-_TOGETHER], deadline)
            agents = await _start(home, names[-_TOGETHER:], deadline)
            before = held()
            await _deactivate(agents, deadline)
            del agents
            after = held()
    asleep = after / count
    return {
        AWAKE: asleep + (before - after) / _TOGETHER,
        ASLEEP: asleep,
        IN_FILE: path.stat().st_size / len(names),  # noqa: ASYNC240 -- once
    }


both = played({"mobile/wake": Wake})
