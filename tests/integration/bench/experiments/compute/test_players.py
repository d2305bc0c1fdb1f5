"""Agents, processes and threads compute, for real, on the cores that they are given."""

import pytest

from formicary.core.systems import usable_cores
from formicary_bench.runner.execution.repetition import Task, measure
from formicary_bench.runner.planning.options import parse
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.vocabulary.values import CPU_SECONDS

ALL = make_plan(parse("compute/speed-up", seed="1", agents="3", loop="2", cores="1"))


@pytest.mark.parametrize("one", [pytest.param(one, id=one.key) for one in ALL])
def test_all_computations_are_made_and_counted(one, silent):
    repetition, data = measure(Task(one, 1, 7), silent())
    assert data.agents.tolist() == [3]
    assert repetition.counters[CPU_SECONDS] > 0
    assert repetition.elapsed_s >= repetition.counters[CPU_SECONDS] * 0.99  # one core has no more


@pytest.mark.skipif(usable_cores() < 2, reason="there is one core")
@pytest.mark.parametrize("platform", ["formicary", "processes"])
def test_several_workers_share_the_computations(platform, silent):
    (one,) = make_plan(
        parse("compute/speed-up", seed="1", agents="3", loop="2", cores="2", platform=platform)
    )
    repetition, _ = measure(Task(one, 1, 7), silent())
    assert repetition.counters[CPU_SECONDS] > 0
