"""`formicary server` as it is typed: what it prints, and how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass

import psutil
import pytest
from tests.plugins.ports import unused_port

from formicary import server
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
    assert f"is already running, process {facts['pid']}" in formicary("start").out

    address = ServerAddress.load(folder)
    assert address.port == facts["port"]
    shown = formicary("status")
    assert shown.code == 0
    assert f"127.0.0.1:{address.port}" in shown.out
    assert address.secret not in started.out + shown.out + formicary("status", "--json").out

    stopped = formicary("stop")
    assert (stopped.code, stopped.out) == (0, f"stopped the server in {folder}\n")
    assert process.is_gone(facts["pid"])


def test_the_status_tells_who_is_connected_from_who_may_connect(formicary, folder, connect):
    formicary("start")
    server.start(folder, containers=["c10", "c2", "c3"])
    assert connect(ServerAddress.load(folder), "c3").connected
    told = json.loads(formicary("status", "--json").out)
    assert (told["containers"], told["not_connected"]) == (["c3"], ["c2", "c10"])
    shown = formicary("status").out
    assert f":{told['port']}  c3\n" in shown
    assert "missing     c2, c10\n" in shown


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
    assert (stopped.code, stopped.out, stopped.err) == (0, f"no server is running in {folder}\n", "")
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
    assert "a server with platform lab.localhost is already running in" in other.err
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
    assert "is not a valid container name" in failed.err


SERVERS = ["--federate", "a=c1,c2@127.0.0.2", "--federate", "b=c3@127.0.0.3"]


def test_config_makes_the_folders_of_a_federation_with_which_its_servers_start(formicary, tmp_path):
    output = tmp_path / "federation"
    port = unused_port()
    servers = [*SERVERS[:-1], f"{SERVERS[-1]}:{port}"]
    made = formicary("config", *servers, "--output", str(output), "--json", where=None)
    assert made.code == 0, made.err
    first, second = json.loads(made.out)
    assert first == {
        "name": "a",
        "folder": str(output / "a"),
        "address": "127.0.0.2",
        "port": 5269,
        "containers": ["c1", "c2"],
    }
    assert (second["name"], second["port"]) == ("b", port)
    again = formicary("config", *servers, "--output", str(output), where=None)
    assert "formicary server start --folder a" in again.out
    b = output / "b"
    try:
        facts = json.loads(formicary("start", "--json", where=b).out)
        assert (facts["platform"], facts["not_connected"]) == ("lab.example", ["c3"])
        other = formicary("start", "--platform", "other.example", where=b)
        assert (other.code, other.err.count("\n")) == (3, 1)
    finally:
        assert formicary("stop", where=b).code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--federate", "a"], "is not of the form"),
        (["--federate", "a=c1@127.0.0.2"], "two or more"),
        ([*SERVERS, "--containers", "c1"], "list each server's containers there"),
        (["--output", "somewhere"], "require --federate"),
        (["--json"], "require --federate"),
        ([*SERVERS, "--certificates", "nowhere"], "a.crt and a.key must both exist"),
    ],
)
def test_what_makes_no_federation_is_one_sentence(formicary, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    failed = formicary("config", *arguments, where=None)
    assert (failed.code, failed.out, failed.err.count("\n")) == (2, "", 1)
    assert words in failed.err


def test_an_address_that_is_not_this_hosts_is_said(formicary, tmp_path):
    servers = ["--federate", "a=c1@192.0.2.77", "--federate", "b=c2@192.0.2.78"]
    formicary("config", *servers, "--output", str(tmp_path), where=None)
    failed = formicary("start", where=tmp_path / "a")
    assert failed.code == 3
    assert "192.0.2.77" in failed.err
    assert "Cannot assign requested address" in failed.err
    assert formicary("status", where=tmp_path / "a").code == 1


@pytest.mark.parametrize("command", ["start", "stop", "status", "config"])
def test_help_has_examples(formicary, command):
    helped = formicary(command, "--help", where=None)
    assert helped.code == 0
    assert f"formicary server {command}" in helped.out.partition("Examples:")[2]
