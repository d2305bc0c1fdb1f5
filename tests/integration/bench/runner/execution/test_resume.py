"""Runs that were interrupted in every way, and are gone on with."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter

import psutil
import pytest
from tests.plugins.missing import leave_out

from formicary_bench.results.store.folder import RunFolder
from formicary_bench.results.store.raw import RoundTrips
from formicary_bench.runner.planning.run_plan import order_of

PROGRAM = "from formicary.cli import main; main()"
# The third measurement does not end, so that it is in the middle of that when it is interrupted.
STUCK = """
from dataclasses import replace
from itertools import count
import msgspec
from formicary_bench.runner.execution import run

measure, numbers = run.measure_as_planned, count(1)

def stuck(task, listener):
    if next(numbers) > 2:
        task = replace(task, configuration=task.configuration.sized(rounds=(0, 8_000_000, 0)))
    return measure(task, listener)

run.measure_as_planned = stuck
"""
REPEAT = 2
RUN = (
    *("run", "messaging/pairs", "--pairs", "2", "--placement", "same-container", "--repeat", str(REPEAT)),
    *("--platform", "tasks,callbacks", "--output", "run", "--seed", "5", "--rounds"),
)


def command(*words, program=PROGRAM):
    return [sys.executable, "-c", program, "bench", *words]


@pytest.fixture
def start(tmp_path):
    """Start `formicary bench` in an empty folder; it ends with the test."""
    started = []

    def start(*words, program=PROGRAM):
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        started.append(subprocess.Popen(command(*words, program=program), cwd=tmp_path, text=True, **pipes))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def wait_for(condition, seconds=60):
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < until
        time.sleep(0.01)
    return found


def wait_for_repetitions(folder, many):
    def there():
        return (folder / "manifest.json").exists() and len(
            RunFolder.open(folder).manifest.repetitions
        ) >= many

    wait_for(there)


def check_complete(folder, before, rounds=420):
    """Check that everything planned exists once, earlier results are unchanged, and nothing else is left."""
    run = RunFolder.open(folder)
    manifest = run.manifest
    assert manifest.complete
    assert manifest.repetitions[: len(before)] == before
    planned = [(one.key, number, seed) for one, number, seed in order_of(manifest)]
    assert [(one.configuration, one.number, one.seed) for one in manifest.repetitions] == planned
    assert Counter(one.configuration for one in manifest.repetitions) == {
        one.key: REPEAT for one in manifest.configurations
    }
    assert len(manifest.resumed) == 1
    assert sorted(path.name for path in (folder / "raw").iterdir()) == sorted(
        one.raw for one in manifest.repetitions
    )
    assert all(len(run.raw(one, RoundTrips).pair) == rounds for one in manifest.repetitions)
    assert not list(folder.rglob("*.part"))


def test_after_ctrl_c_a_run_goes_on_where_it_was(start, bench, tmp_path):
    running = start(*RUN, "5,200,5", program=STUCK + PROGRAM)
    wait_for_repetitions(tmp_path / "run", 2)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert "resume: formicary bench run --resume run" in err
    before = RunFolder.open(tmp_path / "run").manifest.repetitions
    assert len(before) == 2

    resumed = start("run", "--resume", "run")
    out, err = resumed.communicate(timeout=120)
    assert resumed.returncode == 0, err
    assert f"2 configurations, {2 * REPEAT - 2} measurements, into run" in out
    check_complete(tmp_path / "run", before)

    again = bench("run", "--resume", "run")
    assert again.code == 2
    assert f"run is complete, with all of its {2 * REPEAT} measurements" in again.err


def test_after_a_crash_a_run_goes_on_where_it_was(start, bench, tmp_path):
    running = start(*RUN, "5,200,5", program=STUCK + PROGRAM)
    wait_for_repetitions(tmp_path / "run", 2)
    workers = psutil.Process(running.pid).children(recursive=True)
    running.kill()
    running.communicate()
    wait_for(lambda: not any(worker.is_running() for worker in workers))
    folder = tmp_path / "run"
    before = RunFolder.open(folder).manifest.repetitions
    # As if it had been in the middle of writing.
    (folder / "raw" / f"{len(before) + 1:04}-half-1.parquet").write_bytes(b"PAR1")
    (folder / f".manifest.json.{running.pid}.part").write_text("{")

    resumed = bench("run", "--resume", "run", "--json")
    assert resumed.code == 0, resumed.err
    assert len(resumed.rows) == 2
    check_complete(folder, before)


def test_nobody_goes_on_with_a_run_that_is_still_going_on(start, bench, tmp_path):
    running = start(*RUN, "0,8000000,0")
    wait_for((tmp_path / "run" / "manifest.json").exists)
    wait_for(lambda: psutil.Process(running.pid).children())
    second = bench("run", "--resume", "run")
    assert second.code == 2
    assert "run is still being measured by another process: wait until that has ended" in second.err
    assert running.poll() is None
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)


def test_a_full_disk_is_one_sentence_and_what_was_measured_is_gone_on_with(tmp_path):
    _need_mounts()
    disk = tmp_path / "disk"
    disk.mkdir()
    first, second = (
        shlex.join(command(*words)) for words in ((*RUN, "5,6000,5"), ("run", "--resume", "run"))
    )
    script = "\n".join(
        [
            f"mount -t tmpfs -o size=240k tmpfs {disk}",
            f"cd {disk}",
            f"code=0; {first} > ../out 2> ../err || code=$?; echo $code > ../code",
            "cp -r run ../before",
            f"mount -o remount,size=50m {disk}",
            f"code=0; {second} > ../out2 2> ../err2 || code=$?; echo $code > ../code2",
            "cp -r run ../after",
        ]
    )
    namespace = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", script]
    done = subprocess.run(namespace, capture_output=True, text=True, timeout=150, check=False)
    assert done.returncode == 0, done.stderr
    err = (tmp_path / "err").read_text()
    assert (tmp_path / "code").read_text() == "1\n", err
    assert "Traceback" not in err
    (line,) = err.splitlines()
    before = RunFolder.open(tmp_path / "before").manifest.repetitions
    assert 1 <= len(before) < 2 * REPEAT
    assert line == (
        "formicary: the run folder run cannot be written (No space left on device): free some space or "
        f"choose another place; the {len(before)} measurements made so far are kept: resume with "
        "formicary bench run --resume run"
    )
    assert not list((tmp_path / "before").rglob("*.part"))
    assert (tmp_path / "code2").read_text() == "0\n", (tmp_path / "err2").read_text()
    check_complete(tmp_path / "after", before, 2 * 6010)


def _need_mounts():
    what = "needs root and util-linux's unshare, to have a disk that is full"
    if os.geteuid() or shutil.which("unshare") is None:
        leave_out(what)
    trial = ["unshare", "--mount", "--propagation", "private", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    done = subprocess.run(trial, capture_output=True, text=True, check=False)
    if done.returncode:  # a container without the right to it, for example
        leave_out(f"{what}; there is no right to it here: {done.stderr.strip()}")
