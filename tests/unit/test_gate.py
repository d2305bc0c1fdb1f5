"""The gate and its report: a part that fails keeps no other from running, and rooms have budgets."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest
from tests import costs, gate
from tests.plugins.paths import ROOT


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Have the gate consist of small programs, in a folder of its own."""
    monkeypatch.setattr(gate, "REPORTS", tmp_path / "reports")
    monkeypatch.setattr(gate, "ROOT", tmp_path)
    monkeypatch.setattr(gate, "PARTS", {})

    def make(**parts):
        for name, source in parts.items():
            (tmp_path / f"{name}_part.py").write_text(source)
        monkeypatch.setattr(gate, "CHECKS", {name: [[f"{name}_part"]] for name in parts})

    return make


def test_a_part_that_fails_keeps_no_other_from_running(programs, capsys, tmp_path):
    programs(bad="raise SystemExit('the reason')", good="print('all is well')")
    assert gate.main([]) == 1
    said = capsys.readouterr().out
    assert "the reason\ngate: bad FAILED after" in said
    assert "all is well\ngate: good passed after" in said
    assert said.endswith(" s bad\n")
    assert (tmp_path / "reports" / "good.txt").read_text() == "all is well\n"


def test_it_passes_where_all_parts_do_and_runs_those_that_are_asked_for(programs, capsys):
    programs(bad="raise SystemExit(1)", good="")
    assert gate.main(["good"]) == 0
    assert "bad" not in capsys.readouterr().out
    with pytest.raises(SystemExit, match="no part is called ugly: take bad, good"):
        gate.main(["good", "ugly"])


def test_it_says_how_far_tests_have_come_and_that_some_have_failed(programs, capsys):
    programs(
        slow="for line in ('.' * 72 + ' [  3%]', '..F.  [ 15%]', '....  [ 19%]', '..  [100%]'): print(line)"
    )
    gate.main([])
    said = [line for line in capsys.readouterr().out.splitlines() if "%" in line and line.startswith("gate:")]
    assert said == ["gate: slow 15%, 1 failed"]


def test_the_arguments_of_pytest_reach_each_run_of_it(monkeypatch):
    monkeypatch.setattr(gate, "CHECKS", {"lint": [["ruff"]]})
    for part in gate.parts([], ["-m", "not server"]):
        (command,) = part._commands
        assert command[-2:] == ["-m", "not server"] or part.name == "lint"


def test_every_test_is_in_one_part_of_the_gate():
    given = [ROOT / path for arguments in gate.PARTS.values() for path in arguments]
    places = [path for path in given if path.exists() and path != ROOT]
    for test in (ROOT / "tests").rglob("test_*.py"):
        assert len([place for place in places if test.is_relative_to(place)]) == 1, test
    assert {ROOT / "docs", ROOT / "README.md"} <= {*places}


def test_an_interruption_reaches_all_parts_and_is_said(tmp_path):
    (tmp_path / "waiting_part.py").write_text(
        "import signal\nsignal.signal(signal.SIGINT, lambda *_: exit('tidied up'))\n"
        "print('..  [ 50%]', flush=True)\nsignal.pause()\n"
    )
    program = (
        "import sys; from pathlib import Path; from tests import gate\n"
        f"gate.ROOT = Path({str(tmp_path)!r}); gate.REPORTS = gate.ROOT / 'reports'; gate.PARTS = {{}}\n"
        "gate.CHECKS = {'waiting': [['waiting_part']]}; sys.exit(gate.main([]))"
    )
    process = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "gate: waiting 50%\n"
    process.send_signal(signal.SIGTERM)
    said, _ = process.communicate()
    assert process.returncode == 130
    assert "tidied up\n" in said
    assert "gate: interrupted\n" in said


@pytest.mark.parametrize(
    ("test", "room"),
    [
        ("tests/unit/core/test_message.py::test_it[a/b]", "core"),
        ("tests/integration/bench/runner/execution/test_resume.py::test_it", "bench/runner"),
        ("tests/unit/bench/test_it.py::test_it", "bench"),
        ("tests/unit/test_rooms.py::test_it", "project"),
        ("tests/faults/test_moves.py::test_it", "faults"),
        ("docs/labs/1.md::line:77,column:1", "docs"),
        ("README.md::line:77,column:1", "docs"),
    ],
)
def test_a_test_belongs_to_the_room_that_it_is_about(test, room):
    assert costs.room_of(test) == room


def test_a_room_over_its_budget_is_named_and_the_slowest_tests_are_written(tmp_path, capsys, monkeypatch):
    took = {f"tests/unit/core/test_a.py::test_{number}": [number, 1.0] for number in range(150)}
    (tmp_path / "one.json").write_text(json.dumps({**took, "collecting": [0, 2.0]}))
    (tmp_path / "two.json").write_text(
        json.dumps({"tests/faults/test_b.py::test": [1, 14.0], "collecting": [0, 3.0]})
    )
    monkeypatch.setattr(costs, "BUDGETS", tmp_path / "budgets.toml")
    costs.BUDGETS.write_text("core = 90\nfaults = 10\n")
    costs.report(tmp_path)
    said = capsys.readouterr().out
    assert "core                       150.0      90  OVER BUDGET\n" in said
    assert "faults                      14.0      10\n" in said
    assert "(collecting)                 5.0\n" in said
    assert said.endswith("budget report FAILED: over 1.5 times the budget of tests/budgets.toml: core\n")
    written = (tmp_path / "slowest.txt").read_text().splitlines()
    assert len(written) == 100
    assert written[0].endswith("test_149")
    costs.report(tmp_path, within_budgets=False)
    said = capsys.readouterr().out
    assert "OVER BUDGET" not in said
    assert "FAILED" not in said


def test_each_room_of_the_tests_has_a_budget():
    rooms = {costs.room_of(str(path.relative_to(ROOT))) for path in (ROOT / "tests").rglob("test_*.py")}
    assert rooms | {"docs"} == {*costs.budgets()}
