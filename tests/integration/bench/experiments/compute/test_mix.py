"""Agents, and tasks, really compute and talk."""

import pytest

from formicary_bench.experiments.compute.mix import COMPUTED, MADE, TALKED
from formicary_bench.runner.execution.repetition import Task, measure
from formicary_bench.runner.planning.options import parse
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.vocabulary.values import CPU_SECONDS

ALL = make_plan(parse("compute/mix", seed="1", pairs="2", share="50"))


@pytest.mark.parametrize("one", [pytest.param(one, id=one.key) for one in ALL])
def test_both_are_done_and_counted(one, silent):
    repetition, data = measure(Task(one, 1, 7), silent())
    assert data.agents.tolist() == [2]
    assert all(repetition.counters[name] > 0 for name in (MADE, TALKED, COMPUTED, CPU_SECONDS))
