"""Real open loops, short ones: what they keep is what the schedule says."""

import pytest
from tests.integration.bench.conftest import perform
from tests.unit.bench.synthetic import asking

from formicary_bench.experiments.messaging.open_loop import LATE_SENDS, LATEST_SEND
from formicary_bench.results.store.raw import MEASURED
from formicary_bench.results.summary.summary import summarise
from formicary_bench.runner.execution.repetition import Task, measure
from formicary_bench.runner.planning.options import Options
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.vocabulary.metrics import SLOWEST
from formicary_bench.vocabulary.names import OPEN_LOOP
from formicary_bench.vocabulary.places import APART, SAME
from formicary_bench.vocabulary.values import POISSON, schedule

ROUNDS = (5, 20, 5)


def one(subject, placement, **options):
    known = {"pairs": (3,), "rate": (2000,), "arrivals": (POISSON,), "rounds": ROUNDS, "routes": ("direct",)}
    if placement == SAME or subject == "tcp":
        known.pop("routes")
    asked = asking(experiment=OPEN_LOOP, placements=(placement,), subjects=(subject,), **{**known, **options})
    (configuration,) = make_plan(asked)
    return configuration


@pytest.mark.parametrize(
    ("subject", "placement"),
    [
        ("formicary-behaviours", SAME),
        ("formicary-micro", SAME),
        ("tasks", SAME),
        pytest.param("formicary-behaviours", APART, marks=pytest.mark.full("as micro-agents do")),
        ("formicary-micro", APART),
        ("tcp", APART),
    ],
)
def test_all_messages_are_sent_by_the_schedule_and_answered(subject, placement, silent):
    repetition, data = measure(Task(one(subject, placement), 1, 7), silent())
    assert repetition.lost == 0
    assert repetition.round_trips == 60
    assert data.pair.tolist() == [0] * 30 + [1] * 30 + [2] * 30
    assert data.index.tolist() == [*range(30)] * 3
    assert (data.phase == MEASURED).sum() == 60
    assert (data.rtt_ns > 0).all()
    due = sorted(data.start_ns.tolist())
    wanted = list(schedule(POISSON, 2000, 90, 7))
    assert [at - due[0] for at in due] == [at - wanted[0] for at in wanted]


def test_more_than_anybody_can_send_is_sent_all_the_same_and_not_valid(silent, tmp_path):
    options = Options(
        OPEN_LOOP,
        sizes={"pairs": (2,), "rate": (1_000_000,), "rounds": (0, 20_000, 0)},
        placements=(SAME,),
        subjects=("formicary-behaviours",),
    )
    outcome = perform(options, tmp_path / "run", silent())
    assert outcome.problems == []
    (repetition,) = outcome.folder.manifest.repetitions
    assert repetition.round_trips == 40_000
    (row,) = summarise(outcome.folder)
    assert (row.size("rate"), row.size("arrivals"), row.lost) == (1_000_000, "constant", 0)
    assert "the sender could not keep its schedule" in row.invalid[0]
    assert row.mean(LATE_SENDS) > 2000
    assert row.mean(LATEST_SEND) > 1000
    # From when they were due: the last ones waited for all before them.
    assert row.mean(SLOWEST) >= row.mean(LATEST_SEND)
