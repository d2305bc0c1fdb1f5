"""Traffic is made, for real, in one container and in two, and all times come back."""

import pytest

from formicary_bench.runner.execution.repetition import Task, measure
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.runner.planning.values import parse

SIZES = {"pairs": "6", "rounds": "5,10,5", "cores": "1", "seed": "1"}
ALL = [
    *make_plan(parse("traffic/ring", **SIZES)),
    *make_plan(parse("traffic/massive-reception", receivers="1,3", **SIZES)),
]


@pytest.mark.parametrize("one", [pytest.param(one, id=one.key) for one in ALL])
def test_all_round_trips_are_made_and_come_back(one, silent):
    repetition, data = measure(Task(one, 1, 7), silent())
    assert len(data.pair) == 6 * 20
    assert (data.rtt_ns > 0).all()
    starts = data.start_ns.reshape(6, 20)
    assert (starts[:, 1:] >= starts[:, :-1] + data.rtt_ns.reshape(6, 20)[:, :-1]).all()
    assert repetition.round_trips == 6 * 10
    assert repetition.invalid == ()
