"""`formicary bench platforms`: what is listed, added, installed and removed."""

import io
import json
import re
import sys

import pytest
from rich.console import Console
from tests.integration.bench.subjects.drivers.conftest import GOOD, bad, hello_of, keep

from formicary_bench.cli.platform_tables import in_short, listed, overview
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.subjects.drivers.installed import installed
from formicary_bench.subjects.drivers.recipes import RECIPES


def rows_of(ended):
    return {row["name"]: row for row in ended.rows}


def test_all_platforms_are_listed_with_what_is_missing(bench):
    ended = bench("platforms", "--json")
    assert ended.code == 0
    rows = rows_of(ended)
    assert {"formicary-behaviours", "spade", "tcp", "jade", "jason", "mango"} <= rows.keys()
    assert rows["tcp"]["missing"] == []
    assert "messaging/pairs" in rows["tcp"]["experiments"]
    assert "install it with: formicary bench platforms install jade" in rows["jade"]["missing"][-1]


def test_the_table_fits_on_80_columns_and_has_all_platforms():
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(overview(listed()))
    lines = console.export_text().splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) < 60
    assert {"tcp", "spade", "formicary-micro"} <= {line.split()[0] for line in lines if line.strip()}
    assert [line.split() for line in lines if line.startswith(" spade")] == [["spade", "not", "installed"]]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ((), ""),
        (("create",), "create"),
        (("messaging/size", "network"), "messaging/size; network"),
        (("messaging/size", "messaging/pairs", "else/where"), "messaging: 2 of 17; else/where"),
        (tuple(one.name for one in EXPERIMENTS.values() if one.family == "directory"), "directory"),
    ],
)
def test_many_experiments_are_said_in_short(names, said):
    assert "; ".join(in_short(names)) == said


def test_all_about_one_platform_is_shown_by_its_name(bench):
    ended = bench("platforms", "show", "tcp")
    assert ended.code == 0
    assert {"tcp", "messaging/lower-bound", "two-containers"} <= set(ended.out.split())
    assert "jade" not in ended.out


def test_how_a_platform_is_run_and_when_it_is_measured_is_shown(bench):
    said = " ".join(bench("platforms", "show", "jason-pool").out.split())
    assert "as many threads as there are processors" in said
    assert "rounds of about 0.5 s in one process, until" in said
    assert all(recipe.run_as.endswith(".") for recipe in RECIPES.values())
    keep(GOOD, hello_of(GOOD))
    said = " ".join(bench("platforms", "show", "good").out.split())
    assert "cold: its driver makes one round per process" in said


def test_a_name_that_nothing_has_is_refused(bench):
    ended = bench("platforms", "show", "jad")
    assert ended.code == 2
    assert "no platform 'jad'; see: formicary bench platforms" in ended.err


def test_a_driver_is_added_used_and_removed(bench):
    ended = bench("platforms", "add", "--", *GOOD)
    assert (ended.code, ended.out) == (
        0,
        "good 1.0 can be measured: same-container, two-containers, two-hosts\n",
    )
    row = rows_of(bench("platforms", "--json"))["good"]
    assert (row["version"], row["missing"], row["most_pairs"]) == ("1.0", [], 50)
    once = ("--pairs", 1, "--rounds", "2,9,2", "--repeat", 1)
    ended = bench("run", "messaging/pairs", "--platform", "good,tasks", *once, "--json")
    assert ended.code == 0, ended.err
    assert {(row["platform"], row["route"]) for row in ended.rows} == {
        ("good", "in-process"),
        ("good", "own"),
        ("tasks", "in-process"),
    }
    assert bench("platforms", "remove", "good").code == 0
    assert "good" not in rows_of(bench("platforms", "--json"))
    ended = bench("run", "messaging/pairs", "--platform", "good")
    assert ended.code == 2
    assert "no platform 'good'" in ended.err


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("no-such-program",), "no program 'no-such-program'"),
        (bad("talks"), "the driver violated the driver protocol"),
        (bad("writes-half"), "bad wrote .* bytes of times"),
    ],
)
def test_what_is_no_driver_is_not_added(command, said, bench):
    ended = bench("platforms", "add", "--", *command)
    assert ended.code == 1
    (line,) = ended.err.splitlines()
    assert re.search(said, line)
    assert installed() == []


def test_a_relative_path_is_refused_as_a_driver_runs_elsewhere(bench, tmp_path):
    (tmp_path / "mine.py").write_text("")
    ended = bench("platforms", "add", "--", sys.executable, "mine.py")
    assert f"write {tmp_path / 'mine.py'} instead of mine.py" in ended.err


@pytest.mark.parametrize("name", ["tcp", "formicary", "jade"])
def test_a_name_that_is_taken_is_refused(name, bench, tmp_path):
    script = tmp_path / "named.py"
    hello = {
        "type": "hello",
        "protocol": 1,
        "name": name,
        "version": "1",
        "experiments": ["messaging/pairs"],
        "placements": ["same-container"],
    }
    script.write_text(f"print({json.dumps(json.dumps(hello))}, flush=True); input()")
    ended = bench("platforms", "add", "--", sys.executable, str(script))
    assert f"the platform {name} already exists: give the driver another name" in ended.err
    assert installed() == []


def test_what_is_not_installed_is_said_with_what_to_do(bench):
    ended = bench("run", "messaging/pairs", "--platform", "jade")
    assert ended.code == 2
    assert "jade is not installed; install it with: formicary bench platforms install jade" in ended.err


@pytest.mark.parametrize("verb", ["install", "remove"])
def test_an_unknown_name_is_refused(verb, bench):
    ended = bench("platforms", verb, "../jade")
    assert ended.code == 2
    assert "'../jade'" in ended.err


def test_a_folder_that_cannot_be_made_is_named(bench, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    ended = bench("platforms", "add", "--", *GOOD)
    assert ended.code == 1
    assert "set XDG_CACHE_HOME to another folder" in ended.err


def test_an_entry_that_cannot_be_read_is_listed_and_can_be_removed(bench, registry):
    keep(GOOD, hello_of(GOOD))
    (registry / "good" / "driver.json").write_text("{")
    row = rows_of(bench("platforms", "--json"))["good"]
    assert "remove it with: formicary bench platforms remove good" in row["missing"][0]
    assert bench("platforms", "remove", "good").code == 0
    assert list(registry.iterdir()) == []
