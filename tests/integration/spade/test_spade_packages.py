"""Packages for SPADE on our containers: nothing in them is changed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.integration.spade.published import HELPERS, fetch_source, install, run_own_tests
from tests.plugins import spade_environment

pytestmark = [
    pytest.mark.spade,
    pytest.mark.timeout(600),
    pytest.mark.full(
        "it is fetched from the network, and the first tier has our own tests of all that it does"
    ),
]

BDI = "0.3.3"
COMMAND = Path(sys.executable).with_name("formicary")
ASKING = """
asked(0).

+!ask(Whom) <-
    .square(4, Square);
    .print("square", Square);
    .send(Whom, tell, likes(tea));
    .send(Whom, tellHow, "+!greet(Name) <- .print(hello, Name).");
    .wait(200);
    .send(Whom, achieve, greet(asker)).
"""
ASKED = """
+likes(What)[source(Who)] <- .print("told", What).
"""
PROGRAM = """
import agentspeak
import asyncio
import spade
from spade.behaviour import OneShotBehaviour
from spade_bdi.bdi import BDIAgent


class Asker(BDIAgent):
    class Watch(OneShotBehaviour):
        async def run(self):
            self.agent.bdi.set_belief("asked", 1)
            while self.agent.bdi.get_belief_value("asked") != ("1",):
                await asyncio.sleep(0.01)
            print("believes", self.agent.bdi.get_belief("asked"))

    async def setup(self):
        self.add_behaviour(self.Watch())

    def add_custom_actions(self, actions):
        @actions.add_function(".square", (int,))
        def square(number):
            return number * number


async def main():
    asked = BDIAgent("asked@localhost", "x", "asked.asl")
    asker = Asker("asker@localhost", "x", "asker.asl")
    await spade.start_agents([asked, asker])
    asker.bdi_agent.call(
        agentspeak.Trigger.addition,
        agentspeak.GoalType.achievement,
        agentspeak.Literal("ask", ("asked@localhost",)),
        agentspeak.runtime.Intention(),
    )
    await asyncio.sleep(2)
    await asker.stop()
    await asked.stop()


spade.run(main())
"""


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packages")
    install(folder, f"spade-bdi=={BDI}", "agentspeak", "colorama", *HELPERS)
    return folder


def test_the_own_tests_of_the_package_for_bdi_pass(packages, tmp_path):
    assert run_own_tests(fetch_source(tmp_path, "spade-bdi", BDI), ["spade_bdi", "utils"], [packages]) > 10


def test_agents_with_agentspeak_act_and_talk(packages, tmp_path):
    for name, text in ("asker.asl", ASKING), ("asked.asl", ASKED), ("program.py", PROGRAM):
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [COMMAND, "run", "--spade", "program.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": f"{packages}{os.pathsep}{spade_environment.packages()}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.splitlines()) == {
        "asker@localhost square 16",
        "asked@localhost told tea",
        "asked@localhost hello asker",
        "believes asked(1)",
    }
