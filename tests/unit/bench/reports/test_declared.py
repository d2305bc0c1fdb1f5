"""What reports and rows know of experiments: what these declare, and nothing by name."""

import ast
from pathlib import Path

import pytest
from tests.unit.bench.synthetic import row, times

import formicary_bench
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.reports.document.report import ROUND_TRIPS, Report, columns, report_of
from formicary_bench.reports.formats.registry import FORMATS, PICTURES
from formicary_bench.results.summary.declared import Summary, summary_of

ROOT = Path(formicary_bench.__file__).parent
SHARED = [path for room in ("reports", "results") for path in sorted((ROOT / room).rglob("*.py"))]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_each_experiment_has_a_report_and_says_how_its_rows_are_made(name):
    assert isinstance(report_of(name), Report)
    assert isinstance(summary_of(name), Summary)


def test_names_of_other_versions_are_shown_as_their_family_is():
    assert report_of("memory/later") is report_of("memory")
    assert report_of("unknown") is ROUND_TRIPS


@pytest.mark.parametrize("name", ["messaging/later", "unknown"])
def test_what_other_versions_have_measured_has_its_figures_in_the_table(name):
    rows = [row(experiment=name, pairs=many, **times(1.9, 2.0, 500_000.0)) for many in (1, 100)]
    table = {column.title: column.cells for column in columns(name, rows, rows)}
    assert table["pairs"] == ("1", "100")
    assert table["median"] == ("1.90 µs",) * 2
    assert table["trips/s"] == ("500 k",) * 2


def test_no_experiment_is_named_where_all_are_shown():
    # Names of one word are also names of families, or English.
    names = {name for name in EXPERIMENTS if "/" in name}
    texts = [
        (path.name, node.value)
        for path in SHARED
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
    ]
    assert [(file, text) for file, text in texts if text in names] == []


def test_each_format_is_one_module_and_published_under_a_name_of_its_own():
    assert PICTURES == ("png", "svg", "pdf")
    for one in FORMATS.values():
        assert one.write is None or callable(one.write.load())
    files = [one.file for one in FORMATS.values() if one.file]
    assert len(set(files)) == len(files)
