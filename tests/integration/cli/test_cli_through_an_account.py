"""`formicary run` in two processes that share an ordinary account."""

from __future__ import annotations

import signal
import subprocess

import pytest
from tests.integration.cli.platforms import COMMAND, ECHO, call

from formicary.server import ManagedServer

pytestmark = [pytest.mark.server, pytest.mark.accounts]


FAR = """
from formicary import Agent, Message, OneShotBehaviour

class Ask(OneShotBehaviour):
    async def run(self):
        await self.send(Message(to="echo@c2", body="hello"))
        answer = await self.receive(timeout=60)
        print(answer.sender, "answers", answer.body)
        await self.agent.stop()

asker = Agent("asker")
asker.add_behaviour(Ask())
"""


@pytest.fixture(scope="module")
def account():
    """Give the options that say where an account is, of a server that runs meanwhile."""
    with ManagedServer() as server:
        jid = server.create_account("lab", "secret", "localhost")
        yield ["--account", jid, "--account-server", f"127.0.0.1:{server.client_port}"]


@pytest.fixture
def command(account, tmp_path, monkeypatch):
    """Give the command that runs a script through the account."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "echo.py").write_text(ECHO)
    (tmp_path / "far.py").write_text(FAR)
    (tmp_path / "password").write_text("secret\n")
    return lambda script, *more: ["run", script, *account, *more]


def test_an_agent_in_another_process_answers(command):
    more = ("--password-file", "password", "--insecure")
    echo = [*COMMAND, *command("echo.py", "--name", "c2", *more)]
    with subprocess.Popen(echo, stderr=subprocess.PIPE, text=True) as other:
        try:
            warning, started = other.stderr.readline(), other.stderr.readline()
            assert warning.startswith("WARNING formicary")
            assert started == "c2.lab.account.localhost: echo; press Ctrl-C to stop\n"
            asked = call(*command("far.py", *more))
            assert asked.stdout == "echo@c2.lab.account.localhost answers hello\n", asked.stderr
            assert asked.returncode == 0
        finally:
            other.send_signal(signal.SIGINT)


@pytest.mark.parametrize(
    ("more", "code", "sentence"),
    [
        (("--insecure",), 2, "no terminal to ask for the account's password: use --password-file"),
        (("--password-file", "none"), 2, "cannot read the password in none (No such file or directory)"),
        (("--password-file", "/dev/null"), 2, "/dev/null contains no password"),
        (("--password-file", "password", "--no-tls"), 2, "can be overheard"),
        (("--password-file", "password"), 3, "certificate"),
        (("--password-file", "far.py", "--insecure"), 3, "password"),
    ],
)
def test_what_does_not_fit_is_one_sentence(command, more, code, sentence):
    refused = call(*command("far.py", *more))
    *warnings, said = refused.stderr.splitlines()
    assert (refused.returncode, refused.stdout) == (code, "")
    assert all(line.startswith("WARNING") for line in warnings)
    assert said.startswith("formicary: ")
    assert sentence in said
