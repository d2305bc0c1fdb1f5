"""A job of Slurm on the hosts of a lab: stand-ins for its commands put each task into a namespace.

    def test_something(job):
        process = job("run", "script.py", "--launcher", "slurm")
        out, err = process.communicate()

`formicary` runs on the first node, in the test's folder; Node1 and Node2 are the hosts of the fixture `lab`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.plugins.hosts import Lab

_SRUN = """#!{python}
import os, signal, subprocess, sys

nodes = {nodes!r}
arguments = sys.argv[1:]
options = {{}}
while arguments[0].startswith("-"):
    option = arguments.pop(0)
    options[option] = "" if option == "--overlap" else arguments.pop(0)
{before}
chosen = [options["--nodelist"]] if "--nodelist" in options else list(nodes)
assert int(options["--nodes"]) == int(options["--ntasks"]) == len(chosen), options
tasks = [
    subprocess.Popen(
        ["ip", "netns", "exec", nodes[node], *arguments],
        env={{**os.environ, "SLURM_PROCID": str(rank), "SLURMD_NODENAME": node}},
    )
    for rank, node in enumerate(chosen)
]
signal.signal(signal.SIGTERM, lambda *_: [task.terminate() for task in tasks])
sys.exit(max(abs(task.wait()) for task in tasks))
"""
_SCONTROL = """#!{python}
import sys
assert sys.argv[1:] == ["show", "hostnames", "Node[1-2]"], sys.argv
print("Node1\\nNode2")
"""


class StartJob(Protocol):
    """What the fixture `job` gives."""

    def __call__(self, *arguments: str, before: str = "", **environment: str) -> subprocess.Popen[str]:
        """Run `formicary` on the first node.

        Args:
            arguments: those of the command.
            before: Python that the stand-in for srun does at first.
            environment: what is else in the environment than in a job's.
        """


@pytest.fixture
def job(lab: Lab, tmp_path: Path) -> Iterator[StartJob]:
    """Give a function that runs the command on the first node of a job with two."""
    programs = tmp_path / "bin"
    programs.mkdir()
    nodes = {f"Node{number}": host.namespace for number, host in enumerate(lab.hosts, 1)}
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, before: str = "", **environment: str) -> subprocess.Popen[str]:
        for name, text in (("srun", _SRUN), ("scontrol", _SCONTROL)):
            program = programs / name
            program.write_text(text.format(python=sys.executable, nodes=nodes, before=before))
            program.chmod(0o755)
        command = [sys.executable, "-P", "-c", "from formicary.cli import main; main()"]
        process = subprocess.Popen(
            ["ip", "netns", "exec", lab.hosts[0].namespace, *command, *arguments],
            cwd=tmp_path,
            env={
                **os.environ,
                "PATH": f"{programs}:{os.environ['PATH']}",
                "XDG_STATE_HOME": str(tmp_path / "shared"),
                "HOME": str(tmp_path / "home"),
                "SLURM_JOB_ID": "17",
                "SLURM_JOB_NODELIST": "Node[1-2]",
                "SLURMD_NODENAME": "Node1",
                **environment,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()
