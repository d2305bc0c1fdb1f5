"""What is timed of uses of the directory is what other containers are told of."""

import asyncio

import pytest
from tests.unit.groups.crew import joined

from formicary_bench.experiments.directory import SEEN_COUNTER
from formicary_bench.subjects.ours.operations import start_use, use_of, watch
from formicary_bench.vocabulary.configuration import Configuration
from formicary_bench.vocabulary.names import REGISTER
from formicary_bench.vocabulary.places import APART, SAME
from formicary_bench.worker.messages import Job
from formicary_bench.worker.workload import Workload

ROUNDS = (2, 5, 1)


def work_of(experiment, placement=APART, kind="replica"):
    configuration = Configuration(
        experiment=experiment,
        platform="formicary",
        kind=kind,
        placement=placement,
        parameters={"pairs": 1, "services": 0, "rounds": ROUNDS},
    )
    return Workload(Job(configuration, "ask", 1))


async def see(home, seen, begun):
    """Note each service that is seen to come, and to go, in a container."""
    async with home.directory.subscribe(type="measured") as changes:
        begun.set()
        async for change in changes:
            seen += [("came", one.name) for one in change.services]
            seen += [("gone", one.name) for one in change.gone]


@pytest.mark.virtual_clock
@pytest.mark.parametrize("experiment", [REGISTER, "directory/deregister", "directory/cpu-register"])
async def test_a_replica_tells_the_others_of_each_change(experiment):
    async with joined("c1", "c2") as (home, other, _):
        seen, begun = [], asyncio.Event()
        seeing = asyncio.create_task(see(other, seen, begun))
        await begun.wait()
        work = work_of(experiment)
        await watch(other)
        measure = await start_use(home, work, use_of(work))
        await measure()
        await asyncio.sleep(1)
        names = [f"measured-{number}" for number in range(sum(ROUNDS))]
        assert seen == [(what, name) for name in names for what in ("came", "gone")]
        assert len(work.times[0].rtts) == sum(ROUNDS)
        assert (SEEN_COUNTER in work.counters) is (experiment == REGISTER)
        seeing.cancel()


@pytest.mark.virtual_clock
@pytest.mark.parametrize(("kind", "placement"), [("replica", SAME), ("central", APART)])
async def test_nobody_is_waited_for_where_a_registration_is_seen_at_once(kind, placement):
    async with joined("c1") as (home, _):
        work = work_of(REGISTER, placement, kind)
        measure = await start_use(home, work, use_of(work))
        await measure()
        assert len(work.times[0].rtts) == sum(ROUNDS)
        assert SEEN_COUNTER not in work.counters
