"""`formicary run --spade` as it is typed: programs for SPADE, alone and in two processes that meet."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest
from tests.integration.cli.platforms import RUN, call

from formicary.server import ManagedServer

HEAD = """
import asyncio, sys
import spade
from spade.agent import Agent
from spade.behaviour import CyclicBehaviour, OneShotBehaviour
from spade.message import Message

class Echo(CyclicBehaviour):
    async def run(self):
        message = await self.receive(timeout=60)
        if message:
            reply = message.make_reply()
            reply.body = f"{message.body}!"
            await self.send(reply)

class Ask(OneShotBehaviour):
    async def run(self):
        await self.send(Message(to="echo@localhost", body="hello"))
        answer = await self.receive(timeout=60)
        print(answer and f"{answer.sender} answers {answer.body}", flush=True)
        await self.agent.stop()

async def started(jid, behaviour):
    agent = Agent(jid, "secret")
    agent.add_behaviour(behaviour)
    await agent.start()
    return agent
"""

ECHO = """
async def main():
    echo = await started("echo@localhost", Echo())
    print("ready", flush=True)
    await spade.wait_until_finished(echo)
"""

ASK = """
async def main():
    await spade.wait_until_finished(await started("asker@localhost", Ask()))
"""

BOTH = """
async def main():
    await started("echo@localhost", Echo())
    await spade.wait_until_finished(await started("asker@localhost", Ask()))
"""

RUN_IT = """
if __name__ == "__main__":
    spade.run(main(), embedded_xmpp_server=True)
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Write a program, and give its path."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def write(text, end=RUN_IT):
        path = tmp_path / f"program{len(text)}.py"
        path.write_text(HEAD + text + end, encoding="utf-8")
        return path

    return write


def run(*arguments):
    command = [*RUN, "--spade", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)


def test_a_program_runs_and_ends_by_itself(program):
    ended = run(program(BOTH))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "echo@localhost answers hello!\n", "")


def test_a_program_with_an_event_loop_of_its_own_runs(program):
    ended = run(program(BOTH, "\nasyncio.run(main())\n"))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "echo@localhost answers hello!\n", "")


def test_the_exit_code_is_the_programs_or_says_that_something_failed(program):
    assert run(program("async def main(): pass\n", RUN_IT + "    sys.exit(7)\n")).returncode == 7
    failed = run(program("async def main(): raise LookupError('nothing there')\n"))
    assert failed.returncode == 1
    assert "LookupError: nothing there" in failed.stderr


def test_a_program_logs_as_it_says_and_gets_its_arguments(program):
    text = """
import logging
logging.basicConfig(level=logging.INFO, format="%(levelname)s|%(name)s|%(message)s")

class Quiet(OneShotBehaviour):
    async def run(self):
        logging.getLogger("shop").info("%s", sys.argv[1:])

async def main():
    await started("quiet@localhost", Quiet())
"""
    ended = run(program(text), "--buyers", "3", "market")
    assert (ended.returncode, ended.stderr) == (0, "INFO|shop|['--buyers', '3', 'market']\n")


def test_what_a_program_raises_is_shown_as_python_does(program):
    path = program("def ask():\n    return input()\n\nask()\n")
    ended = run(path)
    lines = ended.stderr.splitlines()
    assert ended.returncode == 1
    assert [line for line in lines if "File" in line] == [
        f'  File "{path}", line 31, in <module>',
        f'  File "{path}", line 29, in ask',
    ]
    assert lines[-1] == "EOFError: EOF when reading a line"


def test_a_refusal_names_the_line_that_it_comes_from(program):
    path = program("from formicary.errors import UsageError\nraise UsageError('no, thanks')\n")
    ended = run(path)
    assert ended.returncode == 2
    assert ended.stderr == f"formicary: no, thanks ({path.name}:29, in <module>)\n"


def test_processes_that_a_program_starts_import_the_same(program):
    text = """
import multiprocessing, subprocess

def name(queue):
    queue.put(spade.__name__)

async def main():
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    child = context.Process(target=name, args=(queue,))
    child.start()
    print(queue.get(timeout=60), flush=True)
    child.join()
    subprocess.run([sys.executable, "-c", "from spade.agent import Agent; print(Agent.__module__)"])
"""
    ended = run(program(text))
    assert (ended.returncode, ended.stdout.split()) == (0, ["formicary.spade", "formicary.spade.agent"])


def test_a_message_to_nobody_is_said_at_the_end(program):
    ended = run(
        program(
            ASK.replace("Ask()", "Tell()"),
            """
class Tell(OneShotBehaviour):
    async def run(self):
        await self.send(Message(to="nobody@localhost", body="hello"))
        await self.agent.stop()
"""
            + RUN_IT,
        )
    )
    assert ended.returncode == 0
    assert "dead letters: 1\n  1 x no agent named 'nobody' lives in container c1" in ended.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_a_signal_stops_the_agents(program, number, code):
    text = (
        ECHO.replace("Agent(jid", "Told(jid")
        + """
class Told(Agent):
    async def stop(self):
        print("stops", flush=True)
        await super().stop()
"""
    )
    path = program(text)
    path.write_text(path.read_text().replace("agent = Agent(", "agent = Told("))
    command = [*RUN, "--spade", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        out, err = process.communicate()
    assert (process.returncode, out) == (code, "stops\n"), err


def test_two_programs_find_each_other_where_one_joins_the_other(program):
    command = [*RUN, "--spade", str(program(ECHO)), "--listen"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    ) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            ended = run(program(ASK), "--name", "c2", "--join", "c1")
            assert (ended.returncode, ended.stdout) == (0, "echo@localhost answers hello!\n"), ended.stderr
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["no.py"], "cannot read the script no.py: no such file"),
        ([], "nothing to run: specify a script"),
        (["FILE", "--containers", "2"], "with --spade, omit --containers"),
        (["FILE", "--for", "3"], "with --spade, omit --for"),
        (["FILE", "--listen", "--accept", "shop"], "with --spade, omit --accept"),
        (["FILE", "--sleepers", "night.sqlite"], "with --spade, omit --sleepers"),
    ],
)
def test_what_cannot_be_is_refused(program, arguments, sentence):
    path = program(ECHO)
    ended = call("run", "--spade", *(path if argument == "FILE" else argument for argument in arguments))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert sentence in ended.stderr


@pytest.mark.server
def test_two_programs_find_each_other_at_a_server(program):
    with ManagedServer() as server:
        where = ("--server", str(server.folder.path))
        command = [*RUN, "--spade", str(program(ECHO)), *where]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout.readline() == "ready\n"
                ended = run(program(ASK), "--name", "c2", *where)
                assert (ended.returncode, ended.stdout) == (0, "echo@localhost answers hello!\n"), (
                    ended.stderr
                )
            finally:
                process.send_signal(signal.SIGINT)
                process.communicate()
