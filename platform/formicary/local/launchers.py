"""Where the processes of containers are started: on this machine, or on the nodes of a Slurm job."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from typing import Final, NamedTuple, Protocol

from formicary.core.errors import UsageError
from formicary.local.addresses import own_address

_SECONDS_TO_LIST: Final = 20.0


class Elsewhere(NamedTuple):
    """How a process is started that is not simply a child of this one.

    Args:
        command: what stands before the program: it runs it, passes on its standard input and output, and ends
            with it.
        interface: the network interface by which it is reached there; empty for the only one, or that of the
            host's name.
    """

    command: tuple[str, ...]
    interface: str


class Launcher(Protocol):
    """Starts the processes of containers on other hosts."""

    @property
    def count(self) -> int:
        """How many containers there are where nobody says."""

    @property
    def address(self) -> str:
        """The IP address at which those elsewhere reach this process.

        Raises:
            UsageError: it is not clear which.
        """

    def place(self, number: int) -> Elsewhere:
        """Return how the process of a container is started; containers are counted from 0."""


class SlurmLauncher:
    """The nodes of the job that this process runs in, one container after the other; see `Launcher`.

    Args:
        interface: the network interface by which they talk; empty for the only one, or that of the node's
            name.

    Raises:
        UsageError: there is no job, or Slurm's commands are missing.
    """

    def __init__(self, interface: str = "") -> None:
        self._interface = interface
        self.nodes: Final = job_nodes()

    @property
    def count(self) -> int:
        """One for each node."""
        return len(self.nodes)

    @property
    def address(self) -> str:
        """That of this node."""
        return own_address(self._interface, node_name()).address

    def place(self, number: int) -> Elsewhere:
        """Have `srun` start it on a node."""
        node = self.nodes[number % len(self.nodes)]
        options = ("--nodes", "1", "--ntasks", "1", "--nodelist", node, "--overlap")
        return Elsewhere(("srun", *options), self._interface)


def node_name() -> str:
    """Return what this host is called: by Slurm, or by itself."""
    return os.environ.get("SLURMD_NODENAME") or socket.gethostname()


def job_nodes() -> tuple[str, ...]:
    """Have Slurm say which nodes the job has that this process runs in.

    Raises:
        UsageError: there is no job, or Slurm does not say.
    """
    nodes = os.environ.get("SLURM_JOB_NODELIST", "")
    if not (os.environ.get("SLURM_JOB_ID") and nodes):
        raise UsageError(
            "--launcher slurm requires a Slurm job (SLURM_JOB_ID and SLURM_JOB_NODELIST are not "
            "set): run the command with sbatch, or after salloc"
        )
    for command in ("scontrol", "srun"):
        if shutil.which(command) is None:
            raise UsageError(f"Slurm's command {command} was not found: --launcher slurm requires it")
    try:
        done = subprocess.run(  # noqa: S603 -- the list is an argument
            ["scontrol", "show", "hostnames", nodes],  # noqa: S607 -- where Slurm is, is the site's choice
            capture_output=True,
            text=True,
            check=True,
            timeout=_SECONDS_TO_LIST,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(f"scontrol cannot resolve the nodes {nodes!r:.80}: {error}") from error
    return tuple(done.stdout.split())
