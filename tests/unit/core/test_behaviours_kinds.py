"""The kinds of behaviours: when and how often they run."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from tests.unit.core.agents import do, start

from formicary import Container, CyclicBehaviour, PeriodicBehaviour, TimeoutBehaviour
from formicary.testing.virtual_clock import STARTS_AT

pytestmark = pytest.mark.virtual_clock


def now():
    return asyncio.get_running_loop().time()


class Ticking(PeriodicBehaviour):
    def __init__(self, period, start_at=None, takes=(0,)):
        super().__init__(period, start_at)
        self.takes = takes
        self.times = []

    async def run(self):
        self.times.append(now())
        await asyncio.sleep(self.takes[len(self.times) % len(self.takes)])


class Once(TimeoutBehaviour):
    time = None

    async def run(self):
        assert self.time is None
        self.time = now()


async def run_for(seconds, behaviour):
    async with Container("c1") as container:
        await start(container, "a", behaviour)
        await asyncio.sleep(seconds)
    return behaviour


async def test_one_shot_runs_once_between_its_start_and_its_end():
    steps = []

    async def run(behaviour):
        steps.append("run")

    behaviour = do(run)
    behaviour.on_start = lambda: note("start")
    behaviour.on_end = lambda: note("end")

    async def note(step):
        steps.append(step)

    await run_for(1, behaviour)
    assert steps == ["start", "run", "end"]


async def test_cyclic_runs_until_it_is_killed():
    class Count(CyclicBehaviour):
        count = 0

        async def run(self):
            self.count += 1
            if self.count == 100:
                self.kill()

    behaviour = await run_for(0, Count())
    assert behaviour.count <= 100
    behaviour = await run_for(1, Count())
    assert behaviour.count == 100


async def test_periodic_keeps_its_rate_whatever_a_run_takes():
    behaviour = await run_for(5.5, Ticking(1, takes=(0.75, 0.25)))
    assert behaviour.times == [0, 1, 2, 3, 4, 5]


async def test_periodic_leaves_out_the_times_that_pass_while_it_runs():
    behaviour = await run_for(10.5, Ticking(1, takes=(2.5,)))
    assert behaviour.times == [0, 3, 6, 9]


async def test_periodic_runs_again_at_once_if_a_run_takes_exactly_one_period():
    behaviour = await run_for(3.5, Ticking(1, takes=(1,)))
    assert behaviour.times == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("start_at", "first"),
    [
        (timedelta(seconds=2.5), 2.5),
        (timedelta(seconds=-5), 0),
        (STARTS_AT + timedelta(seconds=3), 3),
        (STARTS_AT - timedelta(hours=1), 0),
        ((STARTS_AT + timedelta(seconds=3)).astimezone().replace(tzinfo=None), 3),
        ((STARTS_AT + timedelta(seconds=3)).astimezone(UTC), 3),
    ],
)
async def test_start_at_is_a_time_or_how_long_until_then(start_at, first):
    assert isinstance(start_at, datetime | timedelta)
    ticking, once = Ticking(1, start_at), Once(start_at)
    async with Container("c1") as container:
        await start(container, "a", ticking, once)
        await asyncio.sleep(first + 2.5)
    assert ticking.times == [first, first + 1, first + 2]
    assert once.time == first


async def test_a_period_of_next_to_nothing_runs_all_the_time_and_starves_nobody():
    ticking = Ticking(1e-12)
    async with Container("c1") as container:
        await start(container, "a", ticking)
        echo = await start(container, "b", do(lambda behaviour: asyncio.sleep(0)))
        for _ in range(100):
            await asyncio.sleep(0)
        assert not echo.behaviours
        assert len(ticking.times) > 10
        ticking.kill()
        await ticking.join()


async def test_periodic_and_timeout_can_be_killed_while_they_wait():
    async with Container("c1") as container:
        ticking, once = Ticking(1, timedelta(seconds=10)), Once(timedelta(seconds=10))
        await start(container, "a", ticking, once)
        await asyncio.sleep(1)
        ticking.kill()
        once.kill()
        await ticking.join()
        await once.join()
        assert (ticking.times, once.time, now()) == ([], None, 1)


# -- finite state machines ----------------------------------------------------------------------------------
