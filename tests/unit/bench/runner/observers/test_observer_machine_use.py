"""What others took of the machine: never what this process and its children did."""

import subprocess
import sys

import pytest

from formicary_bench.runner.observers.observer import MachineUse

BURN = "import time\nwhile time.process_time() < {seconds}: pass\n"


def test_others_have_what_is_neither_ours_nor_idle():
    first = MachineUse(busy_s=100.0, idle_s=50.0, stolen_s=1.0, ours_s=10.0)
    last = MachineUse(busy_s=106.0, idle_s=51.0, stolen_s=2.0, ours_s=12.0)
    assert last.others_since(first, cores=2) == pytest.approx(2 * 4 / 8)
    assert last.stolen_since(first) == pytest.approx(1 / 8)


def test_no_time_has_no_share():
    now = MachineUse(busy_s=1.0, idle_s=1.0, stolen_s=0.0, ours_s=2.0)
    assert now.others_since(now, cores=2) is None
    assert now.stolen_since(now) is None


def test_clocks_that_disagree_a_little_make_no_negative_share():
    first = MachineUse(busy_s=1.0, idle_s=1.0, stolen_s=0.5, ours_s=0.0)
    last = MachineUse(busy_s=2.0, idle_s=2.0, stolen_s=0.4, ours_s=1.1)
    assert last.others_since(first, cores=2) == 0
    assert last.stolen_since(first) == 0


def test_what_children_use_is_ours_while_they_live_and_afterwards():
    first = MachineUse.now()
    script = BURN.format(seconds=0.1) + "print(flush=True)\ninput()\n"
    with subprocess.Popen([sys.executable, "-c", script], stdin=-1, stdout=-1) as child:
        child.stdout.readline()
        living = MachineUse.now().ours_s - first.ours_s
        child.communicate(b"\n")
    assert living >= 0.05
    assert MachineUse.now().ours_s - first.ours_s >= 0.05
