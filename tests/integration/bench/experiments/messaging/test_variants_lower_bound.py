"""What messages between two processes are held against: sockets of both kinds, memory, and links over TCP."""

import pytest

from formicary_bench.runner.execution.repetition import Task, measure
from formicary_bench.runner.planning.options import Options
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.vocabulary.places import APART


@pytest.mark.parametrize("subject", ["tcp", "unix", "shared-memory", "formicary-tcp"])
@pytest.mark.parametrize("payload", [0, 100])
def test_each_pair_makes_its_round_trips(subject, payload, silent):
    options = Options(
        "messaging/lower-bound",
        placements=(APART,),
        subjects=(subject,),
        sizes={"pairs": (3,), "payload_bytes": (payload,), "rounds": (5, 20, 5)},
    )
    (one,) = make_plan(options)
    repetition, data = measure(Task(one, 1, 7), silent())
    assert (repetition.round_trips, len(data.rtt_ns)) == (60, 90)
    assert (data.rtt_ns > 0).all()


def test_by_itself_all_are_measured_between_two_processes():
    plan = make_plan(Options("messaging/lower-bound", placements=(APART,), routes=("direct",)))
    assert {(one.platform, one.route) for one in plan} == {
        ("formicary", "direct"),
        ("formicary-tcp", "direct"),
        ("tcp", "tcp"),
        ("unix", "unix"),
        ("shared-memory", "memory"),
    }
