"""`formicary bench compare --interleave` measures for real, and ends for real."""

import os
import signal
import subprocess
import sys

import psutil
from tests.integration.bench.remote.scene import wait_until

from formicary_bench.results.store.folder import RunFolder

SMALL = ("--", "messaging/pairs", "--pairs", "1", "--platform", "formicary-micro")
WORDS = (*SMALL, "--placement", "same-container", "--rounds", "10,50,10")


def begin(folder, *words):
    command = [sys.executable, "-m", "formicary", "bench", "compare", "--interleave"]
    return subprocess.Popen(
        [*command, sys.executable, sys.executable, "--output", folder, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_environments_measure_in_turn(tmp_path):
    out, err = begin(tmp_path / "runs", "--runs", "2", *WORDS).communicate()
    runs = [RunFolder.open(tmp_path / "runs" / name) for name in ("run-1", "base-1", "run-2", "base-2")]
    began = [run.manifest.started for run in runs]
    assert began == sorted(began), err
    assert {len(run.manifest.repetitions) for run in runs} == {1}
    assert "inconclusive" in out  # by two runs


def test_ctrl_c_ends_what_measures(tmp_path):
    started = begin(tmp_path / "runs", *WORDS)
    wait_until((tmp_path / "runs" / "run-1").exists)
    below = psutil.Process(started.pid).children(recursive=True)
    os.kill(started.pid, signal.SIGINT)
    _, err = started.communicate()
    assert started.returncode == 130, err
    assert psutil.wait_procs(below, timeout=60)[1] == []
    assert err.splitlines()[-1].startswith("formicary: interrupted")
