"""Objects really go to and fro, in one process and between two."""

import pytest

from formicary_bench.experiments.messaging.serialisation import CODECS
from formicary_bench.runner.execution.repetition import Task, measure
from formicary_bench.runner.planning.options import Options
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.vocabulary.places import APART, SAME


@pytest.mark.parametrize(("placement", "routes"), [(SAME, None), (APART, ("direct",))])
def test_each_encoding_makes_its_round_trips(placement, routes, silent):
    sizes = {"fields": (3,), "rounds": (2, 8, 0)}
    plan = make_plan(Options("messaging/serialisation", sizes=sizes, placements=(placement,), routes=routes))
    assert [one.parameters["codec"] for one in plan] == list(CODECS)
    for one in plan:
        repetition, data = measure(Task(one, 1, 7), silent())
        assert (repetition.round_trips, len(data.rtt_ns)) == (8, 10)
