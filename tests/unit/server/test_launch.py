"""Starting fails in one clear sentence, and leaves no process behind: with programs that play Prosody."""

from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path

import psutil
import pytest

from formicary import server
from formicary.errors import InvalidNameError, ServerError, UsageError
from formicary.server import launch, process
from formicary.server.folder import StateFolder
from formicary.server.state import read_state

GREETING = "startup  info  Hello and welcome to Prosody version"


@pytest.fixture
def pretend(tmp_path, monkeypatch):
    """Put a shell script in Prosody's place; it leaves its process id in a file."""
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)

    def install(script):
        program = programs / "prosody"
        program.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\n{script}\n")
        program.chmod(0o755)

    return install


def assert_nothing_is_left(tmp_path):
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))
    assert read_state(StateFolder(tmp_path / "state")) is None


def test_a_missing_prosody_says_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(process, "_ALSO_IN", ())
    with pytest.raises(ServerError, match=r"not installed; .*sudo apt-get install prosody"):
        server.start(tmp_path / "state")
    with pytest.raises(ServerError, match="not installed"), server.ManagedServer():
        pass


def test_prosody_is_found_where_packages_put_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(process, "_ALSO_IN", (str(tmp_path),))
    (tmp_path / "prosody").touch(mode=0o755)
    assert process.find_program("prosody") == str(tmp_path / "prosody")


def test_a_prosody_too_old_is_refused_and_ended(tmp_path, pretend):
    pretend(f'echo "{GREETING} 0.11.13"; exec sleep 60')
    with pytest.raises(ServerError, match=r"Prosody 0\.11\.13 is too old; install 0\.12 or later"):
        server.start(tmp_path / "state")
    assert_nothing_is_left(tmp_path)


def test_what_prosody_said_before_it_ended_is_quoted(tmp_path, pretend):
    pretend('echo "config  error  no such thing as \\"flux\\"" >&2; echo "Good luck!"; echo "****"; exit 1')
    with pytest.raises(ServerError, match='Prosody exited immediately: config error no such thing as "flux"'):
        server.start(tmp_path / "state")
    assert_nothing_is_left(tmp_path)


def test_a_silent_end_is_said_too(tmp_path, pretend):
    pretend("exit 1")
    with pytest.raises(ServerError, match=r"it printed nothing.*prosody\.log"):
        server.start(tmp_path / "state")
    assert_nothing_is_left(tmp_path)


def test_a_prosody_that_never_answers_is_given_up_and_ended(tmp_path, pretend, monkeypatch):
    pretend(f'echo "{GREETING} 0.12.3"; exec sleep 60')
    monkeypatch.setattr(launch, "_SECONDS_TO_START", 1.0)  # enough to write its process id
    with pytest.raises(ServerError, match="did not answer within"):
        server.start(tmp_path / "state")
    assert_nothing_is_left(tmp_path)


def test_a_temporary_server_that_cannot_start_leaves_no_folder(tmp_path, pretend, monkeypatch):
    pretend("exit 1")
    # Not in tmp_path: the server's socket is in it, and the path of a socket is short.
    with tempfile.TemporaryDirectory(prefix="formicary-test-") as temporary:
        monkeypatch.setattr("tempfile.tempdir", temporary)
        with pytest.raises(ServerError, match="exited immediately"), server.ManagedServer():
            pass
        assert list(Path(temporary).iterdir()) == []


def test_a_port_in_use_is_said_before_anything_starts(tmp_path, pretend):
    pretend("exit 1")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(ServerError, match=f"port {port} of 127.0.0.1 cannot be used.*--port"):
            server.start(tmp_path / "state", port=port)
    assert not (tmp_path / "pid").exists()


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_a_port_that_is_none_is_refused(tmp_path, port):
    with pytest.raises(UsageError, match=f"{port} is not a TCP port"):
        server.start(tmp_path / "state", port=port)


def test_bad_names_are_refused_before_anything_is_made(tmp_path):
    with pytest.raises(InvalidNameError, match="is not a valid platform domain"):
        server.start(tmp_path / "state", "not a domain")
    with pytest.raises(InvalidNameError, match="is not a valid container name"):
        server.start(tmp_path / "state", containers=["../c1"])
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_is_not_prosody_is_not_taken_for_it(tmp_path):
    assert not process.is_prosody(os.getpid(), tmp_path / "prosody.cfg.lua")
    assert not process.is_prosody(None, tmp_path / "prosody.cfg.lua")
