"""Traffic is made, for real, in one container and in two, and all times come back."""

import pytest

from formicary_bench.runner.execution.repetition import Task, measure
from formicary_bench.runner.planning.options import parse
from formicary_bench.runner.planning.plan import make_plan

SIZES = {"pairs": "6", "rounds": "5,10,5", "cores": "1", "seed": "1"}
WAYS = [
    {"experiment": "traffic/ring"},
    {"experiment": "traffic/massive-reception", "receivers": "1"},
    {"experiment": "traffic/massive-reception", "receivers": "3"},
]


@pytest.mark.grid
@pytest.mark.parametrize("containers", ["1", "2"])
@pytest.mark.parametrize("platform", ["formicary-behaviours", "formicary-synchronous"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(way.values()))
def test_all_round_trips_are_made_and_come_back(way, platform, containers, silent):
    check(silent, **way, platform=platform, containers=containers)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(way.values()))
def test_tasks_make_the_same(way, silent):
    check(silent, **way, platform="tasks")


def check(silent, **typed):
    (one,) = make_plan(parse(**typed, **SIZES))
    repetition, data = measure(Task(one, 1, 7), silent())
    assert len(data.pair) == 6 * 20
    assert (data.rtt_ns > 0).all()
    starts = data.start_ns.reshape(6, 20)
    assert (starts[:, 1:] >= starts[:, :-1] + data.rtt_ns.reshape(6, 20)[:, :-1]).all()
    assert repetition.round_trips == 6 * 10
    assert repetition.invalid == ()
