"""`spade.run`, and programs with an event loop of their own."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys

import pytest

from formicary import spade
from formicary.spade.agent import Agent
from formicary.spade.container import Container


@pytest.fixture(autouse=True)
def plain_loop(monkeypatch):
    """Run in asyncio's own loop: the first one of uvloop in a process leaves a pipe open."""
    monkeypatch.setattr("formicary.spade.container.loop_factory", lambda: None)


def test_run_logs_an_exception_and_closes_the_container(caplog):
    agents = []

    async def main():
        agent = Agent("bob@localhost")
        await agent.start()
        agents.append(agent)
        raise LookupError("no")

    with caplog.at_level(logging.ERROR):
        spade.run(main(), embedded_xmpp_server=True)
    assert "the program ended with an exception" in caplog.text
    assert not agents[0].is_alive()


def test_started_behaviours_run_and_end_even_if_main_returns_at_once():
    seen = []

    class Greet(spade.behaviour.OneShotBehaviour):
        async def run(self):
            seen.append("run")

        async def on_end(self):
            seen.append("end")

    class Wait(spade.behaviour.CyclicBehaviour):
        async def run(self):
            await self.receive(timeout=60)

    async def main():
        for number in range(300):  # more than the container resumes in one turn of the loop
            agent = Agent(f"a{number}@localhost")
            agent.add_behaviour(Greet())
            agent.add_behaviour(Wait())
            await agent.start()

    spade.run(main())
    assert (seen.count("run"), seen.count("end")) == (300, 300)


def test_a_behaviour_stopped_before_its_run_still_starts_and_ends():
    seen = []

    class Greet(spade.behaviour.OneShotBehaviour):
        async def on_start(self):
            seen.append("start")

        async def run(self):
            seen.append("run")

        async def on_end(self):
            seen.append("end")

    async def main():
        agent = Agent("bob@localhost")
        agent.add_behaviour(Greet())
        await agent.start()
        await agent.stop()

    spade.run(main())
    assert seen == ["start", "end"]


def test_a_program_with_its_own_loop_has_a_container_that_ends_with_it():
    agent = Agent("bob@localhost")
    hosts = []

    async def main():
        await asyncio.gather(agent.start(), Agent("ann@localhost").start())
        hosts.append(await Container().open())

    asyncio.run(main())
    assert not agent.is_alive()
    assert not hosts[0].is_open


def test_sys_exit_in_a_behaviour_ends_the_program_with_its_code():
    class Leave(spade.behaviour.OneShotBehaviour):
        async def run(self):
            raise SystemExit(7)

    async def main():
        agent = Agent("bob@localhost")
        agent.add_behaviour(Leave())
        await agent.start()
        await spade.wait_until_finished(agent)

    with pytest.raises(SystemExit) as ended:
        spade.run(main())
    assert ended.value.code == 7


def test_a_program_that_leaves_its_loop_open_ends_silently(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        """
import asyncio
from formicary.spade.agent import Agent

agent = Agent("bob@localhost")
loop = asyncio.new_event_loop()
loop.run_until_complete(agent.start())
print(agent.is_alive())
""",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")
