"""What `bench compare` and `bench gate` say of runs that cannot be compared, or only in part."""

import json
import shutil

import msgspec
import pytest
from tests.unit.bench.synthetic import MACHINE, create_plan, make_run, plan

from formicary.cli import main
from formicary_bench.results.store.folder import MANIFEST, RAW
from formicary_bench.results.store.model import FORMAT_VERSION
from formicary_bench.results.verdicts.pairing import pair
from formicary_bench.vocabulary.metrics import P99, RATE, TIME, TOTAL

ONE = [one for one in plan(pairs=(1, 10)) if (one.platform, one.kind) == ("formicary", "micro")]

NEWER = f"was made by a newer formicary (format {FORMAT_VERSION + 1}; this one reads up to {FORMAT_VERSION})"


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return make_run(tmp_path_factory.mktemp("runs") / "sound", ONE, repetitions=5).path


@pytest.fixture
def bench(capsys):
    """Run `formicary bench`; return its exit code and output."""

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["bench", *map(str, arguments)])
        return ended.value.code or 0, *capsys.readouterr()

    return call


def no_manifest(path):
    (path / MANIFEST).unlink()


def cut_manifest(path):
    text = (path / MANIFEST).read_bytes()
    (path / MANIFEST).write_bytes(text[: len(text) // 2])


def newer(path):
    known = json.loads((path / MANIFEST).read_text())
    (path / MANIFEST).write_text(json.dumps(known | {"format_version": FORMAT_VERSION + 1}))


def missing(path):
    min((path / RAW).iterdir()).unlink()


def cut(path):
    file = max((path / RAW).iterdir())
    file.write_bytes(file.read_bytes()[:-100])


def huge_counter(path):
    known = json.loads((path / MANIFEST).read_text())
    known["repetitions"][0]["counters"] = {"round_trips": 1e300}
    (path / MANIFEST).write_text(json.dumps(known))


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (no_manifest, ("it has no manifest.json", "specify a folder that a run")),
        (cut_manifest, ("is broken (Input data was truncated)", "fetch the folder again, or run again")),
        (newer, (NEWER, "upgrade with")),
        (missing, ("are missing", "copy the whole run folder, or run again")),
        (cut, ("cannot be read (", "fetch the file again")),
        (huge_counter, ("is broken (Expected `float` <=", "fetch the folder again")),
    ],
)
def test_a_broken_folder_is_one_sentence(bench, sound, tmp_path, damage, said):
    broken = tmp_path / "broken"
    shutil.copytree(sound, broken)
    damage(broken)
    for arguments in (
        ("compare", broken, sound),
        ("compare", sound, broken, "--json"),
        ("gate", broken, "--against", sound),
        ("gate", sound, "--against", broken),
    ):
        code, out, err = bench(*arguments)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert err.startswith("formicary: ")
        assert all(part in err for part in said)


def test_partly_different_experiments_are_compared_in_part_and_that_is_said(bench, sound, tmp_path):
    more = make_run(tmp_path / "more", [*ONE[:1], *create_plan()[:1]], repetitions=5).path
    code, out, err = bench("compare", more, sound)
    assert (code, err) == (0, "")
    assert out.startswith(
        "! 1 configuration only in BASE: messaging/pairs: Micro-agents, 10 pairs\n"
        "! 1 configuration only in RUN: create: Agents\n\nmessaging/pairs\n  Micro-agents, 1 pair\n"
    )
    code, out, _ = bench("gate", more, "--against", sound)
    assert code == 3
    assert out.splitlines()[-1].startswith(
        "inconclusive, as of all figures: 2 not slower, 1 of BASE not measured"
    )
    # A base with fewer has nothing that is lacking.
    fewer = make_run(tmp_path / "fewer", ONE[:1], repetitions=5).path
    code, out, _ = bench("gate", sound, "--against", fewer)
    assert code == 0
    assert "! 1 configuration only in RUN: messaging/pairs: Micro-agents, 10 pairs\n" in out
    assert out.splitlines()[-1] == "not slower, as of all figures: 2 not slower"


def test_other_machines_are_compared_and_that_is_said(bench, sound, tmp_path):
    other = msgspec.structs.replace(MACHINE, host="lab-4", usable=2)
    theirs = make_run(tmp_path / "theirs", ONE, repetitions=5, machine=other).path
    code, out, err = bench("compare", sound, theirs, "--json")
    assert code == 0
    assert err == "! they differ in host: lab-3 against lab-4\n! they differ in usable cores: 4 against 2\n"
    assert {json.loads(line)["verdict"] for line in out.splitlines()} == {"no difference found"}


def test_a_partial_run_is_compared_and_that_is_said(bench, sound, tmp_path):
    partial = make_run(tmp_path / "partial", ONE, repetitions=5, complete=False).path
    code, out, _ = bench("compare", partial, sound)
    assert code == 0
    assert out.startswith(f"! {partial} is partial: not everything that was planned was measured\n")


@pytest.mark.parametrize("command", [["compare", "{0}", "{1}"], ["gate", "{0}", "--against", "{1}"]])
def test_where_nothing_counts_it_is_said(bench, sound, tmp_path, command):
    run = make_run(tmp_path / "loaded", ONE, repetitions=5)
    invalid = [msgspec.structs.replace(one, invalid=("a host was busy",)) for one in run.manifest.repetitions]
    run._save(msgspec.structs.replace(run.manifest, repetitions=tuple(invalid)))
    code, out, _ = bench(*(word.format(run.path, sound) for word in command))
    assert code == (3 if command[0] == "gate" else 0)
    assert f"5 repetitions of {ONE[0].key} are not valid and are ignored" in out
    assert out.splitlines()[-1].endswith("nothing to compare")


@pytest.mark.parametrize(
    ("allowed", "code"), [("0%", 3), ("0", 3), ("500%", 0), (" 5 % ", 0), ("1e1%", 0), ("1000%", 0)]
)
def test_what_may_be_allowed(bench, sound, tmp_path, allowed, code):
    again = make_run(tmp_path / "again", ONE, repetitions=5)
    assert bench("gate", again.path, "--against", sound, "--max-slowdown", allowed)[0] == code


@pytest.mark.parametrize("allowed", ["-5%", "1001%", "five", "5%%", "inf%", "nan", "", "%", "5 percent"])
def test_what_may_not(bench, sound, allowed):
    code, out, err = bench("gate", sound, "--against", sound, "--max-slowdown", allowed)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "a percentage from 0% to 1000%, such as 5%" in err


def test_a_gate_without_a_base_says_how_to_name_one(bench, sound):
    code, out, err = bench("gate", sound)
    assert (code, out) == (2, "")
    assert "--against" in err


@pytest.mark.parametrize(
    ("experiment", "about", "figures"),
    [
        ("messaging/lower-bound", {}, {TIME, TOTAL, RATE}),
        ("messaging/open-loop", {"rate": 1000, "arrivals": "constant"}, {TIME, P99}),
    ],
)
def test_runs_are_compared_by_what_their_experiment_is_about(tmp_path, experiment, about, figures):
    like = [msgspec.structs.replace(one.sized(**about), experiment=experiment) for one in ONE]
    run = make_run(tmp_path / "run", like, repetitions=2)
    found = pair(run, run).paired
    assert {one.metric.name for one in found} == {metric.name for metric in figures}
    assert {one.contrast.is_rate for one in found if one.metric.name != RATE.name} == {False}
