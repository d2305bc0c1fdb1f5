"""Conversations are had, for real, in one process and in two, by the protocols and by messages alone."""

import pytest

from formicary_bench.runner.execution.repetition import Task, measure
from formicary_bench.runner.planning.options import parse
from formicary_bench.runner.planning.plan import make_plan

SIZES = {"pairs": "3", "rounds": "2,5,1", "seed": "1"}
ALL = [
    *(
        one
        for name in ("request", "contract-net", "auction")
        for one in make_plan(parse(f"protocols/{name}", placement="same-container", **SIZES))
    ),
    *make_plan(parse("protocols/contract-net", placement="two-containers", **SIZES)),
]


@pytest.mark.parametrize("one", [pytest.param(one, id=one.key) for one in ALL])
def test_all_conversations_come_to_their_end(one, silent):
    repetition, data = measure(Task(one, 1, 7), silent())
    assert repetition.round_trips == 5 * one.exchange.load
    assert len(data.pair) == 8 * one.exchange.load
    assert (data.rtt_ns > 0).all()
    assert repetition.invalid == ()


@pytest.mark.parametrize("one", make_plan(parse("protocols/memory", agents="40", seed="1")))
def test_many_conversations_of_one_agent_are_begun(one, silent):
    _, data = measure(Task(one, 1, 7), silent())
    assert data.agents.tolist() == [2] * 20
    assert (data.seconds > 0).all()
