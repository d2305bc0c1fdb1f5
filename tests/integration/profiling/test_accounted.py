"""Programs that run with their CPU time accounted from beginning to end."""

from __future__ import annotations

import subprocess
import sys

import pytest

from formicary.profiling.model.profile import Method, decode

PROGRAM = """
import asyncio, sys
from formicary import Agent, Container, OneShotBehaviour

class Work(OneShotBehaviour):
    async def run(self):
        for _ in range(100):
            sum(range(300_000))
            await asyncio.sleep(0)

async def main(name):
    worker, work = Agent("worker"), Work()
    worker.add_behaviour(work)
    async with Container(name) as container:
        await container.start(worker)
        await work.join()
        if name == "fails":
            raise ValueError("on purpose")

for name in sys.argv[1:]:
    asyncio.run(main(name))
sys.exit(7)
"""


@pytest.fixture
def account(tmp_path):
    """Give what runs the program with these names of containers: its exit code, its errors, the profile."""
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")

    def run(*names):
        command = [
            sys.executable,
            "-m",
            "formicary.profiling.accounted",
            "profile.json",
            "program.py",
            *names,
        ]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        files = {path.name: path for path in tmp_path.iterdir()}
        assert set(files) <= {"program.py", "profile.json"}
        found = files.get("profile.json")
        return done, None if found is None else decode(found.read_bytes())

    return run


def test_the_profile_is_of_the_time_with_a_container(account):
    done, profile = account("c1")
    assert (done.returncode, done.stderr) == (7, "")
    (process,) = profile.processes
    assert (profile.method, process.name, profile.is_partial) == (Method.ACCOUNTED, "c1", False)
    seconds = {each.agent: each.cpu_s for each in process.accounts if each.group == "agents"}
    assert seconds["worker/Work"] > 0.8 * process.cpu_s


def test_of_several_times_it_is_the_longest_and_says_so(account):
    done, profile = account("c1", "c2")
    assert done.returncode == 7
    assert profile.is_partial
    assert "had containers open 2 times" in profile.warnings[-1]


def test_a_program_that_fails_fails_as_ever_and_has_its_profile(account):
    done, profile = account("fails")
    assert done.returncode == 1
    assert "ValueError: on purpose" in done.stderr
    assert profile.processes[0].name == "fails"


def test_a_program_without_a_container_has_none(account):
    done, profile = account()
    assert (done.returncode, profile) == (7, None)
