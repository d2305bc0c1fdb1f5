"""Programs whose split of CPU time is known are attributed within 2 points at 95% confidence."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from formicary.profiling.analysis.attribution import View, cpu_times
from formicary.profiling.analysis.estimates import Estimate
from formicary.profiling.model.groups import Rules, own_rule
from formicary.profiling.sampling.program import Program
from formicary.profiling.sampling.window import Window

HERE = Path(__file__).parent / "truth"
GROUPS = ("agents", "communication", "directory", "platform")
RULES = Rules([own_rule("harness=program"), *(own_rule(f"{name}=work_{name}") for name in GROUPS)])
RATE = 200
SECONDS = 2.0  # of CPU for each thread
POINTS = 0.02


def measure(folder, scenario):
    """Return the profile, and how many seconds each group really used."""
    truth = folder / f"{scenario}.json"
    words = [str(folder / "program.py"), scenario, str(SECONDS), str(truth)]
    with Program(words) as program, Window(program.pid, rate=RATE) as window:
        program.begin_window()
        program.start()
        window.wait(None, program.is_at_its_end)
        profile = window.end(program.end_window)
    assert program.exit_code == 0
    return profile, json.loads(truth.read_text())


@pytest.mark.timeout(180)
def test_known_splits_are_found(tmp_path):
    shutil.copy(HERE / "program.py", tmp_path)
    for name in GROUPS:
        shutil.copy(HERE / "work.py", tmp_path / f"work_{name}.py")
    found: dict[str, Estimate] = dict.fromkeys(GROUPS, Estimate(0.0))
    truth: Counter[str] = Counter()
    for scenario in ("one-thread", "several-threads", "gil-held", "gil-released", "with-idling"):
        profile, really = measure(tmp_path, scenario)
        truth.update(really)
        by_name = {used.name: used for used in cpu_times(profile, View.GROUP, RULES)}
        for name in GROUPS:
            used = by_name[name]
            off = abs(used.cpu_s - really[name]) / sum(really.values())
            margin = used.margin_s / sum(really.values())
            assert off - margin < POINTS, f"{scenario}, {name}: {off:.1%} off, ± {margin:.1%}"
            found[name] += Estimate(used.cpu_s, (used.margin_s / 1.96) ** 2)
        assert sum(used.cpu_s for used in by_name.values()) == pytest.approx(
            sum(process.cpu_s for process in profile.processes)
        )
    # Each scenario has few samples; together they say it within 2 points.
    for name in GROUPS:
        assert found[name].margin / truth.total() < POINTS
        assert abs(found[name].seconds - truth[name]) / truth.total() < POINTS, name
