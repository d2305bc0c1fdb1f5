"""What a report of very many round trips takes: what it does not need at once, it does not hold at once."""

import subprocess
import sys

import pytest
from tests.unit.bench.synthetic import make_run, plan

_BYTES = 65  # per round trip, of which the raw values are 25; copies of them all are 85

# What a process has held at most includes what the one held that it was begun from: it begins another.
MEASURED = """
import os, sys
child = os.fork()
if not child:
    from formicary.cli import main
    main(["bench", "report", *sys.argv[1:]])
_, code, used = os.wait4(child, 0)
print(used.ru_maxrss * (1 if sys.platform == "darwin" else 1024))
sys.exit(os.waitstatus_to_exitcode(code))
"""


def peak(path, trips, repetitions, pairs=100):
    run = make_run(path, plan(pairs=(pairs,), trips=trips)[:1], repetitions=repetitions)
    command = [sys.executable, "-c", MEASURED, str(run.path), "--to", str(path.with_suffix(".html"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return int(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("repetitions", [pytest.param(1, marks=pytest.mark.full("five are harder")), 5])
def test_a_report_takes_little_more_memory_than_the_values_of_one_configuration(tmp_path, repetitions):
    each = 10_000 // repetitions
    trips = each // 20, each - each // 10, each // 20
    few = peak(tmp_path / "few", (1, 20, 1), repetitions)
    many = peak(tmp_path / "many", trips, repetitions)
    assert (tmp_path / "many.html").stat().st_size > 10_000
    assert (many - few) / 1_000_000 < _BYTES
