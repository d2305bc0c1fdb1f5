"""Published figures in our charts: they have the papers' values, and nobody can take them for ours."""

import csv
from pathlib import Path

import pytest
from tests.unit.bench.synthetic import row

from formicary.profiling.model.groups import PAPERS
from formicary_bench import published
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.published.claims import papers
from formicary_bench.reports.charts.drawing import draw
from formicary_bench.reports.charts.series import APART, SAME
from formicary_bench.reports.document.cpu_reference import cpu_references, share_charts
from formicary_bench.reports.document.papers import beside_published, printed
from formicary_bench.reports.document.report import charts
from formicary_bench.results.summary.cpu import CpuEstimate, CpuEstimates
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
    """Return whether figures that are not ours name their source, and the machine that measured them."""
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


@pytest.mark.parametrize("experiment", [one for one in EXPERIMENTS.values() if one.published])
def test_what_a_paper_prints_is_shown_as_it_is_printed(experiment):
    metrics = {one.heading: one.name for one in experiment.shown}
    table = published.TABLES[experiment.published]
    headings = [heading for heading, _, _ in table.figures.values()]
    assert set(headings) <= set(metrics)
    ours = row(experiment=experiment.name, **{metrics[one]: 5.0 for one in headings})
    (extra,) = beside_published(experiment.name, [ours])
    cells = {column.title: column.cells for column in extra.columns}
    printed = [
        line for line in lines_of(table.file) if not table.only or line[table.only] == experiment.benchmark
    ]
    assert printed
    for column, (heading, unit, _) in table.figures.items():
        *theirs, own = cells[heading]
        assert theirs == [line[column] + unit for line in printed]
        assert own not in theirs
    assert [f"{table.paper}, {table.where}" in who for who in cells["who"]] == [True] * len(printed) + [False]
    assert papers()[table.paper].machine in extra.remark


@pytest.mark.parametrize(
    ("experiment", "text"),
    [
        ("mobile/create-remote", "312.5"),
        ("mobile/forward-messages", "48.25"),
        ("service/mediated", "1422 s"),
        ("memory", "940.52 KB"),
        ("network", "8200 kbit/s"),
        ("grid/swap", "92.67"),
    ],
)
def test_no_digit_of_a_printed_figure_is_lost(experiment, text):
    assert any(text in line.texts.values() for line in printed(experiment))


def test_sustained_rates_are_drawn_beside_ours():
    ours = [row("formicary", "behaviours", experiment="mobile/roam", loop=100, sustained_per_s=500.0)]
    chart = charts("mobile/roam", ours, ours)[-1]
    assert chart.title.startswith("After Dikaiakos 2001, Table 8: ")
    theirs = chart.plot.groups["Published, not measured here: Dikaiakos 2001, Table 8"]
    assert {dot.series.label: (dot.value, dot.text) for dot in theirs} == {
        "Concordia": (0.68, "0.68"),
        "Aglets": (44.64, "44.64"),
        "Voyager": (14.7, "14.7"),
    }
    svg = str(draw(chart.plot, "one", chart.title, chart.caption, 700))
    assert svg.count("mark published") == len(theirs)
