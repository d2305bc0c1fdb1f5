"""Runs that were kept have the same rows as ever, and every report; those in a former format are refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from formicary import cli
from formicary.errors import UsageError
from formicary_bench.reports.formats.html import render
from formicary_bench.results.store.folder import RunFolder

RUNS = Path(__file__).parent / "runs"
NAMES = sorted(path.name for path in RUNS.iterdir())


def without_noise(value):
    """Return a value of JSON with numbers rounded, so that last digits do not count."""
    match value:
        case float():
            return pytest.approx(value, rel=1e-6)
        case list():
            return [without_noise(each) for each in value]
        case dict():
            return {key: without_noise(each) for key, each in value.items()}
    return value


def known_before(now, before):
    """Return a value of JSON without keys that the former version lacked."""
    match now, before:
        case dict(), dict():
            return {key: known_before(now[key], before[key]) for key in before}
        case list(), list() if len(now) == len(before):
            return [known_before(*each) for each in zip(now, before, strict=True)]
    return now


def rows(name, folder):
    """Show a copy of a run, as showing also writes the page."""
    run = shutil.copytree(RUNS / name, folder / name)
    done = CliRunner().invoke(cli.app, ["bench", "show", str(run), "--json"])
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("name", NAMES)
def test_its_rows_are_those_of_the_version_that_made_it(name, tmp_path):
    former = [json.loads(line) for line in (RUNS / name / "rows.jsonl").read_text().splitlines()]
    for now, before in zip(rows(name, tmp_path), former, strict=True):
        assert known_before(now, before) == without_noise(before)


@pytest.mark.parametrize("name", NAMES)
def test_its_page_shows_every_experiment(name):
    run = RunFolder.open(RUNS / name)
    page = render(run)
    assert all(one.experiment in page for one in run.manifest.configurations)


def test_a_run_in_a_former_format_is_refused_with_what_to_do(tmp_path):
    manifest = json.loads((RUNS / "quick" / "manifest.json").read_text())
    (tmp_path / "manifest.json").write_text(
        json.dumps({**manifest, "format_version": 1, "formicary": "0.0.9"})
    )
    with pytest.raises(UsageError) as refused:
        RunFolder.open(tmp_path)
    assert str(refused.value) == (
        f"{tmp_path} was made by formicary '0.0.9' in format 1, and this version reads format 2: look at it "
        "with the version that made it, or run it again"
    )
