"""The rounds that a driver makes: it is measured when it has settled, and else it is said that it had not."""

import sys

import pytest
from tests.integration.bench.subjects.drivers.conftest import HERE, bad_hello, keep, point

from formicary_bench.subjects.drivers import DriverError, settling
from formicary_bench.subjects.drivers.driven import _Progress, both
from formicary_bench.vocabulary import values
from formicary_bench.vocabulary.configuration import Configuration
from formicary_bench.vocabulary.names import MEDIATED, SWAP
from formicary_bench.vocabulary.values import laps
from formicary_bench.worker.messages import Job
from formicary_bench.worker.workload import Workload

COLD_US, WARM_US = 100, 10


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    """Shorten rounds to a thousandth of a second."""
    monkeypatch.setattr(settling, "ROUND_SECONDS", 0.001)
    monkeypatch.setattr(settling, "MOST_SECONDS", 0.05)


async def measured(mode):
    """Measure the driver, and return the result, with its progress when it was ready."""
    keep((sys.executable, str(HERE / "warming.py"), mode), bad_hello(name="warming", again=mode != "once"))
    work = Workload(Job(point("warming"), "both", 1, exchange="messaging/pairs"))
    async with both(work) as role:
        steps = work.steps
        await role.measure()
    return work, steps


async def test_a_driver_makes_rounds_until_it_has_settled():
    work, steps = await measured("settles")
    assert {rtt // 1000 for times in work.times for rtt in times.rtts} == {WARM_US}
    assert [len(times.rtts) for times in work.times] == [work.trips] * 2
    counters = work.counters
    assert counters[values.SETTLED] == 1
    assert 6 <= counters[values.WARM_UP_ROUNDS] <= 12
    assert counters[values.COLD_MEAN_US] == COLD_US
    assert counters[values.COLD_RATE] == pytest.approx(2e6 / COLD_US)
    assert steps > work.trips * 2  # it was seen to get on


async def test_round_trips_of_other_phases_are_part_of_the_cold_rate():
    """The second pair warms up while the first is measured, which cools down while the second is."""
    work, _ = await measured("apart")
    assert work.counters[values.COLD_RATE] == pytest.approx(2e6 / COLD_US)


@pytest.mark.parametrize("mode", ["never-settles", "compiles"])
async def test_one_that_does_not_settle_is_measured_all_the_same_and_marked(mode):
    work, _ = await measured(mode)
    assert work.counters[values.SETTLED] == 0
    assert work.counters[values.WARM_UP_SECONDS] >= settling.MOST_SECONDS
    assert len(work.times) == 2


async def test_one_that_makes_a_single_round_is_measured_cold_and_marked():
    work, _ = await measured("once")
    assert {rtt // 1000 for times in work.times for rtt in times.rtts} == {COLD_US}
    assert work.counters[values.SETTLED] == 0
    assert values.WARM_UP_SECONDS not in work.counters


def test_each_round_is_seen_to_get_on_though_more_was_prepared_than_is_done_in_it():
    work = Workload(Job(point("warming"), "both", 1, exchange="messaging/pairs"))
    progress, seen = _Progress(work), []
    progress.advance(10_000)
    for _ in range(3):
        progress.expect(60)
        seen.append(work.steps)
        progress.advance(20)
        seen.append(work.steps)
    assert seen == [10_000, 10_020, 10_060, 10_080, 10_120, 10_140]


async def test_one_that_goes_on_counting_is_found_in_any_round():
    with pytest.raises(DriverError, match=r"warming reported \d+ steps of \d+, and continued"):
        await measured("counts-on")


def looping(mode="well"):
    """Install a driver of loops, and return its work."""
    hello = bad_hello(name="looping", experiments=("messaging/pairs", "mobile/roam"), again=True)
    keep((sys.executable, str(HERE / "looping.py"), mode, "mobile/roam"), hello)
    asked = Configuration(
        experiment="mobile/roam", platform="looping", route="in-process", parameters={"loop": 40}
    )
    return Workload(Job(asked, "both", 1, exchange="mobile/roam"))


async def test_loops_are_made_in_all_sizes_when_the_platform_has_settled():
    work = looping()
    async with both(work) as role:
        await role.measure()
    assert [size for size, _, _ in work.batches] == list(laps(40, 4))
    assert {round(seconds / size * 1e6) for size, seconds, _ in work.batches} == {WARM_US}
    assert work.counters[values.SETTLED] == 1
    assert work.counters[values.COLD_MEAN_US] == pytest.approx(COLD_US)
    assert work.counters[values.COLD_RATE] == pytest.approx(1e6 / COLD_US)


async def test_rounds_of_a_service_are_made_in_batches():
    hello = bad_hello(name="looping", experiments=("messaging/pairs", MEDIATED), again=True)
    keep((sys.executable, str(HERE / "looping.py"), "well", MEDIATED), hello)
    asked = Configuration(
        experiment=MEDIATED, platform="looping", route="in-process", parameters={"requests": 40}
    )
    work = Workload(Job(asked, "both", 1, exchange=MEDIATED))
    async with both(work) as role:
        await role.measure()
    assert [size for size, _, _ in work.batches] == [2] * 20
    assert {round(seconds / size * 1e6) for size, seconds, _ in work.batches} == {WARM_US}


def grid(mode):
    """Install a driver of grids, and return its work."""
    hello = bad_hello(name="looping", experiments=("messaging/pairs", SWAP), again=True)
    keep((sys.executable, str(HERE / "looping.py"), mode, SWAP), hello)
    asked = Configuration(
        experiment=SWAP,
        platform="looping",
        route="in-process",
        parameters={"dimension": 2, "swaps": 40},
    )
    return Workload(Job(asked, "both", 1, exchange=SWAP))


async def test_a_grid_is_run_until_all_is_over_and_its_tallies_are_read():
    work = grid("well")
    async with both(work) as role:
        await role.measure()
    assert work.tally.made == {38: (1, 5), 40: (3, 0)}
    assert work.tally.seconds == pytest.approx(40 * WARM_US / 1e6)


async def test_agents_that_are_missing_in_tallies_are_noticed():
    with pytest.raises(DriverError, match="says what 3 agents of 4 have done"):
        async with both(grid("without-one")) as role:
            await role.measure()


async def test_a_loop_that_is_missing_is_noticed():
    with pytest.raises(DriverError, match="wrote 0 bytes of times, not the 16 of"):
        async with both(looping("leaves-one-out")):
            pass
