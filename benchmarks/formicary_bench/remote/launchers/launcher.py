"""Providers of hosts, with launchers that start host agents there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from formicary.errors import UsageError
from formicary.local.launchers import HOST

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from formicary_bench.remote.host_agent.program import HostProgram
    from formicary_bench.remote.inventory import Host, Inventory


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
            raise UsageError("--interface says nothing without hosts: it goes with --launcher slurm")
        return None
    launcher = launcher or "ssh"
    if launcher not in LAUNCHERS and HOST not in launcher:
        raise UsageError(
            f"--launcher is one of {', '.join(LAUNCHERS)}, or a command with {HOST} in it, "
            f"not {launcher!r:.40}"
        )
    if interface and launcher != "slurm":
        where = "on this machine alone, all goes over loopback"
        if launcher != "local":
            where = "a host of a file says it with its key `interface`"
        raise UsageError(f"--interface goes with --launcher slurm: {where}")
    if launcher in {"slurm", "local"}:
        if path is not None:
            raise UsageError(
                f"--hosts goes with --launcher ssh or a command: with {launcher} it is known which "
                "hosts there are"
            )
        from formicary_bench.remote.launchers.commands import local_provider, slurm_provider

        return local_provider() if launcher == "local" else slurm_provider(interface or "")
    if path is None:
        raise UsageError(
            f"--launcher {launcher} needs a file that says which hosts there are: --hosts hosts.toml"
        )
    from formicary_bench.remote.launchers.commands import command_provider
    from formicary_bench.remote.launchers.ssh import inventory_provider

    return inventory_provider(path) if launcher == "ssh" else command_provider(path, launcher)
