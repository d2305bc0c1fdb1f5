"""`formicary bench list` fits a screen; all about experiments is a word away."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from formicary.errors import UsageError
from formicary_bench.cli import app
from formicary_bench.cli.listing import GROUPS
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.experiments.selections import SELECTIONS


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments):
        done = CliRunner().invoke(app, arguments)
        if isinstance(done.exception, Exception):
            raise done.exception
        return done.stdout.splitlines()

    return run


def test_groups_and_selections_fit_a_screen(bench):
    lines = bench("list")
    assert len(lines) < 24
    assert max(map(len, lines)) <= 80
    words = {line.split()[0] for line in lines if line.startswith("  ")}
    assert words == {one.family for one in EXPERIMENTS.values()} | {*SELECTIONS}
    assert [*GROUPS] == [*dict.fromkeys(one.family for one in EXPERIMENTS.values())]


@pytest.mark.parametrize("name", ["memory", "memory/growth"])
def test_details_of_a_group_or_of_one_fit_80_columns(bench, name):
    lines = bench("list", name)
    assert max(map(len, lines)) <= 80
    assert "memory/growth" in "\n".join(lines)
    assert ("Alberola" in "\n".join(lines)) is (name == "memory")


def test_all_of_them(bench):
    text = "\n".join(bench("list", "--all"))
    assert all(name in text for name in EXPERIMENTS)


def test_json_is_complete_or_that_of_a_group(bench):
    lines = [json.loads(line) for line in bench("list", "--json")]
    assert [line["name"] for line in lines] == [*EXPERIMENTS]
    assert all({"what", "source", "options", "placements", "sizes"} <= {*line} for line in lines)
    assert [json.loads(line)["name"] for line in bench("list", "memory", "--json")] == [
        "memory",
        "memory/growth",
    ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["mesaging"], "there is no group or experiment 'mesaging'; groups are messaging, create,"),
        (["memory", "--where", "date>=2026-01-01"], "with --where old runs are listed"),
        (["--runs", "runs"], "add --where"),
    ],
)
def test_what_is_refused(bench, arguments, says):
    with pytest.raises(UsageError, match=says):
        bench("list", *arguments)
