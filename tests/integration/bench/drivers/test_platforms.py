"""`formicary bench platforms`: what is listed, added, installed and removed."""

import json
import re
import sys

import pytest
from tests.integration.bench.drivers.conftest import GOOD, bad

from formicary_bench.drivers.installing import add
from formicary_bench.drivers.registry import installed


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


def test_an_extra_that_is_missing_is_named_in_the_table(bench, monkeypatch):
    monkeypatch.setattr("formicary_bench.platforms.catalogue.find_spec", lambda name: None)
    assert "formicary[spade]" in bench("platforms").out


def test_a_driver_is_added_used_and_removed(bench):
    ended = bench("platforms", "add", "--", *GOOD)
    assert (ended.code, ended.out) == (0, "good 1.0 can be measured: same-container, two-containers\n")
    row = rows_of(bench("platforms", "--json"))["good"]
    assert (row["version"], row["missing"], row["most_pairs"]) == ("1.0", [], 50)
    ended = bench(
        "run", "messaging/pairs", "--platform", "good,tasks", "--pairs", 1, "--rounds", "2,9,2", "--json"
    )
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
    assert "there is no platform 'good'" in ended.err


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("no-such-program",), "there is no program 'no-such-program'"),
        (bad("talks"), "the driver said what is not of the protocol of drivers"),
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
    assert f"there is a platform {name} already: give the driver another name" in ended.err
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


def programs(tmp_path, monkeypatch, **scripts):
    """Have only these programs be there."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_programs_that_are_missing_are_named(bench, tmp_path, monkeypatch):
    programs(tmp_path, monkeypatch, java="exit 0")
    ended = bench("platforms", "install", "jade")
    assert ended.code == 1
    assert "jade needs Maven (3.8 or later): install it, so that `mvn` runs" in ended.err
    assert "java" not in ended.err.lower().splitlines()[-1].split("jade needs")[1]


def test_what_maven_says_is_said_and_nothing_stays(bench, tmp_path, monkeypatch, registry):
    programs(tmp_path, monkeypatch, java="exit 0", mvn="echo Downloading; echo '[ERROR] no network'; exit 1")
    ended = bench("platforms", "install", "jade")
    assert ended.code == 1
    assert ended.err.splitlines()[-1] == "formicary: jade cannot be installed: mvn says: [ERROR] no network"
    assert list(registry.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_named(bench, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    ended = bench("platforms", "add", "--", *GOOD)
    assert ended.code == 1
    assert "name another folder with the environment variable XDG_CACHE_HOME" in ended.err


def test_an_entry_that_cannot_be_read_is_listed_and_can_be_removed(bench, registry):
    add(GOOD)
    (registry / "good" / "driver.json").write_text("{")
    row = rows_of(bench("platforms", "--json"))["good"]
    assert "remove it with: formicary bench platforms remove good" in row["missing"][0]
    assert bench("platforms", "remove", "good").code == 0
    assert list(registry.iterdir()) == []
