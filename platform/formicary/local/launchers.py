"""Where the processes of containers are started: here, or by a command such as `srun` on other hosts."""

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
"""What stands for the host's name in a launcher's command."""

SRUN: Final = f"srun --nodes 1 --ntasks 1 --nodelist {HOST} --overlap"
"""The command that starts programs on the nodes of a Slurm job."""

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


class CommandLauncher:
    """Hosts on which a command starts programs, one container after the other; see `Launcher`.

    Args:
        command: as of `starter`.
        hosts: the names of the hosts, as the command takes them.
        interface: the network interface by which they talk; empty for the only one, or that of the host's
            name.

    Raises:
        UsageError: there is no such command.
    """

    def __init__(self, command: str, hosts: Sequence[str], interface: str = "") -> None:
        self._start_on = starter(command)
        self._interface = interface
        self.hosts: Final = tuple(hosts)

    @property
    def count(self) -> int:
        """One for each host."""
        return len(self.hosts)

    @property
    def address(self) -> str:
        """That of this host."""
        return own_address(self._interface, node_name()).address

    def place(self, number: int) -> Elsewhere:
        """Return how the command starts it on a host."""
        return Elsewhere(self._start_on(self.hosts[number % len(self.hosts)]), self._interface)


class SlurmLauncher(CommandLauncher):
    """The nodes of the job that this process runs in; see `CommandLauncher`.

    Raises:
        UsageError: there is no job, or Slurm's commands are missing.
    """

    def __init__(self, interface: str = "") -> None:
        hosts = job_nodes()
        super().__init__(SRUN, hosts, interface)


def starter(command: str) -> Callable[[str], tuple[str, ...]]:
    """Return a function that returns the command by which programs are started on a host.

    Args:
        command: it starts the program that is written after it, passes on its standard input and output, and
            ends with it; `{host}` stands for the host, as in `blaunch {host}`.

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
    """Return what this host is called: by Slurm, or by itself."""
    return os.environ.get("SLURMD_NODENAME") or socket.gethostname()


def job_nodes() -> tuple[str, ...]:
    """Ask Slurm for the nodes of the job that this process runs in.

    Raises:
        UsageError: there is no job, or Slurm does not say.
    """
    nodes = os.environ.get("SLURM_JOB_NODELIST", "")
    if not (os.environ.get("SLURM_JOB_ID") and nodes):
        raise UsageError(
            "--launcher slurm works in a job of Slurm, and this is none (SLURM_JOB_ID and "
            "SLURM_JOB_NODELIST are "
            "not set): give the command to sbatch, or after salloc"
        )
    for command in ("scontrol", "srun"):
        if shutil.which(command) is None:
            raise UsageError(f"Slurm's command {command} is not there: --launcher slurm needs it")
    try:
        done = subprocess.run(  # noqa: S603 -- the list is an argument
            ["scontrol", "show", "hostnames", nodes],  # noqa: S607 -- where Slurm is, is the site's choice
            capture_output=True,
            text=True,
            check=True,
            timeout=_SECONDS_TO_LIST,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(f"scontrol does not say which nodes {nodes!r:.80} means: {error}") from error
    return tuple(done.stdout.split())
