"""`formicary run` as it is typed: how it ends, what it prints, and what it refuses."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest
from tests.integration.cli.platforms import RUN, call

HEAD = """\
from formicary import Agent, CyclicBehaviour, Message, MicroAgent, OneShotBehaviour

class Stop(OneShotBehaviour):
    async def run(self):
        print(self.agent.address, "runs", flush=True)
        await self.agent.stop()

class Stay(CyclicBehaviour):
    async def run(self):
        print(self.agent.name, "waits", flush=True)
        await self.receive()

    async def on_end(self):
        print(self.agent.name, "ends", flush=True)

class Fail(OneShotBehaviour):
    async def run(self):
        raise ValueError("three is not two")

def agent(name, *behaviours):
    made = Agent(name)
    for behaviour in behaviours:
        made.add_behaviour(behaviour)
    return made

"""


@pytest.fixture
def script(tmp_path):
    """Write a script that has some behaviours already, and give its path."""

    def write(text):
        path = tmp_path / "agents.py"
        path.write_text(HEAD + text, encoding="utf-8")
        return path

    return write


def run(*arguments):
    return subprocess.run([*RUN, *map(str, arguments)], capture_output=True, text=True, check=False)


def test_it_ends_when_all_agents_are_gone(script):
    ended = run(script("alice = agent('alice', Stop())\nbob = agent('bob', Stop())"))
    assert (ended.returncode, ended.stderr) == (0, "c1.lab.localhost: alice, bob; press Ctrl-C to stop\n")
    assert ended.stdout == "alice@c1.lab.localhost runs\nbob@c1.lab.localhost runs\n"


def test_agents_that_agents_start_count(script):
    text = (
        "class Start(OneShotBehaviour):\n"
        "    async def run(self):\n"
        "        await self.agent.container.start(agent('child', Stop()))\n"
        "        await self.agent.stop()\n"
        "alice = agent('alice', Start())"
    )
    ended = call("run", script(text), "--name", "lobby", "--platform", "lab.example")
    assert (ended.returncode, ended.stdout) == (0, "child@lobby.lab.example runs\n"), ended.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_agents_in_order_the_latest_first(script, number):
    path = script("alice = agent('alice', Stay())\nbob = agent('bob', Stay())")
    with subprocess.Popen(
        [*RUN, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert [process.stdout.readline(), process.stdout.readline()] == ["alice waits\n", "bob waits\n"]
        process.send_signal(number)
        out, err = process.communicate()
    assert (process.returncode, out) == (130, "bob ends\nalice ends\n")
    assert err == "c1.lab.localhost: alice, bob; press Ctrl-C to stop\n"


def test_what_a_script_has_started_in_the_background_ends_by_sigterm(script):
    path = script("alice = agent('alice', Stay())")
    with subprocess.Popen(
        [*RUN, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),  # noqa: PLW1509 -- as a shell does
    ) as process:
        assert process.stdout.readline() == "alice waits\n"
        process.send_signal(signal.SIGINT)
        process.terminate()
        out, _ = process.communicate()
    assert (process.returncode, out) == (130, "alice ends\n")


def test_it_ends_after_the_time_that_it_is_given(script):
    ended = call("run", script("alice = agent('alice', Stay())"), "--for", "0.2")
    assert (ended.returncode, ended.stdout) == (0, "alice waits\nalice ends\n")


def test_a_failing_behaviour_is_logged_and_sets_the_exit_code_while_others_continue(script):
    ended = run(script("alice = agent('alice', Fail(), Stop())"))
    assert (ended.returncode, ended.stdout) == (1, "alice@c1.lab.localhost runs\n")
    assert "behaviour Fail of agent alice ended with an exception" in ended.stderr
    assert "ValueError: three is not two" in ended.stderr


@pytest.mark.parametrize("spread", [[], ["--containers", "2"]])
def test_it_ends_when_the_last_behaviour_of_each_agent_has_failed(script, spread):
    path = script("alice = agent('alice', Fail())\nbob = agent('bob', Fail(), Fail())\n")
    assert call("run", path, *spread).returncode == 1


def test_a_traceback_is_of_the_script_alone(script):
    ended = call("run", script("alice = agent('alice', Fail())"))
    assert ended.stderr.count("  File ") == 1


def test_the_script_logs_as_it_says(script):
    text = (
        "import logging\n"
        "logging.basicConfig(level=logging.INFO, format='%(levelname)s|%(name)s|%(message)s')\n"
        "class Ring(Stop):\n"
        "    async def run(self):\n"
        "        logging.getLogger('bell').info('it rings')\n"
        "        await super().run()\n"
        "alice = agent('alice', Fail(), Ring())"
    )
    ended = run(script(text))
    assert "INFO|bell|it rings\n" in ended.stderr
    assert ended.stderr.count("behaviour Fail of agent alice ended with an exception") == 1


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        (
            ["{script}", "--seed", "3", "--buyers", "2", "--seed", "4"],
            ["{script}", "--buyers", "2", "--seed", "4"],
        ),
        (["--seed", "3", "{script}", "market", "-h"], ["{script}", "market", "-h"]),
        (["{script}", "--for=60", "--", "--for=1", "--", "-m"], ["{script}", "--for=1", "--", "-m"]),
        (["--name", "c2", "--", "{script}", "--name", "c3"], ["{script}", "--name", "c3"]),
    ],
)
def test_what_stands_behind_the_script_and_is_no_option_belongs_to_it(script, arguments, given):
    path = script("import sys\nprint(sys.argv)\na = agent('a', Stop())")
    ended = call("run", *(each.format(script=path) for each in arguments))
    assert ended.returncode == 0, ended.stderr
    assert str([each.format(script=path) for each in given]) in ended.stdout


def test_an_option_that_the_script_names_is_its_own(script):
    path = script(
        "import argparse\n"
        "parser = argparse.ArgumentParser()\n"
        "parser.add_argument('--server')\n"
        "print(parser.parse_args().server)\n"
        "a = agent('a', Stop())"
    )
    ended = call("run", path, "--name", "c2", "--server", "localhost")
    assert (ended.returncode, ended.stdout) == (0, "localhost\na@c2.lab.localhost runs\n")
    slip = call("run", path, "--lisen")
    assert (slip.returncode, "has no option --lisen; did you mean --listen?" in slip.stderr) == (2, True)


def test_a_module_or_a_package_runs_too_and_a_main_program_that_does_not_is_said(
    script, tmp_path, monkeypatch
):
    script("alice = agent('alice', Stop())\nif __name__ == '__main__':\n    raise SystemExit('ran')\n")
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").touch()
    (tmp_path / "agents.py").rename(tmp_path / "shop" / "market.py")
    (tmp_path / "shop" / "__main__.py").write_text("from .market import alice")
    monkeypatch.chdir(tmp_path)
    for module, note in ("shop", ""), ("shop.market", ", but not the main program of "):
        ended = call("run", "-m", module)
        assert (ended.returncode, ended.stdout) == (0, "alice@c1.lab.localhost runs\n")
        assert f": alice{note}" in ended.stderr
    refused = call("run", "-m", "shop.nothing")
    assert (refused.returncode, refused.stderr) == (
        2,
        "formicary: no module named shop.nothing: choose one in this folder, or one that is installed\n",
    )


def test_a_failing_setup_and_a_failing_handler_do_the_same(script):
    text = (
        "import asyncio\n"
        "class Broken(Agent):\n    async def setup(self): raise KeyError('no such thing')\n"
        "class Cell(MicroAgent):\n"
        "    def handle(self, message):\n"
        "        self.stopping = asyncio.create_task(self.stop())\n"
        "        raise OSError('no handle')\n"
        "class Poke(OneShotBehaviour):\n"
        "    async def run(self):\n"
        "        await self.send(Message(to='cell'))\n"
        "        await self.agent.stop()\n"
        "broken, cell, alice = Broken('broken'), Cell('cell'), agent('alice', Poke())\n"
    )
    ended = call("run", script(text))
    assert ended.returncode == 1
    assert "setup of agent broken failed" in ended.stderr
    assert "handle() of agent cell raised an exception" in ended.stderr


@pytest.mark.parametrize(
    ("statement", "code"), [("sys.exit(3)", 3), ("sys.exit()", 0), ("raise KeyboardInterrupt", 130)]
)
def test_an_agent_that_ends_the_program_ends_it_in_order_and_with_its_exit_code(script, statement, code):
    text = (
        "import sys\n"
        "class Leave(OneShotBehaviour):\n"
        f"    async def run(self): {statement}\n"
        "alice, bob = agent('alice', Stay()), agent('bob', Leave())"
    )
    ended = run(script(text))
    assert (ended.returncode, ended.stdout) == (code, "alice waits\nalice ends\n")
    assert "closing container c1: bob/Leave raised " in ended.stderr
    assert "Traceback" not in ended.stderr


def test_dead_letters_are_counted_at_the_end(script):
    text = (
        "class Shout(OneShotBehaviour):\n"
        "    async def run(self):\n"
        "        for name in ('nobody', 'nobody', 'noone'):\n"
        "            await self.send(Message(to=name))\n"
        "            await self.receive()\n"
        "        await self.agent.stop()\n"
        "alice = agent('alice', Shout())"
    )
    ended = call("run", script(text))
    assert ended.returncode == 0
    assert ended.stderr.endswith(
        "dead letters: 3\n"
        "  2 x no agent named 'nobody' lives in container c1\n"
        "  1 x no agent named 'noone' lives in container c1\n"
    )


def test_the_seed_makes_the_same_again(script):
    text = (
        "class Roll(Stop):\n"
        "    async def run(self):\n"
        "        print(self.agent.random.random())\n"
        "        await self.agent.stop()\n"
        "alice = agent('alice', Roll())"
    )
    path = script(text)
    rolls = [call("run", path, "--seed", seed).stdout for seed in (7, 7, 8)]
    assert rolls[0] == rolls[1] != rolls[2]


def test_an_agent_started_twice_is_one_sentence(script):
    text = (
        "class Twin(Agent):\n"
        "    async def setup(self): await self.container.start(Agent('bob'))\n"
        "twin, bob = Twin('alice'), Agent('bob')\n"
    )
    ended = call("run", script(text))
    assert ended.returncode == 1
    assert ended.stderr.endswith(
        "formicary: an agent named 'bob' already lives in container c1; choose another name\n"
    )


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["nosuch.py"], 2, "the script nosuch.py cannot be read (No such file or directory)"),
        (["{script}", "--name", "C1"], 2, "'C1' is not a valid container name"),
        (["{script}", "--platform", "a b"], 2, "'a b' is not a valid platform domain"),
        (
            ["{script}", "--server", "{folder}"],
            3,
            "no server is running in {folder}; start one with: formicary server",
        ),
    ],
)
def test_what_cannot_be_used_is_one_sentence_and_nothing_runs(script, tmp_path, arguments, code, sentence):
    values = {"script": script("alice = agent('alice', Stop())"), "folder": tmp_path / "none"}
    ended = call("run", *(argument.format(**values) for argument in arguments))
    assert (ended.returncode, ended.stdout) == (code, "")
    assert ended.stderr.startswith(f"formicary: {sentence.format(**values)}")
    assert ended.stderr.count("\n") == 1
    assert not (tmp_path / "none").exists()


def test_help_has_an_example_and_no_colours_where_they_are_not_wanted():
    environment = {**os.environ, "NO_COLOR": "1", "FORCE_COLOR": "", "TERM": "xterm-256color"}
    ended = subprocess.run([*RUN, "--help"], capture_output=True, text=True, check=True, env=environment)
    assert "formicary run echo.py --server local --name c2" in ended.stdout
    assert "\x1b[" not in ended.stdout


def test_what_a_script_has_written_to_a_file_that_it_leaves_open_is_kept(tmp_path):
    script = tmp_path / "noting.py"
    script.write_text("""\
from formicary import Agent, OneShotBehaviour

class Note(OneShotBehaviour):
    async def run(self):
        self.agent.notes = open("notes", "w")
        self.agent.notes.write("seen")
        await self.agent.stop()

class Noting(Agent):
    async def setup(self):
        self.add_behaviour(Note())

agent = Noting("agent")
""")
    subprocess.run([*RUN, script], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "notes").read_text() == "seen"
