"""Traffic over cores: who sends to whom, what is planned, and what is said of containers and cores."""

import os

import numpy as np
import pytest
from tests.unit.bench.synthetic import STARTED, make_run, row

from formicary.errors import UsageError
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.experiments.traffic import Reception, Traffic
from formicary_bench.experiments.traffic.players import container_of, partners_of
from formicary_bench.reports.document.sections import sections_of
from formicary_bench.results.store.folder import RunFolder
from formicary_bench.results.store.model import Repetition
from formicary_bench.results.store.raw import RoundTrips
from formicary_bench.results.summary.commands import command
from formicary_bench.results.summary.summary import summarise
from formicary_bench.runner.planning.options import parse
from formicary_bench.runner.planning.plan import describe, make_plan
from formicary_bench.subjects import registry
from formicary_bench.subjects.drivers.installed import subject_for
from formicary_bench.subjects.drivers.protocol import Hello
from formicary_bench.vocabulary.metrics import RATE

FAMILY = [name for name in EXPERIMENTS if name.startswith("traffic/")]
TRIP_NS = 1_000_000


@pytest.fixture(autouse=True)
def two_cores(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    monkeypatch.setattr(os, "sched_setaffinity", lambda *_: None, raising=False)


def plan(experiment, **typed):
    return make_plan(parse(f"traffic/{experiment}", seed="1", **typed))


def sizes_of(plan):
    return [Reception.of(one) for one in plan]


def run_of(path, configurations, repetitions=5):
    """Return a run in which a round trip takes a millisecond, divided by the number of useful containers."""
    run = make_run(path, configurations, repetitions=0, complete=False)
    for number in range(1, repetitions + 1):
        for one in configurations:
            sizes = Traffic.of(one)
            of_use = min(sizes.cores, sizes.containers)
            trips, pairs = sizes.trips, sizes.pairs
            index = np.tile(np.arange(trips), pairs)
            took = round(TRIP_NS / of_use * (1 + number / 1000))
            phases = np.repeat([1, 2, 3], sizes.rounds)
            data = RoundTrips(
                pair=np.repeat(np.arange(pairs), trips).astype(np.int32),
                index=index.astype(np.int32),
                start_ns=index * took,
                rtt_ns=np.full(trips * pairs, took),
                phase=np.tile(phases, pairs).astype(np.int8),
            )
            known = Repetition(
                configuration=one.key, number=number, seed=number, started=STARTED, ended=STARTED
            )
            run.add(known, data)
    run.finish(load_after=(0.0, 0.0, 0.0))
    return run


@pytest.mark.parametrize("agents", [2, 3, 8])
def test_in_a_ring_each_sends_to_all_others_in_turn(agents):
    for agent in range(agents):
        partners = partners_of(agent, agents, 0)
        assert partners[0] == (agent + 1) % agents
        assert sorted([agent, *partners]) == list(range(agents))


def test_senders_live_where_their_receivers_do_if_these_are_as_many():
    for number in range(100):
        (receiver,) = partners_of(number, 200, 100)
        assert container_of(number, 2) == container_of(receiver, 2)
    assert {container_of(number, 3) for number in range(9)} == {"c1", "c2", "c3"}


def test_massive_reception_is_as_in_the_paper():
    found = {(one.pairs, one.echoes) for one in sizes_of(plan("massive-reception", preset="paper"))}
    assert {(many, 1) for many in (8, 16, 32, 64, 128, 256)} <= found
    assert {(many, many) for many in (8, 16, 32, 64, 128, 256)} <= found
    assert {(256, 2**power) for power in range(1, 9)} <= found


def test_what_is_asked_for_is_measured():
    (one,) = plan(
        "massive-reception", pairs="6", receivers="3", containers="2", cores="2", platform="formicary"
    )
    sizes = Reception.of(one)
    assert (sizes.pairs, sizes.echoes, sizes.receivers, sizes.containers, sizes.cores) == (6, 3, 3, 2, 2)
    assert "6 agents, 3 receivers, 100 bytes, 2 containers, 2 cores" in describe(one)
    for word in ("--receivers 3", "--containers 2", "--cores 2", "--pairs 6"):
        assert word in command(one)
    (ring,) = plan("ring", pairs="6", containers="2", cores="2", platform="formicary")
    assert "6 agents, 100 bytes, 2 containers, 2 cores" in describe(ring)
    assert ring.key != one.key


def test_what_cannot_be_is_said():
    with pytest.raises(UsageError, match="a ring needs at least two agents"):
        plan("ring", pairs="1")
    with pytest.raises(UsageError, match="use --receivers 8 or less"):
        plan("massive-reception", pairs="4,8", receivers="9")


def test_speed_up_has_a_container_for_each_core_and_all_patterns():
    found = sizes_of(plan("speed-up", pairs="8"))
    assert {(one.cores, one.containers) for one in found} == {(1, 1), (2, 2)}
    assert {one.echoes for one in found} == {0, 1, 8}


def test_agents_are_measured_in_both_modes():
    kinds = {one.kind for one in plan("ring", pairs="8") if one.platform == "formicary"}
    assert kinds == {"behaviours", "synchronous"}


def test_pool_sizes_vary():
    assert {(one.cores, one.containers) for one in sizes_of(plan("pool-size"))} == {
        (cores, containers) for cores in (1, 2) for containers in (1, 2, 3, 4)
    }


def test_another_platform_has_pools_of_the_papers_sizes(monkeypatch):
    experiments = ("traffic/ring", "traffic/pool-size")
    pooled = subject_for(Hello(1, "pooled", "1", experiments, ("same-container",)))
    monkeypatch.setattr(registry, "driven", lambda: (pooled,))
    found = sizes_of(plan("pool-size", platform="pooled", containers="2,4,6,10"))
    assert {one.containers for one in found} == {2, 4, 6, 10}
    assert {one.containers for one in sizes_of(plan("ring", platform="pooled", containers="2"))} == {1}


@pytest.mark.parametrize("experiment", FAMILY)
def test_keys_and_anchors_tell_configurations_apart(experiment, tmp_path):
    found = make_plan(parse(experiment, seed="1", pairs="4,8", rounds="2,4,2"))
    assert len({one.key for one in found}) == len(found)
    rows = summarise(run_of(tmp_path / "run", found, repetitions=1))
    assert len({row.anchor for row in rows}) == len(found)


def test_several_containers_are_held_against_one_and_cores_too(tmp_path):
    found = plan("ring", pairs="4,8", platform="formicary,tasks", rounds="10,40,40")
    (section,) = sections_of(run_of(tmp_path / "run", found))
    extras = {extra.title: extra for extra in section.extras}
    several = extras["Several containers compared with one"]
    rates = next(column for column in several.columns if column.title == "speed-up")
    assert any("twice" in cell or "2" in cell for cell in rates.cells)
    assert "Several cores compared with one" in extras
    assert len(section.sentences) == 4  # for each number of containers on each number of cores
    assert "In one process, agents, 2 containers, 2 cores, 8 agents: 502 µs" in section.sentences[-1]


def test_pool_sizes_are_shown_beside_the_papers(tmp_path):
    (section,) = sections_of(run_of(tmp_path / "run", plan("pool-size", pairs="4", rounds="2,4,2")))
    assert any("Section 4.4" in extra.remark for extra in section.extras)
    assert any("against containers" in chart.title for chart in section.charts)


def test_receivers_are_an_axis_where_they_vary(tmp_path):
    found = plan("massive-reception", pairs="8", receivers="1,2,4,8", rounds="2,4,2", platform="formicary")
    (section,) = sections_of(run_of(tmp_path / "run", found))
    assert "After Pérez-Carro 2013, Fig. 6b, 6c, 6d, 7b, 7c and 7d: Round-trip time, 8 senders" in {
        chart.title for chart in section.charts
    }


def test_speed_ups_are_the_total_time_on_one_core_over_that_on_several(tmp_path):
    found = plan("speed-up", pairs="4,8", platform="formicary", cores="1,2", rounds="10,40,40")
    (section,) = sections_of(run_of(tmp_path / "run", found))
    first = section.charts[0]
    assert first.title == "After Pérez-Carro 2013, Fig. 10a: Speed-up, ring"
    (points,) = first.plot.lines.values()
    assert [point.x for point in points] == [4, 8]
    rates = {}
    for one in summarise(RunFolder.open(tmp_path / "run")):
        if not one.size("echoes"):
            rates[one.size("cores"), one.size("pairs")] = one.mean(RATE)
    assert [point.y for point in points] == pytest.approx(
        [rates[2, many] / rates[1, many] for many in (4, 8)], rel=0.01
    )
    assert not any("Round-trip time" in chart.title for chart in section.charts)


def test_the_papers_figures_are_by_how_agents_run_and_by_pattern():
    numbers = EXPERIMENTS["traffic/ring"].repeats.numbers
    ours = {"experiment": "traffic/ring", "pairs": 8}
    assert numbers([row(**ours, containers=1)]) == {"6a"}
    assert numbers([row(**ours, containers=2)]) == {"7a"}
    assert numbers([row("formicary", "synchronous", **ours, containers=2)]) == {"5a"}
    assert numbers([row("tasks", "", **ours)]) == set()
    assert numbers([row(**ours, containers=1, echoes=8), row(**ours, containers=1, echoes=3)]) == {"6c", "6d"}
