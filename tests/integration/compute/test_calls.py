"""Whole programs that compute: as scripts, with `formicary run`, interrupted, and killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import psutil
import pytest

from formicary import Container
from formicary.errors import ComputeError, UsageError

PROGRAM = """
import asyncio, os, time
from formicary import Agent, Container, OneShotBehaviour

def pid():
    return os.getpid()

def endless():
    print("begun", os.getpid(), flush=True)
    while True:
        time.sleep(3600)

class Ask(OneShotBehaviour):
    async def run(self):
        print("it was", "another" if await self.compute(pid) != os.getpid() else "the same", "process")
        await self.compute(FUNCTION)
        await self.agent.stop()

async def main():
    agent = Agent("a")
    agent.add_behaviour(Ask())
    async with Container("c1", compute_in="processes") as container:
        await container.start(agent)
        await agent.join()
"""
GUARDED = '\nif __name__ == "__main__":\n    asyncio.run(main())\n'
UNGUARDED = "\nasyncio.run(main())\n"


def written(folder, end, function="pid"):
    path = folder / "shop.py"
    path.write_text(PROGRAM.replace("FUNCTION", function) + end, encoding="utf-8")
    return path


def run(*command):
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=60, check=False)


def begun(path, *before):
    """Start a program whose function never returns; return it, and the process that this runs in."""
    program = subprocess.Popen(
        [sys.executable, *before, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    lines = program.stdout.readline(), program.stdout.readline()
    assert lines[1].startswith("begun"), (lines, program.stderr.read())
    return program, psutil.Process(int(lines[1].split()[1]))


def test_functions_of_a_program_are_found(tmp_path):
    done = run(written(tmp_path, GUARDED))
    assert (done.returncode, done.stdout, done.stderr) == (0, "it was another process\n", "")


def test_a_program_that_starts_over_in_each_worker_is_told(tmp_path):
    done = run(written(tmp_path, UNGUARDED))
    assert done.returncode == 1
    assert "this program opens a container when it is imported, as each worker process does" in done.stderr
    assert (
        "a worker process has ended with exit code 1 when it started, and may have written the reason"
        in done.stderr
    )


def test_functions_of_a_script_that_is_run_by_the_command_are_found(tmp_path):
    path = written(tmp_path, "\na = Agent('a')\na.add_behaviour(Ask())\n")
    done = run("-c", "from formicary.cli import main; main()", "run", path)
    assert (done.returncode, done.stdout) == (0, "it was another process\n")


def test_ctrl_c_ends_what_never_returns(tmp_path):
    program, worker = begun(written(tmp_path, GUARDED, "endless"))
    os.killpg(program.pid, signal.SIGINT)  # as the terminal does
    _, errors = program.communicate(timeout=60)
    assert program.returncode == -signal.SIGINT
    assert "SpawnProcess" not in errors  # the worker has said nothing
    psutil.wait_procs([worker], timeout=60)
    assert not worker.is_running()


def test_a_worker_ends_with_a_container_that_is_killed(tmp_path):
    program, worker = begun(written(tmp_path, GUARDED, "endless"))
    program.kill()
    program.communicate(timeout=60)
    psutil.wait_procs([worker], timeout=60)
    assert not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE


@pytest.mark.parametrize("name", ["nothing", "process"])
def test_an_unknown_kind_of_worker_is_refused(name):
    with pytest.raises(UsageError, match=f"'threads', 'interpreters', not '{name}'"):
        Container("c1", compute_in=name)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="this Python has interpreters")
def test_interpreters_need_a_python_that_has_them():
    with pytest.raises(
        UsageError, match=r"needs Python 3\.14 or later, and this is 3\.1\d\.\d+\S*: use 'processes'"
    ):
        Container("c1", compute_in="interpreters")


@pytest.mark.skipif(sys.version_info < (3, 14), reason="this Python has no interpreters")
async def test_an_interpreter_of_its_own_runs_what_needs_nothing_of_the_platform(tmp_path, monkeypatch):
    (tmp_path / "sums.py").write_text("def add(one, other):\n    return one + other\n", encoding="utf-8")
    (tmp_path / "uses.py").write_text("import formicary\ndef nothing():\n    pass\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    import sums
    import uses

    async with Container("c1", compute_in="interpreters") as container:
        assert await container.compute(sums.add, 2, 3) == 5
        with pytest.raises(TypeError, match="unsupported operand"):
            await container.compute(sums.add, 2, "x")
        with pytest.raises(ComputeError, match=r"nothing\(\) cannot be sent"):
            await container.compute(uses.nothing)
