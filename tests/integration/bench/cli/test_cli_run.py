"""`formicary bench` as it is typed: what it prints, and how it refuses."""

import json
import os
from pathlib import Path

import pytest

from formicary.server import process

TINY = ("--rounds", "5,20,5", "--repeat", "1")

KEYS = {
    "experiment", "platform", "placement", "route", "parameters", "round_trips", "figures", "full_load",
}  # fmt: skip
FIGURES = {"rtt_mean_us", "rtt_p50_us", "rtt_p99_us", "round_trips_per_s"}


def test_a_run_prints_a_summary_and_leaves_a_folder_that_can_be_shown(bench, tmp_path):
    ran = bench("run", "messaging/pairs", "--pairs", 3, "--placement", "same-container", *TINY)
    assert ran.code == 0, ran.err
    assert "inconclusive: asyncio tasks" in ran.out
    (folder,) = (tmp_path / "runs").iterdir()
    assert f"runs/{folder.name}/report.html" in ran.out
    assert f"formicary bench show runs/{folder.name}" in ran.out
    assert (folder / "report.html").stat().st_size > 10_000

    (folder / "report.html").unlink()
    shown = bench("show", folder)
    assert shown.code == 0
    assert (folder / "report.html").exists()
    assert "What the papers conclude" not in ran.out
    assert "Pairs of agents, all talking at once" in shown.out

    rows = bench("show", folder, "--json").rows
    assert [(row["platform"], row["kind"]) for row in rows] == [
        ("formicary", "behaviours"), ("formicary", "micro"), ("tasks", ""), ("callbacks", ""),
    ]  # fmt: skip
    for row in rows:
        assert row.keys() >= KEYS
        sizes, figures = row["parameters"], row["figures"]
        assert (sizes["pairs"], sizes["payload_bytes"], row["round_trips"]) == (3, 100, 60)
        assert figures.keys() >= FIGURES
        assert len(figures["rtt_mean_us"]["ci95"]) == 2
        least, median, most = (figures[f"rtt_{name}_us"]["mean"] for name in ("min", "p50", "max"))
        assert 0 < least <= median <= most
        assert figures["round_trips_per_s"]["mean"] > 0


def test_all_tables_are_printed_where_they_are_asked_for(bench):
    ran = bench("run", "create", "--agents", 5, "--platform", "tasks", "--repeat", 1, "--tables")
    assert "Hash of the run" in ran.out
    assert "All tables" not in ran.out


def test_json_has_nothing_but_lines_of_json(bench, tmp_path):
    ran = bench(
        "run",
        "create",
        "--agents",
        "1,50",
        "--repeat",
        1,
        "--seed",
        7,
        "--json",
        "--output",
        tmp_path / "mine",
    )
    assert ran.code == 0, ran.err
    assert {(row["platform"], row["kind"], row["parameters"]["agents"]) for row in ran.rows} == {
        (platform, kind, agents)
        for platform, kind in (("formicary", "behaviours"), ("formicary", "micro"), ("tasks", ""))
        for agents in (1, 50)
    }
    assert all(row["figures"]["agents_per_s"]["mean"] > 0 for row in ran.rows)
    manifest = json.loads((tmp_path / "mine" / "manifest.json").read_text())
    assert manifest["complete"]
    assert manifest["options"] == {"experiment": "create", "agents": [1, 50], "repeat": 1, "seed": 7}


def test_the_list_names_every_experiment_with_its_source(bench):
    listed = bench("list", "--all")
    rows = bench("list", "--json").rows
    assert {row["name"] for row in rows} == {
        "messaging/pairs", "messaging/many-to-one", "messaging/size", "messaging/scale-out", "create",
        "messaging/broadcast", "messaging/fan-out-tree", "messaging/styles",
        "messaging/lower-bound", "messaging/location", "messaging/single-pair-size", "messaging/scale",
        "messaging/encryption", "messaging/open-loop", "messaging/saturation", "messaging/designs",
        "directory/register",
        "directory/deregister", "directory/search", "directory/propagation", "directory/churn",
        "memory", "memory/growth", "network", "messaging/cpu", "directory/cpu-register",
        "directory/cpu-search", "mobile/web-shop",
        "mobile/create-local", "mobile/create-remote", "mobile/dispatch", "mobile/one-way", "mobile/two-way",
        "mobile/synchronize", "mobile/messenger", "mobile/roam", "mobile/proxy", "mobile/forward-messages",
        "mobile/forward-agents", "mobile/wake", "grid/swap", "service/mediated", "compute/speed-up",
        "traffic/ring", "traffic/massive-reception", "traffic/pool-size", "traffic/speed-up",
        "observe/watch", "directory/hosts", "directory/clients", "compute/mix", "grid/fairness",
        "messaging/serialisation", "mobile/mediators", "mobile/meeting",
        "protocols/request", "protocols/contract-net", "protocols/auction", "protocols/memory",
    }  # fmt: skip
    for row in rows:
        assert row["name"] in listed.out
        assert "20" in row["source"] or "our own" in row["source"]
        assert row["options"]


def test_the_help_of_run_has_its_options_in_groups_and_examples_of_each_way_to_begin(bench):
    text = bench("run", "--help").out
    titles = [line.split()[1:-1] for line in text.splitlines() if line.startswith("╭─ ")]
    groups = [" ".join(words).strip("─ ") for words in titles]
    assert groups == ["Arguments", "Options", "Selection", "Placement", "Workload", "Method", "Output"]
    examples = text.partition("Examples:")[2]
    assert all(f"--{option} " in examples for option in ("preset", "plan", "resume"))
    assert "--dry-run" in examples


def test_a_dry_run_says_what_would_be_measured_and_measures_nothing(bench, tmp_path):
    words = ("run", "messaging/pairs", "--preset", "paper", "--placement", "same-container", "--dry-run")
    said = bench(*words)
    assert said.code == 0
    assert "24 configurations, 72 measurements, about " in said.out
    rows = bench(*words, "--json").rows
    assert [row["repetitions"] for row in rows] == [3] * 24
    assert all(row["seconds"] > 0 for row in rows)
    assert {row["configuration"].split("/")[1] for row in rows} == {"pairs"}
    assert list(tmp_path.iterdir()) == []


def test_what_a_run_took_is_what_a_dry_run_says(bench):
    words = ("create", "--platform", "tasks", "--agents", "50", "--repeat", "2", "--output", "mine")
    assert bench("run", *words).code == 0
    (took,) = json.loads((Path(os.environ["XDG_CACHE_HOME"]) / "formicary/durations.json").read_text())[
        "took"
    ]
    (row,) = bench("run", *words[:-2], "--dry-run", "--json").rows
    assert row["seconds"] == pytest.approx(2 * took[1], abs=0.1)


def test_a_plan_is_made_checked_and_run(bench, tmp_path):
    made = bench("plan", "new", "plan.toml", "create")
    assert (
        made.out == "plan.toml measures 1 experiment; check it with: formicary bench plan check plan.toml\n"
    )
    text = (tmp_path / "plan.toml").read_text()
    (tmp_path / "plan.toml").write_text(text + 'platform = "tasks"\nagents = 50\n')
    checked = bench("plan", "check", "plan.toml")
    assert checked.out.endswith("is valid: 1 experiment, 1 configuration, 1 measurement\n")
    ran = bench("run", "--plan", "plan.toml", "--output", "mine", "--json")
    assert [(row["platform"], row["parameters"]["agents"]) for row in ran.rows] == [("tasks", 50)]
    (tmp_path / "plan.toml").write_text(text + "agnts = 50\nrepeat = 0\n")
    refused = bench("plan", "check", "plan.toml")
    assert refused.code == 2
    assert "plan.toml has 2 mistakes:" in refused.err
    assert "did you mean agents?" in refused.err


@pytest.mark.parametrize("command", [["run"], ["list"], ["show"]])
def test_help_has_examples(bench, command):
    asked = bench(*command, "--help")
    assert asked.code == 0
    assert f"formicary bench {command[0]}" in asked.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "messaging/pear"], "did you mean messaging/pairs?"),
        (["run", "quick", "--pairs", "0"], "--pairs takes whole numbers from 1"),
        (["run", "quick", "--pairs", "-1"], "--pairs takes whole numbers from 1"),
        (["run", "quick", "--pairs", "ten"], "--pairs takes whole numbers from 1"),
        (["run", "create", "--placement", "two-containers"], "create has no placement two-containers"),
        (["run", "quick", "--platform", "tsk"], "did you mean tasks?"),
        (["show", "nowhere"], "no folder nowhere"),
        (["show", "."], "is not the folder of a run"),
    ],
)
def test_a_mistake_is_one_sentence_and_an_exit_code(bench, tmp_path, arguments, sentence):
    refused = bench(*arguments)
    assert refused.code == 2
    assert refused.out == ""
    assert refused.err.startswith("formicary: ")
    assert sentence in refused.err
    assert refused.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["{", '{"format_version": 99}'])
def test_a_broken_or_newer_folder_is_refused(bench, tmp_path, text):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "manifest.json").write_text(text)
    refused = bench("show", folder)
    assert refused.code == 2
    assert refused.err.count("\n") == 1
    assert [path.name for path in folder.iterdir()] == ["manifest.json"]


def test_a_place_that_cannot_be_written_is_refused(bench, tmp_path):
    (tmp_path / "file").touch()
    refused = bench("run", "create", "--agents", 1, "--repeat", 1, "--output", "file/run")
    assert refused.code == 2
    assert "file/run cannot be written" in refused.err
    assert "free some space" not in refused.err  # a place is missing, and no space
    assert refused.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_folder_that_is_there_is_not_overwritten(bench, tmp_path):
    refused = bench("run", "create", "--agents", 1, "--repeat", 1, "--output", tmp_path)
    assert refused.code == 2
    assert "already exists" in refused.err
    assert tmp_path.is_dir()
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def _no_prosody(monkeypatch):
    monkeypatch.setattr(process, "_ALSO_IN", ())
    monkeypatch.setenv("PATH", "")


@pytest.mark.usefixtures("_no_prosody")
def test_without_prosody_what_goes_through_it_is_left_out_and_the_run_goes_on(bench, tmp_path):
    ran = bench(
        "run", "messaging/pairs", "--pairs", 1, *TINY, "--platform", "formicary-behaviours,components,tcp"
    )
    assert ran.code == 0
    left_out = "left out for want of an XMPP server: formicary-behaviours by xmpp, components by xmpp"
    assert left_out in ran.err
    assert "prosody is not installed" in ran.err
    (folder,) = (tmp_path / "runs").iterdir()
    rows = bench("show", folder, "--json").rows
    assert {row["route"] for row in rows} == {"in-process", "direct", "tcp"}
    assert "Left out for want of an XMPP server" in (folder / "report.html").read_text()


@pytest.mark.usefixtures("_no_prosody")
@pytest.mark.parametrize(
    "asked",
    [
        ("--platform", "formicary-micro,tcp"),
        pytest.param((), marks=pytest.mark.full("the same with all platforms")),
    ],
)
def test_two_containers_without_any_server(bench, asked):
    ran = bench("run", "links", "--route", "direct", "--tls", "on,off", "--pairs", 2, *asked, *TINY, "--json")
    assert ran.code == 0, ran.err
    assert "left out for want" not in ran.err
    pairs = [row for row in ran.rows if row["experiment"] == "messaging/pairs"]
    assert {(row["platform"], row["kind"], row["route"], row["tls"]) for row in pairs} == {
        (*who, tls)
        for who in (
            ("formicary", "behaviours", "direct"), ("formicary", "micro", "direct"),
            ("formicary-unnumbered", "", "direct"), ("tcp", "", "tcp"),
        )
        if not asked or who[1] == "micro" or who[0] == "tcp"
        for tls in (True, False)
    }  # fmt: skip
    assert {row["round_trips"] for row in ran.rows} == {40}
    assert {row["parameters"]["payload_bytes"] for row in ran.rows} == {100, 100_000}


@pytest.mark.usefixtures("_no_prosody")
@pytest.mark.parametrize("asked", [("--route", "xmpp,direct"), ("--platform", "components")])
def test_without_prosody_what_was_asked_for_by_its_name_is_refused(bench, tmp_path, asked):
    refused = bench("run", "messaging/pairs", "--pairs", 1, *asked, *TINY)
    assert refused.code == 3
    assert "prosody is not installed; install it" in refused.err
    assert refused.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
