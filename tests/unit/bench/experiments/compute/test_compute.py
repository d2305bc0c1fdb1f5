"""Agents that compute: what is planned on how many cores, and what is said of the CPU time that they had."""

import os

import numpy as np
import pytest
from tests.unit.bench.synthetic import STARTED, make_run

from formicary_bench.experiments.compute.speed_up import SPEED_UP, Computing
from formicary_bench.experiments.compute.work import compute
from formicary_bench.published.claims import claims
from formicary_bench.reports.document.sections import sections_of
from formicary_bench.results.store.model import Repetition
from formicary_bench.results.store.raw import Creations
from formicary_bench.results.summary.commands import command
from formicary_bench.results.summary.summary import summarise
from formicary_bench.results.verdicts.claims import Outcome, judge
from formicary_bench.runner.forecast.default_durations import default_duration
from formicary_bench.runner.planning.options import parse
from formicary_bench.runner.planning.plan import describe, make_plan
from formicary_bench.vocabulary.metrics import TOTAL
from formicary_bench.vocabulary.values import CPU_SECONDS

ELAPSED = 2.0
COMPUTATIONS = 64  # of all agents together, at least
SHARES = {"formicary": 0.95, "processes": 1.0, "threads": 0.5}


@pytest.fixture(autouse=True)
def four_cores(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 5}, raising=False)
    monkeypatch.setattr(os, "sched_setaffinity", lambda *_: None, raising=False)


def plan(**typed):
    return make_plan(parse("compute/speed-up", seed="1", **typed))


def sizes_of(plan):
    return [Computing.of(one) for one in plan]


def run_of(path, configurations, repetitions=5):
    run = make_run(path, configurations, repetitions=0, complete=False)
    for number in range(1, repetitions + 1):
        for one in configurations:
            sizes = Computing.of(one)
            cpu = ELAPSED * min(sizes.cores, sizes.agents) * SHARES[one.platform] * (1 + number / 1000)
            known = Repetition(
                configuration=one.key,
                number=number,
                seed=number,
                started=STARTED,
                ended=STARTED,
                counters={CPU_SECONDS: cpu},
            )
            made = Creations(
                batch=np.zeros(1, dtype=np.int32),
                agents=np.array([sizes.agents], dtype=np.int64),
                seconds=np.array([ELAPSED]),
                bytes=np.zeros(1, dtype=np.int64),
            )
            run.add(known, made)
    run.finish(load_after=(0.0, 0.0, 0.0))
    return run


def test_agents_are_as_many_as_in_the_paper_on_one_core_and_on_more():
    found = plan(preset="paper")
    sizes = sizes_of(found)
    assert {one.agents for one in sizes} == {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}
    assert {one.cores for one in sizes} == {1, 2, 4}
    assert {one.platform for one in found} == {"formicary", "processes", "threads"}
    assert all(one.agents * one.loop >= COMPUTATIONS for one in sizes)


def test_what_is_asked_for_is_measured():
    (one,) = plan(agents="7", loop="3", cores="2", platform="processes")
    assert one.parameters == {"agents": 7, "loop": 3, "cores": 2}
    assert one.key == "compute/speed-up/processes/same-container/none/agents-7-cores-2-loop-3"
    assert "7 agents, 3 computations, 2 cores" in describe(one)
    assert {"--agents 7", "--loop 3", "--cores 2"} <= {
        f"--{word}".strip() for word in command(one).split(" --")
    }
    alone = plan(agents="7", loop="3", cores="1", platform="processes")[0]
    assert default_duration(alone).work > default_duration(one).work


def test_the_speed_up_is_the_cpu_time_over_the_time_that_passed(tmp_path):
    run = run_of(tmp_path / "run", plan(agents="1,16", loop="2"))
    rows = {(row.platform, row.size("agents"), row.size("cores")): row for row in summarise(run)}
    assert len({row.anchor for row in rows.values()}) == len(rows)
    ours = rows["formicary", 16, 4]
    assert ours.mean(SPEED_UP) == pytest.approx(4 * 0.95, rel=0.01)
    assert ours.mean(TOTAL) == ELAPSED
    assert rows["formicary", 1, 4].mean(SPEED_UP) == pytest.approx(0.95, rel=0.01)


def test_a_report_holds_agents_against_plain_processes(tmp_path):
    (section,) = sections_of(run_of(tmp_path / "run", plan(agents="1,16", loop="2")))
    assert len(section.sentences) == 3  # for each number of cores
    assert "Agents, 4 cores, 16 agents: 3.81 CPU seconds per second of computing" in section.sentences[-1]
    assert "plain processes" in section.sentences[-1]
    chart, _ = section.charts
    assert {series.label for series in chart.legend} >= {
        "Agents, 1 core",
        "Agents, 4 cores",
        "Threads, 2 cores",
    }
    assert "After Pérez-Carro 2013, Fig. 4" in chart.title


def test_the_papers_claim_is_judged(tmp_path):
    (claim,) = (one for one in claims() if one.id == "perez-carro-compute")
    rows = summarise(run_of(tmp_path / "run", plan(agents="16", loop="2")))
    assert judge(claim, rows).outcome is Outcome.REPRODUCED


def test_a_repetition_in_which_nothing_was_computed_has_no_figures(tmp_path, monkeypatch):
    monkeypatch.setitem(SHARES, "threads", 0.0)
    run = run_of(tmp_path / "run", plan(agents="2", loop="1", cores="1"))
    known = {row.platform: row.estimate(SPEED_UP) for row in summarise(run)}
    assert known["threads"] is None
    assert known["processes"] is not None


def test_a_computation_says_what_cpu_time_it_took():
    assert 0 < compute(1) < compute(20)
