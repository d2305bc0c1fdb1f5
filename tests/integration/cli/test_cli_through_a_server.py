"""`formicary run` in two processes through a server, as the quick start does it."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
from contextlib import contextmanager

import pytest
from tests.integration.cli.platforms import RUN, call
from tests.plugins.paths import ROOT

from formicary.server import ManagedServer

pytestmark = pytest.mark.server

PAGE = ROOT / "docs" / "quickstart.md"


@pytest.fixture(scope="module")
def server():
    with ManagedServer() as running:
        yield running


@pytest.fixture
def run(server, tmp_path, monkeypatch):
    """Run one of the quick start's scripts through the server, and give its process."""
    scripts = dict(
        re.findall(r"```python\n# (\w+\.py)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    )
    for name, code in scripts.items():
        (tmp_path / name).write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}

    @contextmanager
    def start(name, *arguments):
        command = [*RUN, name, "--server", str(server.folder.path), *arguments]
        with subprocess.Popen(command, **options) as process:
            try:
                yield process
            finally:
                process.send_signal(signal.SIGINT)

    return start


def refused(server, *arguments, code):
    """Return the error message for a script that cannot be run."""
    done = call("run", "echo.py", "--server", server.folder.path, *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (code, "", 1)
    return done.stderr


def test_an_agent_in_another_process_answers(run):
    with run("echo.py", "--name", "c2") as other:
        assert other.stdout.readline() == "c2.lab.localhost: echo; press Ctrl-C to stop\n"
        with run("far.py") as asking:
            assert asking.stdout.read() == (
                "c1.lab.localhost: asker; press Ctrl-C to stop\necho@c2.lab.localhost answers hello\n"
            )
            assert asking.wait() == 0
    assert other.returncode == 130


def test_a_container_s_name_that_is_taken_is_one_sentence(server, run):
    with run("echo.py", "--name", "taken") as first:
        first.stdout.readline()
        said = refused(server, "--name", "taken", code=1)
    assert said.startswith(
        "formicary: a container named 'taken' is connected to the XMPP server at 127.0.0.1:"
    )
    assert said.endswith(" already; stop it, or choose another name\n")


def test_another_platform_than_the_server_s_is_one_sentence(server, run):
    said = refused(server, "--platform", "lab.example", code=2)
    assert said.startswith("formicary: the server in ")
    assert said.endswith(" serves the platform lab.localhost, not lab.example; omit --platform\n")


def test_a_server_that_does_not_answer_is_one_sentence(run):
    with ManagedServer() as server:
        server.kill()
        said = refused(server, code=3)
        assert said.startswith(
            f"formicary: the server is no longer running in {server.folder.path}; start one with: "
        )


def test_a_server_that_is_not_running_is_one_sentence(server, run):
    state = server.folder.state
    before = state.read_text()
    with socket.socket() as deaf:  # the port is taken, so nobody else listens there
        deaf.bind(("127.0.0.1", 0))
        port = deaf.getsockname()[1]
        state.write_text(re.sub(r'("port": )\d+', rf"\g<1>{port}", before))
        said = refused(server, code=3)
    state.write_text(before)
    assert said.startswith(f"formicary: cannot connect to the XMPP server at 127.0.0.1:{port}: ")
