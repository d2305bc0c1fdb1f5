"""`bench compare --interleave`: two environments measure in turn, and a run of theirs counts once."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.unit.bench import synthetic
from tests.unit.bench.synthetic import add_repetition, make_run, plan

from formicary.cli import main
from formicary_bench.cli import interleave
from formicary_bench.results.verdicts.pairing import pair_all
from formicary_bench.statistics.comparisons import Verdict, compare
from formicary_bench.vocabulary.metrics import TIME

ONE = [one for one in plan(pairs=(1,)) if (one.platform, one.kind) == ("formicary", "micro")]


@pytest.fixture
def bench(capsys):
    """Run `formicary bench`; return its exit code and output."""

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["bench", *map(str, arguments)])
        return ended.value.code or 0, *capsys.readouterr()

    return call


@pytest.fixture
def environment(tmp_path):
    """Make a fake virtual environment, whose Python is a script."""

    def make(name, script):
        python = tmp_path / name / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.write_text(f"#!/bin/sh\n{script}\n")
        python.chmod(0o755)
        return python.parent.parent

    return make


@pytest.fixture
def measured(monkeypatch, environment):
    """Make two environments that measure at once, one twice as slow as the other; return their commands."""
    asked = []

    def measure(command, path):
        asked.append((Path(command[0]).parts[-3], path.name, command[6:]))
        if len(asked) > measured.most:
            raise KeyboardInterrupt
        slow = {
            key: replace(speed, alone=speed.alone * (1 + ("slow" in command[0])))
            for key, speed in synthetic.SPEEDS.items()
        }
        with monkeypatch.context() as patched:
            patched.setattr(synthetic, "SPEEDS", slow)
            run = make_run(path, ONE, repetitions=0)
            add_repetition(run, ONE[0], 1, seed=1000 * len(asked), others_cores=measured.others)

    def measured():
        return environment("fast", "exit 0"), environment("slow", "exit 0"), asked

    measured.most, measured.others = 1000, 0.1
    monkeypatch.setattr(interleave, "_run", measure)
    return measured


def test_they_measure_in_turn_and_are_compared_by_runs(measured, bench, tmp_path):
    fast, slow, asked = measured()
    words = ["--interleave", slow, fast, "--runs", 5, "--output", tmp_path / "runs", "--json"]
    code, out, _ = bench("compare", *words, "--", "messaging/pairs", "--pairs", 1)
    assert code == 0
    assert [who for who, *_ in asked] == ["slow", "fast"] * 5
    assert [name for _, name, _ in asked[-2:]] == ["run-5", "base-5"]
    assert {tuple(words) for *_, words in asked} == {("messaging/pairs", "--pairs", "1")}
    found = {one["metric"]: one for one in map(json.loads, out.splitlines())}
    assert found[TIME.name]["verdict"] == "slower"
    assert "by 5 runs against 5" in found[TIME.name]["sentence"]
    assert (found[TIME.name]["run"], found[TIME.name]["base"]) == (str(slow), str(fast))


def test_after_ctrl_c_what_there_is_is_compared(measured, bench, tmp_path):
    fast, slow, _ = measured()
    measured.most = 11
    words = ["--interleave", slow, fast, "--runs", 9, "--output", tmp_path / "runs"]
    code, out, err = bench("compare", *words, "--to", tmp_path / "page.html")
    assert code == 130
    assert "by 5 runs against 5" in out
    assert err.splitlines()[-1] == "formicary: interrupted; compared by 5 of 9 runs of each"
    assert f"{slow} against {fast}" in (tmp_path / "page.html").read_text()


def test_a_busy_machine_is_said_at_once_and_nothing_is_told_of_it(measured, bench, tmp_path):
    fast, slow, _ = measured()
    measured.others = 2.0
    words = ["--interleave", slow, fast, "--runs", 5, "--output", tmp_path / "runs"]
    code, out, err = bench("compare", *words)
    assert code == 0
    assert (
        err.splitlines()[0]
        == "! other processes use 50% of the machine: close them, or results will be inconclusive"
    )
    assert out.splitlines()[-1] == "2 inconclusive"


def test_ctrl_c_before_both_have_measured_leaves_nothing_to_compare(measured, bench, tmp_path):
    fast, slow, _ = measured()
    measured.most = 1
    code, out, err = bench("compare", "--interleave", slow, fast, "--output", tmp_path / "runs")
    assert (code, out) == (130, "")
    assert err.splitlines()[-1] == "formicary: interrupted before both were measured"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 1", "has no formicary_bench: install it there: "),
        (
            'case "$*" in *bench*) echo "formicary: no such thing" >&2; exit 2;; esac',
            "could not measure that: no such thing",
        ),
    ],
)
def test_an_environment_that_cannot_is_one_sentence_and_leaves_no_folder(
    bench, environment, tmp_path, script, said
):
    there = environment("other", script.replace("*bench*", '*"bench run"*'))
    code, out, err = bench("compare", "--interleave", there, there, "--output", tmp_path / "runs")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert not (tmp_path / "runs").exists()


def test_what_is_no_python_and_folders_that_are_there_are_refused(bench, tmp_path):
    code, _, err = bench("compare", "--interleave", tmp_path, sys.executable)
    assert (code, err.count("\n")) == (2, 1)
    assert "is not a Python" in err
    (tmp_path / "broken").write_bytes(b"\x7fELF")
    (tmp_path / "broken").chmod(0o755)
    code, _, err = bench("compare", "--interleave", tmp_path / "broken", sys.executable)
    assert (code, err.count("\n")) == (2, 1)
    assert "cannot be started" in err
    code, _, err = bench("compare", "--interleave", *[sys.executable] * 2, "--output", tmp_path)
    assert (code, err.count("\n")) == (2, 1)
    assert "already exists" in err


def test_what_to_measure_goes_with_interleave(bench):
    code, _, err = bench("compare", "runs/a", "runs/b", "quick")
    assert (code, err.count("\n")) == (2, 1)
    assert "goes with --interleave" in err


def test_a_run_counts_once_however_many_repetitions_it_has(tmp_path, monkeypatch):
    """Runs of one version that differ by 2%: by repetitions they are told apart, by runs they are not."""
    random, plain = np.random.default_rng(1), dict(synthetic.SPEEDS)

    def run(name, seed, luck):
        speeds = {key: replace(speed, alone=speed.alone * luck) for key, speed in plain.items()}
        monkeypatch.setattr(synthetic, "SPEEDS", speeds)
        made = make_run(tmp_path / name, ONE, repetitions=0)
        for number in range(1, 11):
            add_repetition(made, ONE[0], number, seed=seed + number)
        return made

    sides = [
        [run(f"{side}-{n}", 1000 * place + 100 * n, random.lognormal(0, 0.02)) for n in range(5)]
        for place, side in enumerate(("run", "base"), 1)
    ]
    (by_runs,) = [one for one in pair_all(*sides).paired if one.metric == TIME]
    assert len(by_runs.contrast.values) == len(by_runs.contrast.base) == 5
    assert compare([by_runs.contrast])[0].verdict not in {Verdict.FASTER, Verdict.SLOWER}
    blocks = [pair_all([one], [other]).paired for one, other in zip(*sides, strict=True)]
    times = [one.contrast for found in blocks for one in found if one.metric == TIME]
    told = {compare([one])[0].verdict for one in times}
    assert told & {Verdict.FASTER, Verdict.SLOWER}
