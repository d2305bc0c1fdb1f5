"""The doctor's findings on machines that lack something, and on this one."""

from __future__ import annotations

import json
import os
import platform
import re
import socket
import subprocess
import sys
import tomllib

import pytest
from packaging.requirements import Requirement
from tests.plugins.paths import ROOT
from typer.testing import CliRunner

from formicary.cli import app
from formicary.doctor import machine, programs
from formicary.doctor.finding import State, missing


def script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def quick(monkeypatch):
    """Skip the checks that run other programs."""
    monkeypatch.setattr(programs, "_try", lambda program: None)
    monkeypatch.setattr(programs, "prosody", lambda: programs.good("Prosody", "0.12.3"))


@pytest.fixture
def closed_home(tmp_path):
    """Yield a command prefix for a user without root's privileges who may not read the home."""
    home = tmp_path / "home"
    home.mkdir(mode=0)
    privileges = "-dac_override,-dac_read_search"
    drop = (
        ["setpriv", f"--bounding-set={privileges}", f"--inh-caps={privileges}"] if os.geteuid() == 0 else []
    )
    kept = {
        key: value for key, value in os.environ.items() if key not in {"XDG_STATE_HOME", "XDG_CACHE_HOME"}
    }

    def run(*arguments):
        program = [*drop, sys.executable, "-c", "from formicary.cli import main; main()", *arguments]
        surroundings = {**kept, "HOME": str(home), "COLUMNS": "400"}
        return subprocess.run(
            program, cwd=tmp_path, env=surroundings, capture_output=True, text=True, timeout=50, check=False
        )

    yield run
    home.chmod(0o700)


def test_a_line_for_each_finding_and_json_with_the_same(quick):
    shown = CliRunner().invoke(app, ["doctor"])
    told = CliRunner().invoke(app, ["doctor", "--json"])
    assert (shown.exit_code, told.exit_code) == (0, 0)
    content = json.loads(told.stdout)
    assert content["is_fit"] is True
    names = [finding["name"] for finding in content["findings"]]
    assert [line[9:].partition(":")[0] for line in shown.stdout.splitlines()] == names
    assert {"Python", "uvloop", "tracing", "CPU clock", "Prosody", "load", "extra lab"} <= set(names)


def test_the_exit_code_is_1_if_what_is_needed_is_missing(quick, monkeypatch):
    monkeypatch.setattr(machine, "folder", lambda: missing("state folder", "it is not there", "make it"))
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == 1
    assert "missing  state folder: it is not there; next: make it\n" in done.stdout
    assert json.loads(CliRunner().invoke(app, ["doctor", "--json"]).stdout)["is_fit"] is False


def test_what_cannot_be_looked_at_without_a_library_says_which_and_the_rest_is_looked_at(quick, monkeypatch):
    monkeypatch.setitem(sys.modules, "psutil", None)
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == 1
    sentence = "not checked, because psutil is not installed; next: pip install psutil\n"
    assert f"missing  processes: {sentence}" in done.stdout
    assert "CPU clock" in done.stdout


def test_the_python_that_runs_is_named_with_whether_it_was_tried(monkeypatch):
    found = programs.python()
    assert found.state is State.GOOD
    assert found.what == f"cpython {platform.python_version()}, with which Formicary is tested"
    monkeypatch.setattr(programs.sys, "version_info", (3, 99, 4, "final", 0))
    found = programs.python()
    assert (found.state, found.what) == (
        State.LIMITED,
        "cpython 3.99.4, with which Formicary is not tested",
    )
    assert "unknown" in programs.python("no-such-thing").what
    assert re.fullmatch(r"use CPython 3\.11 to 3\.\d+", found.next_step)


def test_libraries_that_are_not_there(monkeypatch):
    monkeypatch.setattr(
        programs.metadata,
        "requires",
        lambda name: ["msgspec>=0.19", "no-such-thing[x]>=1", 'other; extra == "y"'],
    )
    found = programs.libraries()
    assert found.state is State.MISSING
    assert (found.what, found.next_step) == ("not installed: no-such-thing", "pip install no-such-thing")


@pytest.mark.parametrize("library", ["aioxmpp", "slixmpp"])
def test_accounts_are_there_with_either_library(monkeypatch, library):
    versions = {library: "1.2", "scramp": "1.5", "dnspython": "2.6"}
    monkeypatch.setattr(programs, "_version", versions.get)
    found = programs.extras()[0]
    assert (found.state, found.what) == (State.GOOD, f"{library} 1.2, scramp 1.5, dnspython 2.6")


def test_what_doctor_looks_for_comes_with_the_extra_on_each_python():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    brought = tomllib.loads(text)["project"]["optional-dependencies"]["accounts"]
    for version in ("3.11", "3.12", "3.13", "3.14", "3.15"):
        names = {
            found.name
            for found in map(Requirement, brought)
            if found.marker is None or found.marker.evaluate({"python_version": version})
        }
        assert all(names & {*alternatives} for alternatives in programs._EXTRAS["accounts"][1])


def test_extras_that_are_not_installed_say_how_to_get_them(monkeypatch):
    monkeypatch.setattr(programs, "_version", lambda name: None)
    assert programs.uvloop().next_step == "pip install uvloop"
    assert [each.next_step for each in programs.extras()] == [
        f'pip install "formicary[{name}]"' for name in ("accounts", "bench", "lab")
    ]


@pytest.mark.parametrize(
    ("said", "state", "what"),
    [
        ("Prosody 0.12.3\n\n# Prosody directories", State.GOOD, "0.12.3"),
        ("Prosody 0.11.9\n", State.LIMITED, "too old"),
        ("Prosody hg:1234 trunk\n", State.GOOD, "hg:1234"),
        ("Prosody trunk nightly build 5 (2026-01-01)\n", State.GOOD, "trunk"),
        ("Prosody was unable to find lua-unbound\n***\n\nProsody 0.12.3\n", State.GOOD, "0.12.3"),
        ("Prosody was unable to find lua-unbound\n", State.LIMITED, "does not report"),
        ("lua: not found", State.LIMITED, "does not report"),
    ],
)
def test_what_prosodyctl_says(said, state, what):
    found = programs._prosody_of(said, "/usr/bin/prosodyctl")
    assert (found.state, what in found.what) == (state, True)


def test_a_prosodyctl_that_hangs_is_left_alone(tmp_path, monkeypatch):
    hanging = script(tmp_path / "prosodyctl", "exec sleep 30")
    monkeypatch.setattr("formicary.server.process.find_program", lambda name: str(hanging))
    monkeypatch.setattr(programs, "_SECONDS", 0.2)
    found = programs.prosody()
    assert (found.state, found.next_step) == (State.LIMITED, f"try: {hanging} about")


def test_no_prosody(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("formicary.server.process._ALSO_IN", ())
    found = programs.prosody()
    assert found.state is State.LIMITED
    assert found.next_step.startswith("install it")


def test_py_spy_that_may_not_look_says_why_and_leaves_no_process(tmp_path, monkeypatch):
    pid = tmp_path / "pid"
    refused = script(tmp_path / "py-spy", f'echo "$3" > {pid}; echo "Error: not permitted" >&2; exit 1')
    monkeypatch.setattr("formicary.profiling.sampling.sampler.find_program", lambda: str(refused))
    monkeypatch.setattr(programs, "explain", lambda *_, **__: ("", "do something"))
    found = programs.tracing()
    assert found.state is State.LIMITED
    assert "Error: not permitted" in found.what
    assert "uses exact accounting instead" in found.what
    assert found.next_step == "do something"
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def test_py_spy_that_hangs_is_given_up(tmp_path, monkeypatch):
    hanging = script(tmp_path / "py-spy", "exec sleep 30")
    monkeypatch.setattr("formicary.profiling.sampling.sampler.find_program", lambda: str(hanging))
    monkeypatch.setattr(programs, "_SECONDS", 0.2)
    assert programs.tracing().state is State.LIMITED


@pytest.mark.parametrize(
    ("scope", "marker", "platform", "is_root", "step"),
    [
        ("1", None, "linux", False, "ptrace_scope=0"),
        ("1", None, "linux", True, "CAP_SYS_PTRACE"),
        ("3", None, "linux", True, "boot"),
        (None, None, "linux", False, "CAP_SYS_PTRACE"),
        ("0", ".dockerenv", "linux", True, "--cap-add SYS_PTRACE"),
        ("0", None, "darwin", False, "sudo"),
    ],
)
def test_why_py_spy_may_not_look(tmp_path, *, scope, marker, platform, is_root, step):
    file = tmp_path / "ptrace_scope"
    if scope is not None:
        file.write_text(f"{scope}\n")
    if marker is not None:
        (tmp_path / marker).touch()
    assert step in programs.explain(file, tmp_path, platform=platform, is_root=is_root)[1]


def test_py_spy_is_really_tried_here():
    found = programs.tracing()
    assert found.name == "tracing"
    assert (found.next_step == "") == (found.state is State.GOOD)


def test_a_coarse_clock_and_one_that_stands_still(monkeypatch):
    assert machine.clocks().name == "CPU clock"
    monkeypatch.setattr(machine, "_step", lambda: 0.0156)
    assert machine.clocks().state is State.LIMITED
    monkeypatch.undo()
    monkeypatch.setattr(machine, "_PATIENCE", 0.01)
    monkeypatch.setattr(machine.time, "thread_time", lambda: 1.0)
    assert machine._step() == 0.01


def test_a_governor_a_virtual_machine_and_neither(tmp_path):
    assert {machine._governor(tmp_path).state, machine._virtual(tmp_path).state} == {State.GOOD}
    governor = tmp_path / machine._GOVERNOR
    governor.parent.mkdir(parents=True)
    governor.write_text("powersave\n")
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text("flags : fpu hypervisor\n")
    found = {finding.name: finding for finding in machine.noise(tmp_path)}
    assert "governor powersave" in found["frequency"].what
    assert found["hardware"].state is State.LIMITED
    governor.write_text("performance\n")
    assert machine._governor(tmp_path).state is State.GOOD


def test_load_is_held_against_the_cores(monkeypatch):
    monkeypatch.setattr(machine, "usable_cores", lambda: 4)
    monkeypatch.setattr(machine.os, "getloadavg", lambda: (3.0, 0, 0))
    assert machine._load().state is State.LIMITED
    monkeypatch.setattr(machine.os, "getloadavg", lambda: (0.5, 0, 0))
    assert machine._load().state is State.GOOD
    monkeypatch.setattr(machine, "usable_cores", lambda: 1)
    assert machine._load().state is State.LIMITED
    assert machine._cores().state is State.LIMITED


def test_ports_that_are_taken(monkeypatch):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        monkeypatch.setattr(machine, "_PORTS", {port: "somebody"})
        assert f"{port} (somebody)" in machine.ports()[1].what
    assert machine.ports()[1].state is State.GOOD


def test_a_state_folder_that_cannot_be(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "new" / "place"))
    assert machine.folder().state is State.GOOD
    assert not (tmp_path / "new").exists()
    (tmp_path / "new").write_text("a file")
    assert machine.folder().state is State.MISSING


@pytest.mark.parametrize("arguments", [["doctor"], ["ps", "--join", "c1"], ["bench", "platforms"]])
def test_a_home_that_cannot_be_read_is_a_sentence(closed_home, arguments):
    done = closed_home(*arguments)
    assert "Traceback" not in done.stderr
    said = " ".join((done.stdout + done.stderr).split())
    assert re.search(r"home/\S* *\S* (cannot be|\(Permission)", said)
    assert re.search("XDG_(STATE|CACHE)_HOME to a (writable |readable )?folder", said)


def test_measurements_are_planned_whatever_the_home(closed_home):
    done = closed_home("bench", "run", "messaging/pairs", "--pairs", "1", "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")


def test_nothing_heavy_is_loaded_for_the_help():
    code = (
        "import sys; from formicary.cli import app; from typer.testing import CliRunner;"
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0;"
        "heavy = ('psutil', 'numpy', 'uvloop', 'formicary.profiling.accounting.ledger');"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
