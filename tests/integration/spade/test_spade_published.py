"""SPADE's own tests, and the programs of its documentation, on our containers: nothing in them is changed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.integration.spade.left_out import LEFT_OUT
from tests.integration.spade.published import HELPERS, fetch_source, install, programs, run_own_tests
from tests.plugins import spade_environment

from formicary.server import ManagedServer

pytestmark = [
    pytest.mark.spade,
    pytest.mark.timeout(600),
    pytest.mark.full(
        "it is fetched from the network, and the first tier has our own tests of all that it does"
    ),
]

MODULES = (
    "agent",
    "behaviour",
    "container",
    "e2e",
    "fipa_message",
    "message",
    "plugin",
    "presence_manager",
    "template",
    "trace",
)

PROGRAMS = {  # by page and place on it: what is typed, and what is printed
    ("agents", 1): ("", "Message received with content: Hello World"),
    ("behaviours", 0): ("bob@localhost\nx\nann@localhost\nx\n", "Agents finished"),
    ("behaviours", 1): ("bob@localhost\nx\nann@localhost\nx\n", "TimeoutSenderBehaviour running at"),
    ("behaviours", 2): ("", "State Three received message msg_from_state_one_to_state_three"),
    ("behaviours", 3): ("ann@localhost\nx\n", "Waiting Behaviour has finished\nStopping agent."),
    ("usage", 0): ("", "Hello World! I'm agent dummy@localhost"),
    ("usage", 1): ("", "Counter: 1"),
    ("usage", 2): ("", "Behaviour finished with exit code 10."),
    ("usage", 3): ("", "agent2_example@your_xmpp_server created."),
}
PRESENCE = ("presence", 0)  # which needs accounts
NOT_RUN = {("agents", 0)}  # docs/spade.md says why
COMMAND = Path(sys.executable).with_name("formicary")
ENDLESS = ("usage", 1)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return fetch_source(tmp_path_factory.mktemp("spade"), "spade", spade_environment.version())


def test_spades_own_tests_pass_but_for_those_that_are_left_out(source, tmp_path_factory):
    helpers = tmp_path_factory.mktemp("helpers")
    install(helpers, *HELPERS)
    assert run_own_tests(source, MODULES, [helpers], LEFT_OUT) > 150


def test_the_programs_of_spades_documentation_run(source, tmp_path):
    found = _published(source)
    assert found.keys() == PROGRAMS.keys() | NOT_RUN | {PRESENCE}
    running = {}
    for (page, number), (typed, _) in PROGRAMS.items():
        file = tmp_path / f"{page}_{number}.py"
        file.write_text(found[page, number], encoding="utf-8")
        # All at once: most of the time they sleep.
        process = subprocess.Popen(
            [COMMAND, "run", "--spade", str(file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
            start_new_session=True,  # without a terminal, passwords are read from standard input
        )
        process.stdin.write(typed)
        running[page, number] = process
    try:
        printed = {}
        endless = running[ENDLESS]
        lines = iter(endless.stdout.readline, "")
        printed[ENDLESS] = "".join(line for line in _until(lines, PROGRAMS[ENDLESS][1]))
        endless.send_signal(signal.SIGINT)
        for name, process in running.items():
            output, errors = process.communicate(timeout=200)
            printed[name] = printed.get(name, "") + output
            assert process.returncode == 0, (name, output, errors)
    finally:
        for process in running.values():
            if process.poll() is None:
                process.kill()
                process.wait()
    for name, (_, expected) in PROGRAMS.items():
        assert expected in printed[name]


@pytest.mark.server
@pytest.mark.accounts
def test_the_program_of_spades_documentation_that_is_about_presence_runs_at_a_server(source, tmp_path):
    file = tmp_path / "presence.py"
    file.write_text(_published(source)[PRESENCE], encoding="utf-8")
    with ManagedServer() as server:
        for name in ("ann", "bob"):
            server.create_account(name, "secret", "localhost")
        process = subprocess.Popen(
            [COMMAND, "run", "--spade", str(file), "--server", str(server.folder.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
            start_new_session=True,  # as above
        )
        try:
            process.stdin.write("ann@localhost\nsecret\nbob@localhost\nsecret\n")
            process.stdin.flush()
            printed = "".join(_until(iter(process.stdout.readline, ""), "[bob] Agent ann is chat"))
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    assert process.returncode == 0
    assert "[ann] Agent bob has accepted the subscription" in printed
    assert "[bob] Agent ann asked for subscription. Let's approve it" in printed
    assert "[ann] Agent bob is chat" in printed
    assert "[bob] Agent ann is chat" in printed


def _published(source):
    """Return SPADE's programs by the page that they are on and their place there."""
    return {
        (page.stem, number): program
        for page in (source / "docs").glob("*.rst")
        for number, program in enumerate(programs(page))
    }


def _until(lines, text):
    for line in lines:
        yield line
        if text in line:
            return
