"""A real Slurm on the hosts of a lab, for the time of a test: its controller on the first, a node on each.

    def test_something(cluster):
        job = cluster.submit("formicary run script.py --launcher slurm")
        cluster.wait(job)

What a job prints is in `cluster.output(job)`. Where Slurm is not installed the test is left out, on the gate
it fails; where this kernel's control groups are none that Slurm can use, it is left out with what Slurm says.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.plugins.namespaces import need_namespaces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.plugins.hosts import Lab, LabHost

_SECONDS = 120.0  # for it to come up, and for a job
_PROGRAMS = {"slurmctld": "slurmctld", "slurmd": "slurmd", "srun": "slurm-client", "munged": "munge"}
_CONTROL_GROUPS = ("cpuset", "cpu", "cpuacct", "freezer")
_CONFIGURATION = """\
ClusterName=lab
SlurmctldHost=node1({first})
AuthInfo=socket={folder}/munge.socket
SlurmUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
ReturnToService=2
KillWait=2
NodeName=node1 NodeAddr={first} NodeHostname=node1 CPUs=2
NodeName=node2 NodeAddr={second} NodeHostname=node2 CPUs=2
PartitionName=all Nodes=ALL Default=YES MaxTime=10 OverSubscribe=FORCE:4
"""
# In a mount namespace of its own, Slurm sees control groups of one kind only; it refuses a mixture of both.
_NODE = (
    "hostname {name} && mount -t tmpfs none /sys/fs/cgroup && cd /sys/fs/cgroup && "
    "for group in {groups}; do mkdir $group && mount -t cgroup -o $group none $group || exit; done; "
    "cd / && exec slurmd -D -N {name}"
)


@dataclass(frozen=True)
class Cluster:
    """A cluster that is up.

    Attributes:
        hosts: its nodes, node1 and node2.
        folder: where jobs run, and what they print.
        environment: of Slurm's commands.
    """

    hosts: tuple[LabHost, ...]
    folder: Path
    environment: dict[str, str]

    def submit(self, command: str) -> str:
        """Have a shell run a command on the first of both nodes, and return the number of the job."""
        script = self.folder / "job.sh"
        script.write_text(f"#!/bin/sh\n{command}\necho exit $?\n")
        return self.run("sbatch", "--parsable", "--nodes=2", "--ntasks=2", "--output=%j.out", str(script))

    def output(self, job: str) -> str:
        """Return what a job has printed so far."""
        path = self.folder / f"{job}.out"
        return path.read_text() if path.exists() else ""

    def wait(self, job: str) -> None:
        """Wait until a job has ended, on all nodes."""
        deadline = time.monotonic() + _SECONDS
        while self.run("squeue", "--noheader", "--jobs", job):
            assert time.monotonic() < deadline, f"the job does not end: {self.output(job)}"
            time.sleep(0.2)

    def run(self, *command: str) -> str:
        """Run one of Slurm's commands on the first node."""
        done = subprocess.run(
            _on(self.hosts[0], *command),
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
        assert done.returncode == 0, f"{shlex.join(command)}: {done.stderr}"
        return done.stdout.strip()


@pytest.fixture
def cluster(lab: Lab, tmp_path: Path) -> Iterator[Cluster]:
    """Give a cluster with two nodes."""
    need_namespaces(_PROGRAMS)
    first, second = lab.hosts
    for name in ("state", "spool-node1", "spool-node2", "home"):
        (tmp_path / name).mkdir()
    configuration = tmp_path / "slurm.conf"
    addresses = {"first": first.address, "second": second.address}
    configuration.write_text(_CONFIGURATION.format(folder=tmp_path, **addresses))
    (tmp_path / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}:/usr/sbin",
        "SLURM_CONF": str(configuration),
        "HOME": str(tmp_path / "home"),
        "XDG_STATE_HOME": str(tmp_path / "home" / "state"),
    }
    groups = " ".join(_CONTROL_GROUPS)
    with ExitStack() as stack:
        _begin(stack, tmp_path, environment, *_munged(tmp_path))
        controller = _on(first, "unshare", "--uts", "sh", "-c", "hostname node1 && exec slurmctld -D")
        _begin(stack, tmp_path, environment, *controller)
        for name, host in (("node1", first), ("node2", second)):
            node = _NODE.format(name=name, groups=groups)
            command = _on(host, "unshare", "--uts", "--mount", "sh", "-c", node)
            _begin(stack, tmp_path, environment, *command)
        up = Cluster(tuple(lab.hosts), tmp_path, environment)
        _wait_until_idle(up)
        yield up


def _wait_until_idle(cluster: Cluster) -> None:
    deadline = time.monotonic() + _SECONDS
    said = ""
    while time.monotonic() < deadline:
        with suppress(AssertionError):  # the controller does not listen yet
            said = cluster.run("sinfo", "--noheader", "--format=%T %D")
            if said == "idle 2":
                return
        log = cluster.folder / "slurmd.log"
        if log.exists() and "initialization failed" in log.read_text():
            pytest.skip(f"Slurm cannot run a node here: {log.read_text():.300}")
        time.sleep(0.2)
    logs = "".join(path.read_text() for path in cluster.folder.glob("*.log"))
    pytest.fail(f"Slurm's nodes do not come up ({said}): {logs}", pytrace=False)


def _munged(folder: Path) -> list[str]:
    """Return the command of what signs for Slurm, with a key of its own."""
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    folder.chmod(0o755)  # others need not read what is in it, but reach the socket
    files = {"key": "key", "socket": "socket", "pid": "pid", "seed": "seed", "log": "munged"}
    options = [
        f"--{option}-file={folder}/munge.{name}" for option, name in files.items() if option != "socket"
    ]
    return ["munged", "--foreground", "--force", f"--socket={folder}/munge.socket", *options]


def _on(host: LabHost, *command: str) -> list[str]:
    return ["ip", "netns", "exec", host.namespace, *command]


def _begin(stack: ExitStack, folder: Path, environment: dict[str, str], *command: str) -> None:
    """Start a server that ends with the test."""
    stack.enter_context(_server(folder, environment, command))


@contextmanager
def _server(folder: Path, environment: dict[str, str], command: tuple[str, ...]) -> Iterator[None]:
    name = "slurmd" if "slurmd" in command[-1] else Path(command[0]).name
    with (folder / f"{name}.log").open("ab") as log:
        process: subprocess.Popen[Any] = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
