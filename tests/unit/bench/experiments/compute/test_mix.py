"""Agents that compute and talk: when each is due, and what a repetition says."""

import numpy as np
import pytest
from tests.unit.bench.synthetic import STARTED, make_run

from formicary_bench.experiments.compute.mix import COMPUTED, MADE, SPENT, TALKED, TRIP, TRIPS, is_due
from formicary_bench.experiments.compute.speed_up import SPEED_UP
from formicary_bench.results.store.model import Repetition
from formicary_bench.results.store.raw import Creations
from formicary_bench.results.summary.summary import summarise
from formicary_bench.runner.planning.options import parse
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.vocabulary.values import CPU_SECONDS


@pytest.mark.parametrize("share", [0, 10, 50, 90, 100])
def test_an_agent_keeps_its_share(share):
    computed = talked = 0.0
    for _ in range(10_000):
        if is_due(share, computed, talked):
            computed += 5.0
        else:
            talked += 0.01
    total = computed + talked
    assert abs(computed - total * share / 100) <= 5.0


def mixed(path, counters):
    (one,) = make_plan(parse("compute/mix", seed="1", pairs="2", share="50", platform="tasks"))
    run = make_run(path, [one], repetitions=0, complete=False)
    about = {"configuration": one.key, "number": 1, "seed": 1, "started": STARTED, "ended": STARTED}
    made = Creations(
        batch=np.zeros(1, dtype=np.int32),
        agents=np.array([2], dtype=np.int64),
        seconds=np.array([2.0]),
        bytes=np.zeros(1, dtype=np.int64),
    )
    run.add(Repetition(**about, counters=counters), made)
    (row,) = summarise(run)
    return row


def test_a_repetition_says_what_was_done_in_its_time(tmp_path):
    row = mixed(tmp_path / "run", {MADE: 1000.0, TALKED: 1.0, COMPUTED: 3.0, CPU_SECONDS: 2.5})
    found = {metric: row.mean(metric) for metric in (TRIPS, SPEED_UP, TRIP, SPENT)}
    assert found == {TRIPS: 500.0, SPEED_UP: 1.25, TRIP: 1000.0, SPENT: 0.75}


def test_who_never_talks_has_no_round_trips(tmp_path):
    row = mixed(tmp_path / "run", {COMPUTED: 4.0, CPU_SECONDS: 2.0})
    assert (row.mean(TRIPS), row.mean(TRIP), row.mean(SPENT)) == (None, None, 1.0)
