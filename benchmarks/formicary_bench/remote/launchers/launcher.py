"""Providers of hosts, with launchers that start host agents there."""

from __future__ import annotations

import os
import re
import shlex
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from formicary.errors import UsageError
from formicary.local.launchers import HOST, SRUN, job_nodes, starter
from formicary_bench.remote.inventory import Host, Inventory, load
from formicary_bench.remote.launchers.commands import CommandLauncher
from formicary_bench.remote.launchers.ssh import SshLauncher

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from formicary_bench.remote.host_agent.program import HostProgram

_LOOPBACK: Final = "127.0.0.1"
_LEAST, _MOST = 2, 8  # hosts


class Launcher(Protocol):
    """Starts host agents, within one event loop.

    Attributes:
        notes: sentences for the user on how hosts are reached; complete after all launches.
    """

    notes: list[str]

    async def launch(self, host: Host) -> HostProgram:
        """Start a host agent, and check that its code is ours.

        Raises:
            HostError: it cannot be started; with what to do.
        """

    def address(self, host: Host) -> str:
        """Return the IP address of a host for the others; raise a HostError if it is unknown."""

    async def close(self) -> None:
        """Close connections and end processes, without waiting for other hosts."""


class Provider(NamedTuple):
    """Hosts, the options of the command line that choose them, and a factory of their launcher."""

    inventory: Inventory
    options: str
    launcher: Callable[[], Launcher]


LAUNCHERS: Final = ("ssh", "slurm", "local")


def provider(launcher: str | None, path: Path | None, interface: str | None) -> Provider | None:
    """Return the provider of a run's hosts; None for this machine alone.

    Args:
        launcher: one of `LAUNCHERS`, or a command with `{host}` in it; None for ssh if there is a file.
        path: the inventory, if any.
        interface: the network interface between the hosts, if chosen.

    Raises:
        UsageError: there is no such launcher, or the options do not fit together.
    """
    if launcher is None and path is None:
        if interface is not None:
            raise UsageError("--interface needs --launcher slurm")
        return None
    launcher = launcher or "ssh"
    if launcher not in LAUNCHERS and HOST not in launcher:
        raise UsageError(
            f"--launcher is one of {', '.join(LAUNCHERS)}, or a command with {HOST} in it, "
            f"not {launcher!r:.40}"
        )
    if interface and launcher != "slurm":
        where = "on this machine alone, all traffic is over loopback"
        if launcher != "local":
            where = "in a hosts' file, set the key `interface` of a host"
        raise UsageError(f"--interface is for --launcher slurm: {where}")
    if launcher in {"slurm", "local"}:
        if path is not None:
            raise UsageError(f"--hosts is for --launcher ssh or a command: {launcher} knows its hosts")
        return _local() if launcher == "local" else _slurm(interface or "")
    if path is None:
        raise UsageError(f"--launcher {launcher} needs a hosts' file: --hosts hosts.toml")
    if launcher != "ssh":
        start_on, options = starter(launcher), f"--hosts {path} --launcher {shlex.quote(launcher)}"
        return Provider(load(path), options, lambda: CommandLauncher(start_on))
    inventory = load(path)
    return Provider(inventory, f"--hosts {path}", lambda: SshLauncher(inventory.hosts))


def _local() -> Provider:
    """Return a host for each processor of this machine, but at least two."""
    count = max(_LEAST, min(os.cpu_count() or 1, _MOST))
    names = (f"local-{number}" for number in range(1, count + 1))
    hosts = tuple(Host(name=name, address=_LOOPBACK, listen=_LOOPBACK) for name in names)
    options = "--launcher local"
    return Provider(Inventory(options, hosts), options, CommandLauncher)


def _slurm(interface: str) -> Provider:
    """Return the nodes of this process's job."""
    hosts = (Host(name=_host_name(node), address=node, interface=interface) for node in job_nodes())
    inventory = Inventory(f"job {os.environ['SLURM_JOB_ID']}", tuple(hosts))
    options = "--launcher slurm" + (f" --interface {interface}" if interface else "")
    return Provider(inventory, options, lambda: CommandLauncher(starter(SRUN)))


def _host_name(node: str) -> str:
    """Return a node's name in the alphabet of hosts' names."""
    return re.sub(r"[^a-z0-9]+", "-", node.lower()).strip("-")[:63]
