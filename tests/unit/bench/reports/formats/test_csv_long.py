"""A run in long form: one value in each line, with all that tells it from those of other runs."""

import csv
import io
import json

import pytest
from tests.unit.bench.synthetic import EVIL, make_run, plan

from formicary_bench.reports.document.sections import Document
from formicary_bench.reports.formats import csv_long
from formicary_bench.vocabulary.metrics import TIME


def lines_of(run):
    stream = io.StringIO()
    csv_long.write(Document(run), stream)
    return list(csv.DictReader(stream.getvalue().splitlines()))


def test_each_value_is_a_line_with_run_machine_date_version_and_seed(quick_run):
    document, lines = Document(quick_run), lines_of(quick_run)
    assert tuple(lines[0]) == csv_long.COLUMNS
    same = {(one["run_hash"], one["machine"], one["date"], one["version"]) for one in lines}
    assert same == {(document.hash, "lab-3", "2026-03-14", "0.1.0")}
    row = next(one for one in document.rows if one.kind == "micro" and one.exchange.pairs == 10)
    found = [
        one
        for one in lines
        if (one["experiment"], one["kind"], one["metric"]) == (row.experiment, "micro", TIME.name)
        and json.loads(one["parameters"])["pairs"] == 10
    ]
    assert {one["unit"] for one in found} == {TIME.unit}
    assert [float(one["value"]) for one in found] == pytest.approx(
        [one.values[TIME.name] for one in row.each]
    )
    seeds = {str(one.number): str(one.seed) for one in quick_run.manifest.repetitions}
    assert [one["repetition"] for one in found] == ["1", "2"]
    assert all(one["seed"].startswith(one["repetition"]) for one in found)
    assert len(seeds) == 2
    assert {one["experiment"] for one in lines} == {"messaging/pairs", "create"}


def test_files_can_be_put_together_and_names_are_text(tmp_path):
    runs = [
        make_run(tmp_path / name, plan(pairs=(1,))[:1], formicary=v)
        for name, v in (("a", "1"), ("b", f"={EVIL}"))
    ]
    lines = [one for run in runs for one in lines_of(run)]
    assert {one["version"][0] for one in lines} == {"1", "'"}
    assert len({one["run_hash"] for one in lines}) == 2
