"""Which runs are gone on with, and what is said of others."""

import json
import os
import subprocess
import sys
from unittest import mock

import pytest
from msgspec.structs import replace
from tests.unit.bench.synthetic import MACHINE, add_repetition, make_run, plan

from formicary.errors import FormicaryError, UsageError
from formicary_bench.results.store.folder import RunFolder
from formicary_bench.results.store.machine import begin_manifest
from formicary_bench.runner.execution import resume
from formicary_bench.runner.execution.resources import Resources
from formicary_bench.runner.execution.resume import alone, refuse_other, reopen
from formicary_bench.runner.execution.run import _Run
from formicary_bench.runner.planning.run_plan import order_of


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run of which half is there, begun by this version on this machine."""
    folder = make_run(tmp_path / "run", plan(pairs=(1, 3))[:2])
    begun = begin_manifest({"experiment": "messaging/pairs", "repeat": 4, "seed": 7}, ())
    for field in ("formicary", "git", "machine", "options"):
        folder.manifest = replace(folder.manifest, **{field: getattr(begun, field)})
    folder.finish(complete=False)
    return folder


def edit(run, **fields):
    file = run.path / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **fields}))


def test_what_is_left_is_as_the_manifest_says(run):
    folder, run_plan = reopen(run.path, None)
    assert list(run_plan.repeats.values()) == [4, 4]
    assert run_plan.plan == list(run.manifest.configurations)
    assert folder.manifest == run.manifest
    assert order_of(folder.manifest) == order_of(run.manifest)


def test_a_complete_run_is_refused(run):
    edit(run, options={"repeat": 2, "seed": 7})
    with pytest.raises(UsageError, match=r"with all of its 4 measurements.*formicary bench show"):
        reopen(run.path, None)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"formicary": "0.0.1"}, r"was begun by formicary 0\.0\.1, and this is .*: resume it with"),
        ({"git": {"commit": "abcdef0123456789", "dirty": True}},
         r"was begun with other code \(abcdef0123 with changes; this is "),
        ({"format_version": 99}, "made by a newer formicary"),
        ({"options": {"repeat": 4}}, "does not record the order of its measurements: start a new run"),
        ({"options": {"repeat": "x", "seed": 7}}, "does not record the order"),
        ({"repeats": [1]}, "does not record the order"),
    ],
)  # fmt: skip
def test_a_run_of_another_version_is_refused_and_left_as_it_was(run, fields, said):
    edit(run, **fields)
    before = (run.path / "manifest.json").read_bytes()
    with pytest.raises(UsageError, match=said):
        reopen(run.path, None)
    assert (run.path / "manifest.json").read_bytes() == before


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("host", "lab-9", "host lab-9, here "),
        ("cpu", "Other CPU", "cpu Other CPU, here "),
        ("memory_bytes", 5, "memory bytes 5, here "),
        ("python", "CPython 3.99", r"python CPython 3\.99, here "),
        ("usable", 999, "usable 999, here "),
        ("libraries", {"numpy": "0.1"}, r"libraries numpy 0\.1, here "),
        ("governor", "slow", "governor slow, here "),
    ],
)
def test_a_run_of_another_machine_is_refused(run, field, value, said):
    edit(run, machine={**json.loads((run.path / "manifest.json").read_text())["machine"], field: value})
    with pytest.raises(UsageError, match=rf"was begun on another machine \({said}.*are not one run"):
        reopen(run.path, None)


def test_a_clock_that_is_at_another_speed_is_the_same_machine(run):
    machine = replace(run.manifest.machine, frequency_mhz=12.5)
    refuse_other(run.path, replace(run.manifest, machine=machine), begin_manifest({}, ()))


def test_another_prosody_and_other_hosts_are_refused(run):
    before = replace(run.manifest, machine=replace(run.manifest.machine, prosody="0.12.3"))
    now = begin_manifest({}, ())
    refuse_other(run.path, before, now)  # it takes no part any more
    newer = replace(now, machine=replace(now.machine, prosody="13.0.0"))
    with pytest.raises(UsageError, match=r"Prosody 0\.12\.3, here 13\.0\.0"):
        refuse_other(run.path, before, newer)
    over = replace(run.manifest, hosts={"a": MACHINE})
    refuse_other(run.path, over, replace(now, hosts={"a": MACHINE}))
    with pytest.raises(UsageError, match=r"host a, cpu Example CPU .*, here other"):
        refuse_other(run.path, over, replace(now, hosts={"a": replace(MACHINE, cpu="other")}))
    with pytest.raises(UsageError, match="host b, which took no part"):
        refuse_other(run.path, over, replace(now, hosts={"b": MACHINE}))


def test_a_run_over_hosts_wants_them_again(run):
    two = replace(run.manifest.configurations[0], placement="two-hosts", hosts=2)
    run.manifest = replace(
        run.manifest, configurations=(two,), options={**run.manifest.options, "hosts": ["a", "b"]}
    )
    run.finish(complete=False)
    with pytest.raises(
        UsageError, match="was begun over a, b, and continues over the same: name them with --hosts"
    ):
        reopen(run.path, None)


def test_what_this_version_does_not_know_is_refused(run):
    unknown = replace(run.manifest.configurations[0], platform="telepathy")
    run.manifest = replace(run.manifest, configurations=(unknown,))
    run.finish(complete=False)
    with pytest.raises(UsageError, match="measures messaging/pairs of telepathy, which this formicary"):
        reopen(run.path, None)


def test_what_a_crash_has_left_is_removed_and_other_peoples_files_are_not(run):
    own = ["raw/0009-half-1.parquet", "raw/.0010-x.parquet.123.part", ".manifest.json.77.part"]
    others = ["raw/notes.txt", "my-plot.svg", "raw/mine.parquet"]
    for name in own + others:
        (run.path / name).write_bytes(b"x")
    folder, _ = reopen(run.path, None)
    folder.proceed()
    assert [name for name in own if (run.path / name).exists()] == []
    assert all((run.path / name).exists() for name in others)
    again = RunFolder.open(run.path)
    assert again.manifest.finished is None
    assert not again.manifest.complete
    assert len(again.manifest.resumed) == 1
    assert len(again.manifest.repetitions) == 4
    assert all(again.raw_path(one).exists() for one in again.manifest.repetitions)


def test_raw_values_that_are_lost_are_measured_again(run):
    first, second, *others = run.manifest.repetitions
    run.raw_path(first).unlink()
    run.raw_path(second).write_bytes(run.raw_path(second).read_bytes()[:100])  # as a power cut leaves it
    folder, run_plan = reopen(run.path, None)
    assert run_plan.notes == ("2 measurements whose raw values are lost are repeated",)
    folder.proceed()
    assert list(folder.manifest.repetitions) == others
    assert not run.raw_path(second).exists()
    add_repetition(folder, run.manifest.configurations[0], 1, seed=1)
    assert len({one.raw for one in folder.manifest.repetitions}) == 3


def test_a_run_that_goes_on_elsewhere_is_refused(run):
    # A process of its own: a second try of the same one would say nothing.
    program = (
        "import pathlib, sys; from formicary_bench.runner.execution.resume import alone\n"
        "with alone(pathlib.Path(sys.argv[1])): print('mine', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, str(run.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "mine\n"
        with pytest.raises(UsageError, match="is still being measured by another process"), alone(run.path):
            pass
        other.kill()
    with alone(run.path):
        pass


def test_where_there_are_no_locks_it_goes_on(run, monkeypatch):
    def refuse(folder, operation):
        os.fstat(folder)
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(resume.fcntl, "flock", refuse)
    with alone(run.path):
        pass


def test_a_disk_that_is_full_at_the_very_end_says_how_to_go_on(run, monkeypatch):
    folder, _ = reopen(run.path, None)
    full = FormicaryError("the run folder x cannot be written (No space left on device)")
    monkeypatch.setattr(folder, "finish", mock.Mock(side_effect=full))
    told = _Run(folder, Resources([]), mock.Mock())
    told._left = []
    with pytest.raises(FormicaryError, match=rf"are kept: resume with .* --resume {run.path}$"):
        told.perform()
