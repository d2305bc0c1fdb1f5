"""Loops are made, for real, and agents of all kinds do in them what they are there for."""

import pytest

from formicary_bench.runner.execution.repetition import Task, measure
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.runner.planning.values import parse
from formicary_bench.vocabulary.loops import laps, smallest_of

STILL = [
    *("create-local", "create-remote", "one-way", "two-way", "synchronize"),
    *("proxy", "forward-messages"),
]


def configurations(experiment, loop, **typed):
    plan = make_plan(parse(f"mobile/{experiment}", seed="1", loop=str(loop), **typed))
    return [one for one in plan if one.route != "xmpp"]


def of_ours(names):
    return [
        pytest.param(one, id=one.key)
        for name in names
        for one in configurations(
            name, 5, platform="formicary", **({"pairs": "3"} if name in STILL[-2:] else {})
        )
    ]


def check(one, silent):
    repetition, data = measure(Task(one, 1, 7), silent())
    assert data.agents.tolist() == list(laps(one.loop, smallest_of(one.experiment)))
    assert (data.seconds > 0).all()
    assert repetition.invalid == ()


@pytest.mark.parametrize("one", of_ours(STILL))
def test_loops_are_made_in_all_sizes(one, silent):
    check(one, silent)
