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
        (["mesaging"], "no group, .* is called 'mesaging'; groups are messaging, create,"),
        (["memory", "--where", "date>=2026-01-01"], "--where lists runs"),
        (["--runs", "runs"], "add --where"),
    ],
)
def test_what_is_refused(bench, arguments, says):
    with pytest.raises(UsageError, match=says):
        bench("list", *arguments)


@pytest.mark.parametrize(
    ("asked", "experiments"),
    [
        ("Alberola 2010, Fig. 9", {"messaging/many-to-one"}),
        ("alberola fig 6", {"messaging/pairs"}),
        ("Alberola 2010, Table 3", {"messaging/cpu"}),
        ("burbeck figure 4", {"messaging/scale"}),
        ("Pérez-Carro 2013, Fig. 5c", {"traffic/massive-reception"}),
        ("perez-carro fig. 9", {"traffic/speed-up"}),
        ("Dikaiakos 2001, Fig. 18", {"mobile/forward-messages"}),
        ("frantz table 2", {"grid/swap"}),
    ],
)
def test_a_figure_of_a_paper_has_the_command_that_repeats_it(bench, asked, experiments):
    commands = [line.split() for line in bench("list", asked) if line.startswith("  formicary bench run ")]
    assert {words[3] for words in commands} == experiments
    assert all(words[4:6] == ["--preset", "paper"] for words in commands)


def test_a_paper_has_all_of_its_experiments(bench):
    text = "\n".join(bench("list", "alberola"))
    assert all(
        (f"run {one.name} " in text) == ("Alberola" in one.source)
        for one in EXPERIMENTS.values()
        if one.is_of_paper
    )
    assert "--hosts hosts.toml" in text
    found = [json.loads(line) for line in bench("list", "Burbeck 2004", "--json")]
    assert {one["again"] for one in found} >= {
        "formicary bench run messaging/location --preset paper --hosts hosts.toml"
    }


def test_every_figure_that_a_chart_is_made_after_can_be_asked_for(bench):
    for one in EXPERIMENTS.values():
        if one.is_of_paper:
            assert f"  {one.again}" in "\n".join(bench("list", one.source.split("; ")[0]))


def test_a_selection_answers_with_its_command_and_experiments(bench):
    first, *rest = bench("list", "quick")
    assert first.startswith("formicary bench run quick: ")
    assert "messaging/pairs" in "\n".join(rest)


@pytest.mark.parametrize("asked", ["Alberola 2010, Table 1", "alberola table 1"])
def test_the_table_of_features_is_printed_with_our_line(bench, asked):
    text = [line.split() for line in bench("list", asked)]
    assert ["Platform", "Language", "O.S.", "FIPA", "Sec.", "Org.", "Comm."] in text
    assert ["MadKit", "Java", "✓", "-", "-", "✓", "Sockets"] in text
    assert any(words[:2] == ["Formicary", "Python"] for words in text)
    found = [json.loads(line) for line in bench("list", asked, "--json") if line.startswith("{")]
    assert len(found) == 35


def test_what_is_nowhere_is_refused(bench):
    with pytest.raises(UsageError, match="no group, experiment, selection or figure of a paper is called"):
        bench("list", "Alberola 2010, Fig. 99")
