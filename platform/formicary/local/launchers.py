"""Launchers, which start containers' processes on other hosts by a command such as `srun`."""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from formicary.core.errors import UsageError
from formicary.local.addresses import own_address

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HOST: Final = "{host}"
"""The placeholder for the host's name in a launcher's command."""

SRUN: Final = f"srun --nodes 1 --ntasks 1 --nodelist {HOST} --overlap"
"""The command that starts programs on the nodes of a Slurm job."""

_SECONDS_TO_LIST: Final = 20.0


class Elsewhere(NamedTuple):
    """How to start a process that is not a child of this one.

    Args:
        command: the prefix that runs the program, passes on its standard input and output, and ends with it.
        interface: the network interface of that host; empty for the only one, or that of the host's name.
    """

    command: tuple[str, ...]
    interface: str


class Launcher(Protocol):
    """Starts the processes of containers on other hosts."""

    @property
    def count(self) -> int:
        """The default number of containers."""

    @property
    def address(self) -> str:
        """The IP address at which other hosts reach this process.

        Raises:
            UsageError: the choice is ambiguous.
        """

    def place(self, number: int) -> Elsewhere:
        """Return how to start a container's process; containers are counted from 0."""


class CommandLauncher:
    """Starts containers on hosts in turn, by a command; see `Launcher`.

    Args:
        command: as of `starter`.
        hosts: the host names that the command accepts.
        interface: the network interface that they use; empty for the only one, or that of the host's name.

    Raises:
        UsageError: there is no such command.
    """

    def __init__(self, command: str, hosts: Sequence[str], interface: str = "") -> None:
        self._start_on = starter(command)
        self._interface = interface
        self.hosts: Final = tuple(hosts)

    @property
    def count(self) -> int:
        """The number of hosts."""
        return len(self.hosts)

    @property
    def address(self) -> str:
        """The address of this host."""
        return own_address(self._interface, node_name()).address

    def place(self, number: int) -> Elsewhere:
        """Return the command with the host's name."""
        return Elsewhere(self._start_on(self.hosts[number % len(self.hosts)]), self._interface)


class SlurmLauncher(CommandLauncher):
    """Starts containers on the nodes of this process's job; see `CommandLauncher`.

    Raises:
        UsageError: there is no job, or Slurm's commands are missing.
    """

    def __init__(self, interface: str = "") -> None:
        hosts = job_nodes()
        super().__init__(SRUN, hosts, interface)


def starter(command: str) -> Callable[[str], tuple[str, ...]]:
    """Return a function that returns the command that starts programs on a host.

    Args:
        command: runs the program appended to it, passes on its standard input and output, and ends with it;
            `{host}` is replaced by the host, as in `blaunch {host}`.

    Raises:
        UsageError: there is no such command, or it names no host.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"{command!r:.80} cannot be read as a command ({error}); close its quotes") from None
    if HOST not in command:
        raise UsageError(f"the command {command!r:.80} names no host; write {HOST} where its name belongs")
    if shutil.which(words[0]) is None:
        raise UsageError(f"there is no command {words[0]!r:.80}; load its module, or write its path")
    return lambda host: tuple(word.replace(HOST, host) for word in words)


def node_name() -> str:
    """Return this host's name: Slurm's, or its own."""
    return os.environ.get("SLURMD_NODENAME") or socket.gethostname()


def job_nodes() -> tuple[str, ...]:
    """Return the nodes of this process's job, as Slurm names them.

    Raises:
        UsageError: there is no job, or Slurm cannot name them.
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
