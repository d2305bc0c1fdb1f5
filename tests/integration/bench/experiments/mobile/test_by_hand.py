"""What agents are held against does the same loops, by hand."""

import pytest

from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.runner.execution.repetition import Task, measure
from formicary_bench.runner.planning.options import parse
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.vocabulary.values import laps, smallest_of

LATER = pytest.mark.full("another way, or more clients")


def by_hand():
    for name, experiment in EXPERIMENTS.items():
        for platform in sorted({"tcp"} & {*experiment.subjects}) if "loop" in experiment.sizes else ():
            typed = {"seed": "1", "loop": "20", "preset": "quick", "platform": platform}
            for number, one in enumerate(make_plan(parse(name, **typed))):
                yield pytest.param(one, id=one.key, marks=[LATER] if number else [])


@pytest.mark.parametrize("one", [*by_hand()])
def test_loops_are_made_in_all_sizes(one, silent):
    repetition, data = measure(Task(one, 1, 7), silent())
    assert data.agents.tolist() == list(laps(one.parameters["loop"], smallest_of(one.experiment)))
    assert (data.seconds > 0).all()
    assert repetition.invalid == ()


def test_the_wire_is_encrypted_where_that_is_asked_for(silent):
    (one,) = make_plan(parse("mobile/messenger", platform="tcp", tls="on", loop="5", seed="1"))
    _, data = measure(Task(one, 1, 7), silent())
    assert len(data.agents) == len(laps(5))
