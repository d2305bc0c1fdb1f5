"""Agents that compute for a share of their time and talk for the rest: `compute/mix`.

This lies between `compute/speed-up`, which only computes, and `messaging/pairs`, which only talks.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from formicary_bench.experiments.compute.speed_up import CPU_TIME, SPEED_UP
from formicary_bench.experiments.experiment import Experiment, Figure, Loaded, Preset
from formicary_bench.experiments.messaging import OURS
from formicary_bench.vocabulary.kinds import whole
from formicary_bench.vocabulary.metrics import MICROSECONDS, PART, RATE, Metric
from formicary_bench.vocabulary.parameters.parameter import Parameter, Parameters
from formicary_bench.vocabulary.parameters.shared import PAIRS
from formicary_bench.vocabulary.places import SAME
from formicary_bench.vocabulary.values import CPU_SECONDS

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterator, Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    from formicary_bench.runner.forecast.default_durations import DefaultDuration
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.worker.workload import PreparedRole, Workload

    Step = Callable[[], Awaitable[object]]
    Compute = Callable[[], Awaitable[float]]

CPU_GROUP = "agents"

SHARE = Parameter(
    name="share",
    kind=whole(0, 100),
    unit="% computing",
    help="Percentage of its time that the asking agent of each pair spends computing.",
    example=[0, 50, 100],
)


class Mixing(Parameters, frozen=True, kw_only=True):
    """Pairs in which one agent computes for a share of its time and talks for the rest."""

    pairs: Annotated[int, PAIRS] = 0
    share: Annotated[int, SHARE] = 0


TRIPS = replace(RATE, has_spread=True)
TRIP = Metric("trip_us", "mean round trip", MICROSECONDS, "round trip", more_is_better=False)
SPENT = Metric("share_computing", "time spent computing", PART, "computing", is_judged=False)

TALKED, COMPUTED, MADE = "talked_s", "computed_s", "trips"
"""Counters: seconds that all agents together talked and computed, and their round trips."""

_SECONDS = 0.5
_PASSES = 6  # a computation of about 5 ms


EXPERIMENT = Experiment(
    name="compute/mix",
    title="Agents that compute and talk",
    what="round trips and CPU seconds per second of agents that compute part of the time",
    source="our own; the mixes that Pérez-Carro 2013 leaves for the future",
    parameters=Mixing,
    sizes={"pairs": (8,), "share": (0, 10, 25, 50, 75, 90, 100)},
    placements=(SAME,),
    subjects=(OURS, "tasks"),
    quick=Preset(sizes={"share": (50,)}),
    paper=Preset(sizes={"pairs": (1, 8, 64)}, repeat=10),
    profiling=None,
    why_unprofiled="combined figure of several processes",
    duration=Loaded("formicary_bench.experiments.compute.mix:duration"),
    played_by="formicary_bench.experiments.compute.mix",
    metrics=(TRIPS, SPEED_UP, TRIP, SPENT, CPU_TIME),
    main=TRIPS,
    over="share",
    figures=(Figure(metric=SPEED_UP, over="share"), Figure(metric=TRIP, over="share")),
    says="{Who}, {pairs} at {share}: [{round_trips_per_s} round trips per second{beside}, ][CPU time for "
    "{speed_up} s in each second, ]{share_computing} of their time computing.",
    summarise=Loaded("formicary_bench.experiments.compute.pipeline:MIXED"),
)


def duration(_: Configuration, begin: float) -> DefaultDuration:
    """Estimate the duration of a repetition."""
    from formicary_bench.runner.forecast.default_durations import DefaultDuration

    return DefaultDuration(begin, _SECONDS)


def is_due(share: int, computed: float, talked: float) -> bool:
    """Return whether an agent with a share of computing, in percent, computes next.

    Args:
        share: the share.
        computed: seconds of computing so far.
        talked: seconds of talking so far.
    """
    return share > 0 and computed * (100 - share) <= talked * share


def both(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Set up all pairs in one process, and the processes that compute for them."""
    work.counters = dict.fromkeys((MADE, TALKED, COMPUTED, CPU_SECONDS), 0.0)
    return _tasks(work) if work.configuration.platform == "tasks" else _agents(work)


async def _mix(work: Workload, talk: Step, compute: Compute) -> None:
    """Compute and talk for as long as the measurement lasts."""
    from time import perf_counter

    share, computed, talked, trips = Mixing.of(work.configuration).share, 0.0, 0.0, 0
    now = perf_counter()
    end = now + _SECONDS
    while now < end:
        before = now
        if is_due(share, computed, talked):
            work.counters[CPU_SECONDS] += await compute()
            now = perf_counter()
            computed += now - before
        else:
            await talk()
            now = perf_counter()
            talked += now - before
            trips += 1
    work.counters[MADE] += trips
    work.counters[TALKED] += talked
    work.counters[COMPUTED] += computed
    work.steps += 1


@asynccontextmanager
async def _agents(work: Workload) -> AsyncIterator[PreparedRole]:
    import asyncio

    from formicary import Container, Message, OneShotBehaviour
    from formicary_bench.experiments.compute.players import timed
    from formicary_bench.experiments.compute.work import compute
    from formicary_bench.subjects.ours.behaviours import REQUESTS, Responder
    from formicary_bench.subjects.ours.containers import running, start_agent
    from formicary_bench.vocabulary.places import ASKING

    begin = asyncio.Event()

    class Mix(OneShotBehaviour):
        def __init__(self, partner: str) -> None:
            super().__init__()
            self.partner = partner

        async def run(self) -> None:
            await begin.wait()
            await _mix(work, self.talk, self.calculate)

        async def talk(self) -> None:
            await self.send(Message(to=self.partner, performative="request"))
            await self.receive()

        async def calculate(self) -> float:
            return await self.compute(compute, _PASSES)

    async with Container(ASKING, seed=work.job.seed) as home:
        mixing = []
        for number in range(Mixing.of(work.configuration).pairs):
            await start_agent(home, f"echo-{number}", Responder(), REQUESTS)
            mixing.append(Mix(f"echo-{number}"))
            await start_agent(home, f"asker-{number}", mixing[-1])
        await _warm([home.compute(compute, _PASSES) for _ in mixing])
        yield timed(work, len(mixing), running(begin, *mixing))


@asynccontextmanager
async def _tasks(work: Workload) -> AsyncIterator[PreparedRole]:
    """Prepare tasks, and processes that compute for them."""
    import asyncio
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    from formicary_bench.experiments.compute.players import timed
    from formicary_bench.experiments.compute.work import compute
    from formicary_bench.subjects.baselines import tasks

    loop = asyncio.get_running_loop()
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:

        def calculate() -> asyncio.Future[float]:
            return loop.run_in_executor(pool, compute, _PASSES)

        def mixing(here: tasks.Channel, there: tasks.Channel) -> Awaitable[None]:
            def talk() -> Awaitable[object]:
                there.put("")
                return here.take()

            return _mix(work, talk, calculate)

        ends = [(tasks.Channel(), tasks.Channel()) for _ in range(Mixing.of(work.configuration).pairs)]
        echoes = [asyncio.create_task(tasks.echo(there, here)) for here, there in ends]
        await _warm([calculate() for _ in ends])

        async def run() -> None:
            await asyncio.gather(*(mixing(*one) for one in ends))

        yield timed(work, len(ends), run)
        await tasks.end(echoes)


async def _warm(computations: list[Awaitable[float]]) -> None:
    """Wait for the first computations, which start the processes."""
    import asyncio

    await asyncio.gather(*computations)
