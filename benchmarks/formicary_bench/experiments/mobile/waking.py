"""Agents that fall asleep, and are woken by their time or by a message each: `mobile/wake`.

What one holds of the memory is Python's own account of its objects: what the operating system gives to the
process would say little, as it keeps what those that fell asleep before have given back.
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
from formicary_bench.experiments.mobile.loops import Countdown
from formicary_bench.experiments.mobile.play import LIVING, Play, end_all, played
from formicary_bench.subjects.ours.containers import container
from formicary_bench.vocabulary.values import ASLEEP, AWAKE, BY_TIME, IN_FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from formicary import Container
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.worker.workload import Workload


_TOGETHER = 500  # agents that are made, and fall asleep, before the next ones are made
_AT_LEAST, _OF_EACH = 0.02, 0.0002  # s after which agents are due, so that all sleep before
_LATER = timedelta(hours=1)  # when those are due that are weighed


MORNING = Countdown()
"""Counts agents of this process that wake: one knows nothing but what it has kept."""


@dataclass
class Night:
    """What an agent keeps while it sleeps.

    Attributes:
        is_due: whether its time wakes it.
        has_begun: whether it has been ready to sleep.
    """

    is_due: bool
    has_begun: bool = False


class Sleeper(Agent):
    """Waits until it is told to sleep."""

    data: Night


class Doze(OneShotBehaviour):
    """Waits for a message, before its agent sleeps and when it wakes, unless its time has come."""

    __slots__ = ()

    async def run(self) -> None:
        """Wait, and be up."""
        night: Night = self.agent.data
        if not (night.is_due and night.has_begun):
            night.has_begun = True
            await self.receive()
        LIVING.append(self.agent)
        MORNING.count()


class Wake(Play):
    """Has agents fall asleep, and wakes them all, or waits until their time does."""

    _weighed_in: Path
    _patience = 1  # grows where agents have not fallen asleep before they were due

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
        self.work.steps = before  # falling asleep is a step just so that it is seen to go on
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
        """Wait until all have woken that are due at the same moment, and count from it."""
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
    """Start agents, and have them sleep, before there are too many of them in the memory."""
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
    await asyncio.sleep(0)  # what has waited for that is gone


FEWEST = 2000
"""How many are weighed at least: of fewer, what there is once in a file and a container would be the most."""


def weighed(configuration: Configuration) -> int:
    """Return how many are weighed together."""
    return max(Looped.of(configuration).loop, FEWEST)


@contextmanager
def weighing() -> Iterator[Callable[[], int]]:
    """Trace Python's objects, and yield a function that returns how many bytes the new ones hold."""

    def held() -> int:
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    gc.collect()  # what is old would be freed untraced
    tracemalloc.start()
    try:
        yield held
    finally:
        tracemalloc.stop()


async def _weigh(work: Workload, path: Path) -> dict[str, float]:
    """Return what an agent holds before it sleeps and while it does, in a container and a file of its own."""
    deadline = now() + _LATER if Looped.of(work.configuration).way == BY_TIME else None
    count = weighed(work.configuration)
    names = [f"weighed-{number}" for number in range(_TOGETHER + count)]
    async with container(work, "weighing", services=Services(sleepers=path)) as home:
        await _fall_asleep(work, home, names[:_TOGETHER], deadline)  # what there is once is there from now on
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
