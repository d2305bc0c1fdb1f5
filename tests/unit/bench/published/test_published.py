"""Published figures in our charts: they have the papers' values, and nobody can take them for ours."""

import csv
from pathlib import Path

import pytest
from tests.unit.bench.experiments.memory.test_memory import run_of_states
from tests.unit.bench.experiments.network.test_network import run_on_the_wire
from tests.unit.bench.synthetic import row

from formicary.profiling.model.groups import PAPERS
from formicary_bench import published
from formicary_bench.experiments.memory.report import memory_charts
from formicary_bench.experiments.network.report import network_charts, network_references
from formicary_bench.reports.charts.drawing import draw
from formicary_bench.reports.charts.series import APART, SAME
from formicary_bench.reports.document.cpu_reference import cpu_references, share_charts
from formicary_bench.reports.document.findings import Findings
from formicary_bench.results.summary.cpu import CpuEstimate, CpuEstimates
from formicary_bench.results.summary.summary import summarise
from formicary_bench.statistics.estimates import Estimate

TABLES = {
    2: ("messaging/cpu", SAME), 3: ("messaging/cpu", APART), 4: ("directory/cpu-register", SAME),
    5: ("directory/cpu-register", APART), 6: ("directory/cpu-search", SAME),
    7: ("directory/cpu-search", APART),
}  # fmt: skip
HATCH = "url(#hatch)"


def lines_of(name):
    """Read a file of published figures as it stands."""
    with (Path(published.__file__).parent / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def marked(chart):
    """Say whether a figure says of what is not ours whose it is, and on what machine it was measured."""
    return published.SOURCE in str(chart) and published.MACHINE in chart.caption


def profiled(table):
    experiment, placement = TABLES[table]
    groups = {"agents": 0.6, "runtime": 0.3, "communication": 0.1}
    roles = ("both",) if placement == SAME else ("echo", "ask")
    known = tuple(
        CpuEstimate(role, group, Estimate(100 * share), share, (100 * share,))
        for role in roles
        for group, share in groups.items()
    )
    about = {"experiment": experiment, "placement": placement, "profiled": True}
    return row(**about, cpu=CpuEstimates(groups=known, window_s=1.0))


@pytest.mark.parametrize("table", TABLES)
def test_shares_of_cpu_time_are_drawn_as_the_table_has_them(table):
    (chart,) = share_charts([profiled(table)])
    assert chart.title.startswith(f"After Alberola 2010, Table {table}: ")
    ours, theirs = chart.plot.groups.items()
    assert ours[0] == "Measured here"
    assert not any(stack.published for stack in ours[1])
    assert theirs[0] == f"Published, not measured here: Alberola 2010, Table {table}"
    assert all(stack.published for stack in theirs[1])
    assert marked(chart)
    wanted = {}
    for line in lines_of("alberola2010_cpu.csv"):
        if line["table"] == str(table) and float(line["percent"]):
            name = line["platform"] if table % 2 == 0 else f"{line['platform']}, host {line['host']}"
            wanted.setdefault(name, {})[line["group"]] = float(line["percent"]) / 100
    drawn = {
        stack.label: {part.series.label.rpartition("(")[2].rstrip(")"): part.share for part in stack.parts}
        for stack in theirs[1]
    }
    assert drawn == {name: pytest.approx(parts) for name, parts in wanted.items()}
    svg = str(draw(chart.plot, "one", chart.title, chart.caption, 700))
    assert svg.count(HATCH) == sum(map(len, wanted.values()))


@pytest.mark.parametrize("table", TABLES)
def test_what_the_papers_groups_have_in_them_is_said(table):
    """In its Tables 4 to 7 communication is part of `map`."""
    has_own = any(line.group == PAPERS["communication"] for line in published.cpu_times(table))
    (chart,), (extra, *_) = share_charts([profiled(table)]), cpu_references([profiled(table)])
    for text in (chart.caption, extra.remark):
        assert ("Its map has communication in it here" in text) is not has_own
    assert has_own is (table <= 3)


def test_memory_of_an_agent_is_drawn_as_the_table_has_it(tmp_path):
    rows = summarise(run_of_states(tmp_path / "run"))
    chart = memory_charts(Findings(rows, rows))[-1]
    assert chart.title.startswith("After Alberola 2010, Table 8: ")
    ours, theirs = chart.plot.groups.values()
    held = {}
    for line in lines_of("alberola2010_memory.csv"):
        held.setdefault(line["platform"], {})[line["state"]] = 1024 * float(line["memory_kb"])
    wanted = {name: (of["platform+100-agents"] - of["platform"]) / 100 for name, of in held.items()}
    assert {bar.series.label: bar.value for bar in theirs} == pytest.approx(wanted)
    assert [bar.published for bar in (*ours, *theirs)] == [False] * len(ours) + [True] * len(theirs)
    assert marked(chart)
    assert str(draw(chart.plot, "one", chart.title, chart.caption, 700)).count("mark published") == len(
        theirs
    )


def test_throughputs_are_drawn_as_the_text_has_them(tmp_path):
    rows = summarise(run_on_the_wire(tmp_path / "run"))
    chart = network_charts(rows)[0]
    assert chart.title.startswith("After Alberola 2010, Fig. 17: ")
    theirs = {
        series.label: points for series, points in chart.plot.lines.items() if "Published" in series.label
    }
    wanted = {
        f"Published: {line['platform']}, {line['statement']}": 1000 * float(line["kbit_per_s"])
        for line in lines_of("alberola2010_network.csv")
    }
    assert {name: {point.y for point in points} for name, points in theirs.items()} == {
        name: {value} for name, value in wanted.items()
    }
    assert all(published.SOURCE in point.tip for points in theirs.values() for point in points)
    assert {series.dash for series in chart.plot.lines if series.label in theirs} == {"2 4"}
    # All of them are on the axis, and not at its edge.
    assert all(0 < chart.plot.y.place(value) < 1 for value in wanted.values())
    assert marked(chart)
    assert "how large its messages were is not said" in network_references(rows)[-1].remark
