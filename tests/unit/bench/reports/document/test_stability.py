"""Every table of every experiment says how far its figures can be believed, and what to do next."""

import re

import numpy as np
import pytest
from tests.unit.bench.synthetic import STARTED, add_repetition, configured, make_run, plan, row, scale_plan

from formicary_bench.experiments.memory import GREW, TRACED
from formicary_bench.experiments.messaging.scale_out import AGENTS_CPU, SERVERS_CPU
from formicary_bench.experiments.network import EACH_MESSAGE
from formicary_bench.reports.document.report import columns, extras
from formicary_bench.reports.document.stability import dependent_remarks, stability_extras
from formicary_bench.results.store.model import Repetition
from formicary_bench.results.store.raw import Holdings
from formicary_bench.results.summary.cpu import CpuEstimate, CpuEstimates, judged, name_of
from formicary_bench.results.summary.summary import summarise
from formicary_bench.results.verdicts.verdicts import believed
from formicary_bench.statistics.estimates import Estimate
from formicary_bench.statistics.stability import Stability
from formicary_bench.vocabulary.metrics import HOLDS, MEAN, P99, RATE, TIME, TOTAL


def stability(experiment, rows):
    return {column.title: column.cells for column in columns(experiment, rows, rows)}["stability"]


def of_one(rows):
    return {one.figure for one in rows[0].stability}


def names(*metrics):
    return {metric.name for metric in metrics}


@pytest.mark.parametrize(
    ("experiment", "about", "figures"),
    [
        ("messaging/pairs", {}, {MEAN, TIME, RATE}),
        ("messaging/lower-bound", {}, {MEAN, TIME, RATE, TOTAL}),
        ("messaging/open-loop", {"rate": 1000, "arrivals": "constant"}, {MEAN, TIME, RATE, P99}),
    ],
)
def test_messages_are_judged_by_what_their_experiment_is_about(tmp_path, experiment, about, figures):
    configurations = [one.sized(**about) for one in plan(experiment, pairs=(10,))[:2]]
    rows = summarise(make_run(tmp_path / "run", configurations, repetitions=5))
    assert of_one(rows) == names(*figures)
    for one in rows:
        for metric in figures:
            values = [each.values[metric.name] for each in one.each]
            assert min(values) > 0
            if metric not in {TIME, P99}:  # percentiles are those of all repetitions together
                assert np.mean(values) == pytest.approx(one.mean(metric))
    assert all(cell.startswith(("1% by", "stable", "drifts")) for cell in stability(experiment, rows))
    tables = [one for one in extras(experiment, rows, rows) if one.title.startswith("How reliable")]
    drifts = any("drifts" in cell for cell in stability(experiment, rows))
    more = {metric.title for metric in figures - {MEAN, TIME, RATE}}
    assert len(tables) == bool(drifts or more)
    for table in tables:
        assert len(table.columns[0].cells) == 2
        assert more <= {column.title for column in table.columns[2:]} <= {one.title for one in figures}
        assert all(re.match(r"±[\d.]+%", cell) for column in table.columns[2:] for cell in column.cells)


def test_many_hosts_are_judged_by_what_a_message_costs(tmp_path):
    rows = summarise(make_run(tmp_path / "run", scale_plan(hosts=(2,)), repetitions=3))
    assert of_one(rows) == names(MEAN, TIME, RATE, AGENTS_CPU)
    through_server = next(one for one in rows if one.route == "xmpp")
    assert names(SERVERS_CPU, AGENTS_CPU) < {one.figure for one in through_server.stability}
    values = [one.values[AGENTS_CPU.name] for one in through_server.each]
    assert np.mean(values) == pytest.approx(through_server.mean(AGENTS_CPU))
    assert len(stability("messaging/scale-out", rows)) == len(rows)


@pytest.mark.parametrize("wire_bytes", [5000.0, 0.0])
def test_what_was_not_counted_on_the_wire_is_left_out(tmp_path, wire_bytes):
    counted = {"seconds": 1.0, "round_trips": 10.0, "wire_bytes": wire_bytes, "wire_packets": 20.0}
    run = make_run(tmp_path / "run", plan("network", pairs=(1,))[:1], repetitions=0)
    for number in (1, 2, 3):
        add_repetition(run, run.manifest.configurations[0], number, number, counters=counted)
    (one,) = summarise(run)
    assert one.mean(EACH_MESSAGE) == (250.0 if wire_bytes else None)
    assert of_one([one]) == names(MEAN, TIME, RATE, *([EACH_MESSAGE] if wire_bytes else []))


def looks(held, seconds=100):
    """Make up samples of a process with given memory, second by second."""
    count = np.arange(seconds, dtype=np.int64)
    held = np.broadcast_to(held, seconds).astype(np.int64)
    return Holdings(count.astype(float), count * 1000, held, np.zeros(seconds, dtype=np.int64))


def row_of(path, data, experiment="memory/growth", **about):
    """Return the row of a run with given memory in each repetition."""
    configuration = configured(experiment=experiment, platform="formicary", kind="micro", **about)
    run = make_run(path, [configuration], repetitions=0)
    for number, one in enumerate(data, 1):
        known = Repetition(
            configuration=configuration.key, number=number, seed=1, started=STARTED, ended=STARTED
        )
        run.add(known, one)
    (found,) = summarise(run)
    return found


LOAD = {"pairs": 10, "payload_bytes": 100, "seconds": 100}


def test_memory_that_stays_is_stable_though_nobody_knows_a_growth_of_nothing_to_a_hundredth(tmp_path):
    random = np.random.default_rng(7)
    found = row_of(tmp_path / "run", [looks(2e7 + random.normal(0, 1000, 100)) for _ in range(5)], **LOAD)
    assert {one.figure: one.assessment.stability for one in found.stability} == {
        HOLDS.name: Stability.STABLE,
        GREW.name: Stability.STABLE,
    }
    assert stability("memory/growth", [found]) == ("stable",)


def test_memory_that_grows_otherwise_each_time_is_not(tmp_path):
    grown = [looks(2e7 * np.linspace(1, 1 + by, 100)) for by in (0.0, 1.0, 3.0)]
    known = {one.figure: one.assessment for one in row_of(tmp_path / "run", grown, **LOAD).stability}
    assert known[GREW.name].stability is Stability.WIDE
    assert "more than" not in known[GREW.name].sentence


def test_states_of_memory_are_judged_by_both_accounts(tmp_path):
    one = Holdings(*(np.array([value]) for value in (0.0, 0, 10**7, 10**6)))
    found = row_of(tmp_path / "run", [one] * 3, "memory", route="none", agents=100)
    assert of_one([found]) == names(HOLDS, TRACED)


def test_cpu_time_is_judged_group_by_group():
    groups = tuple(
        CpuEstimate("both", group, Estimate(float(np.mean(values))), 0.5, values)
        for group, values in (
            ("agents", (1.0,) * 5),
            ("runtime", (1.0, 2.0, 3.0, 1.5, 2.5)),
            ("platform", (0.0,) * 5),
        )
    )
    cpu = CpuEstimates(groups=groups, window_s=1.0)
    found = judged(cpu)
    assert list(found) == [name_of(groups[0]), name_of(groups[1])]  # what took no time is not shown
    rows = [row(profiled=True, cpu=cpu, stability=believed(found))]
    first, second = stability("messaging/pairs", rows)
    assert (first, second) == ("stable", "scatters")


def test_values_that_were_not_measured_are_not_judged():
    assert believed({"a": [float("nan"), float("inf"), 1e300], "b": []}) == ()
    (one,) = believed({"a": [float("nan"), 1.0, 1.0, 1.0, 1.0, 1.0]})
    assert one.assessment.sentence == "stable: the mean of 5 repetitions is known to 0.0%"


def test_three_that_agree_are_not_called_stable():
    (one,) = believed({"a": [1.0, 1.0, 1.0]})
    assert one.assessment.stability is Stability.TOO_FEW
    assert one.assessment.sentence.endswith("that so few agree may be chance: use 5 or more")
    assert one.assessment.half_width == 0.0


def test_where_repetitions_depend_is_said_and_of_few_that_it_is_not_seen():
    waves = [100 + 10 * np.sin(place / 3) for place in range(30)]
    rows = [row(repetitions=30, stability=believed({TIME.name: waves}))]
    assert "Agents. Intervals of their means are too narrow, by up to" in "".join(dependent_remarks(rows))
    (table,) = stability_extras(rows)
    assert "cannot be seen" not in table.remark
    assert table.columns[-1].cells[0].endswith(", depend")
    few = [row(repetitions=9, stability=believed({TIME.name: waves[:9], TOTAL.name: waves[:9]}))]
    assert dependent_remarks(few) == []
    assert "Fewer than 10 repetitions do not show" in stability_extras(few)[0].remark
