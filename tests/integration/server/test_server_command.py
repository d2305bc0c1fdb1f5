"""`formicary server` as it is typed: what it prints, and how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass

import psutil
import pytest

from formicary.cli import main
from formicary.server import ServerAddress, process

pytestmark = pytest.mark.server


@dataclass
class Ended:
    code: int
    out: str
    err: str


@pytest.fixture
def formicary(folder, capsys):
    """Run `formicary server` with the test's state folder."""

    def call(*arguments, where=folder):
        with pytest.raises(SystemExit) as ended:
            main(["server", *arguments, *([] if where is None else ["--folder", str(where)])])
        return Ended(ended.value.code or 0, *capsys.readouterr())

    return call


def test_start_status_stop(formicary, folder):
    started = formicary("start", "--json")
    assert started.code == 0, started.err
    facts = json.loads(started.out)
    assert (facts["running"], facts["already"]) == (True, False)
    assert "prosody" in " ".join(psutil.Process(facts["pid"]).cmdline())

    again = json.loads(formicary("start", "--json").out)
    assert (again["already"], again["pid"]) == (True, facts["pid"])
    assert f"runs already, process {facts['pid']}" in formicary("start").out

    address = ServerAddress.load(folder)
    assert address.port == facts["port"]
    shown = formicary("status")
    assert shown.code == 0
    assert f"127.0.0.1:{address.port}" in shown.out
    assert address.secret not in started.out + shown.out + formicary("status", "--json").out

    stopped = formicary("stop")
    assert (stopped.code, stopped.out) == (0, f"stopped the server in {folder}\n")
    assert process.is_gone(facts["pid"])


def test_it_survives_the_command_that_started_it(formicary, folder):
    script = (
        f"from formicary.cli import main; main(['server', 'start', '--json', '--folder', {str(folder)!r}])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    started = subprocess.run(
        [sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, check=True
    )
    pid = json.loads(started.stdout)["pid"]
    assert os.getsid(pid) == pid  # a terminal's Ctrl-C does not reach it
    assert json.loads(formicary("status", "--json").out)["pid"] == pid


def test_nothing_to_stop_and_nothing_to_show(formicary, folder):
    stopped = formicary("stop")
    assert (stopped.code, stopped.out, stopped.err) == (0, f"no server runs in {folder}\n", "")
    shown = formicary("status")
    assert shown.code == 1
    assert shown.out.endswith(f"start one with: formicary server start --folder {folder}\n")
    told = formicary("status", "--json")
    assert (told.code, json.loads(told.out)) == (1, {"running": False, "folder": str(folder)})
    assert not folder.exists()


def test_a_running_server_is_not_made_another(formicary):
    port = json.loads(formicary("start", "--json").out)["port"]
    other = formicary("start", "--platform", "other.localhost")
    assert other.code == 3
    assert "a server with platform lab.localhost runs in" in other.err
    assert formicary("start", "--port", str(port)).code == 0
    assert "stop it first" in formicary("start", "--port", str(port - 1)).err


def test_errors_are_one_line_on_standard_error(formicary, tmp_path):
    (tmp_path / "file").write_text("")
    failed = formicary("start", where=tmp_path / "file" / "state")
    assert (failed.code, failed.out) == (3, "")
    assert failed.err.startswith("formicary: the state folder")
    assert failed.err.count("\n") == 1
    failed = formicary("start", "--platform", "no domain")
    assert (failed.code, failed.err.count("\n")) == (2, 1)
    failed = formicary("start", "--port", "99999")
    assert failed.code == 2
    assert "Traceback" not in failed.err


def test_config_prints_a_secret_of_its_own_each_time(formicary):
    first = formicary("config", "--platform", "lab.example", "--containers", "c1, lobby", where=None)
    assert first.code == 0
    assert 'Component "lobby.lab.example"' in first.out
    assert first.out != formicary("config", "--containers", "c1,lobby", where=None).out
    failed = formicary("config", "--containers", "c1,,c2", where=None)
    assert (failed.code, failed.out) == (2, "")
    assert "cannot be a container's name" in failed.err


@pytest.mark.parametrize("command", ["start", "stop", "status", "config"])
def test_help_has_examples(formicary, command):
    helped = formicary(command, "--help", where=None)
    assert helped.code == 0
    assert f"formicary server {command}" in helped.out.partition("Examples:")[2]
