"""One sender and many receivers: all get a message each, and a round ends with the last answer."""

import pytest

from formicary.errors import UsageError
from formicary_bench.results.summary.commands import command
from formicary_bench.runner.execution.repetition import Task, measure
from formicary_bench.runner.planning.options import Options, parse
from formicary_bench.runner.planning.plan import describe, make_plan
from formicary_bench.vocabulary.places import APART, SAME

ROUNDS = (2, 5, 1)
BROADCAST = "messaging/broadcast"


@pytest.mark.parametrize(
    ("subject", "placement"),
    [
        ("formicary-behaviours", SAME),
        ("formicary-behaviours", APART),
        ("formicary-micro", SAME),
        pytest.param("formicary-micro", APART, marks=pytest.mark.full("as behaviours do")),
        ("tasks", SAME),
        ("callbacks", SAME),
        ("tcp", APART),
    ],
)
def test_a_round_is_one_round_trip_of_all_receivers(subject, placement, silent):
    options = Options(
        BROADCAST,
        sizes={"pairs": (7,), "rounds": ROUNDS},
        placements=(placement,),
        routes=("direct",) if subject.startswith("formicary") and placement == APART else None,
        subjects=(subject,),
    )
    (configuration,) = make_plan(options)
    repetition, data = measure(Task(configuration, 1, 7), silent())
    assert repetition.round_trips == 5
    assert data.pair.tolist() == [0] * 8
    assert (data.rtt_ns > 0).all()
    assert (data.start_ns[1:] >= data.start_ns[:-1] + data.rtt_ns[:-1]).all()


def test_a_plan_has_one_sender_and_as_many_receivers_as_are_asked_for():
    plan = make_plan(parse(BROADCAST, platform="tasks", pairs="1,9", seed="1"))
    exchanges = [one.exchange for one in plan]
    assert [(one.senders, one.pairs, one.receivers) for one in exchanges] == [(1, 1, 1), (1, 9, 9)]
    assert [one.load for one in exchanges] == [1, 1]
    assert command(plan[1]).endswith(
        "--platform tasks --placement same-container --pairs 9 --payload 100 --rounds 3000,6000,3000"
    )
    assert describe(plan[1]).endswith("same-container, 9 receivers, 100 bytes")
    assert plan[1].key == (
        f"{BROADCAST}/tasks/same-container/in-process/pairs-9-payload-bytes-100-rounds-3000-6000-3000-senders-1"
    )
    with pytest.raises(UsageError, match="nothing is left to measure"):
        make_plan(parse(BROADCAST, platform="components"))
