"""A script's agents on the nodes of a job: where they are, what they say to each other, and how it ends."""

import signal

import pytest
from tests.integration.bench.remote.scene import wait_until
from tests.integration.cli.platforms import call

SCRIPT = """
import socket

from formicary import Agent, CyclicBehaviour, Message, OneShotBehaviour

class Echo(Agent):
    class Answer(CyclicBehaviour):
        async def run(self):
            message = await self.receive(timeout=60)
            if message:
                await self.reply(message, body=self.agent.address)
                await self.agent.stop()

    async def setup(self):
        self.add_behaviour(self.Answer())

class Asker(Agent):
    class Ask(OneShotBehaviour):
        async def run(self):
            await self.send(Message("echo", body="where?"))
            answer = await self.receive(timeout=60)
            print("asked", self.agent.address, "answered", answer.body, flush=True)
            await self.agent.stop()

    async def setup(self):
        self.add_behaviour(self.Ask())

echo, asker = Echo("echo"), Asker("asker")
"""
AGENTS = 'echo, asker = Echo("echo"), Asker("asker")'


@pytest.fixture
def nothing_left(lab):
    before = [set(host.pids()) for host in lab.hosts]
    yield
    wait_until(lambda: [set(host.pids()) for host in lab.hosts] == before, 25.0, "processes are left")


def test_agents_of_a_script_live_on_the_nodes_and_find_each_other(lab, job, nothing_left, tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    process = job("run", "script.py", "--launcher", "slurm")
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert "asked asker@c2." in out + err
    assert "answered echo@c1." in out + err
    first, second = lab.hosts
    assert f"container c1: on Node1, by lab0 at {first.address}" in err
    assert f"container c2: on Node2, by lab0 at {second.address}" in err


def test_ctrl_c_ends_the_containers_on_all_nodes(lab, job, nothing_left, tmp_path):
    (tmp_path / "script.py").write_text(
        SCRIPT.replace('echo, asker = Echo("echo"), Asker("asker")', 'e = [Echo("a"), Echo("b")]')
    )
    process = job("run", "script.py", "--launcher", "slurm")
    line = ""
    while "press Ctrl-C to stop" not in line:
        line = process.stderr.readline()
        assert line
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130


def test_a_program_that_is_killed_takes_its_containers_with_it(lab, job, nothing_left, tmp_path):
    (tmp_path / "script.py").write_text(
        SCRIPT.replace('echo, asker = Echo("echo"), Asker("asker")', 'e = [Echo("a"), Echo("b")]')
    )
    process = job("run", "script.py", "--launcher", "slurm")
    line = ""
    while "press Ctrl-C to stop" not in line:
        line = process.stderr.readline()
        assert line
    process.kill()


@pytest.mark.parametrize(
    ("options", "before", "code", "said"),
    [
        (("--launcher", "slurm"), "sys.exit(1)", 1, "{pid}) ended with exit code 1"),
        (("--launcher", "slurm", "--interface", "ib7"), "", 2, "no active network interface ib7 with"),
        pytest.param(
            ("--launcher", "slurm", "--join", "c9"),
            "",
            2,
            "all containers meet in this process: omit --join",
            marks=pytest.mark.full("--containers refuses it alike, in test_run_spread.py"),
        ),
    ],
)
def test_what_cannot_be_is_one_sentence(job, tmp_path, options, before, code, said):  # noqa: PLR0917
    (tmp_path / "script.py").write_text(SCRIPT)
    process = job("run", "script.py", *options, before=before)
    _, err = process.communicate()
    assert process.returncode == code, err
    assert said.rpartition("{pid}")[2] in " ".join(err.split())
    assert "Traceback" not in err


def test_without_a_launcher_an_interface_is_refused(tmp_path):
    done = call("run", "script.py", "--interface", "lab0")
    assert (done.returncode, "add --launcher slurm" in done.stderr) == (2, True)
