"""What provides hosts, what starts host agents on them, and all ways to do so by name."""

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
    """Starts host agents; used within one event loop.

    Attributes:
        notes: what a user should know of how hosts are reached, in sentences; complete when all have been
            launched.
    """

    notes: list[str]

    async def launch(self, host: Host) -> HostProgram:
        """Start a host agent, and hear that it is there and that its code is ours.

        Raises:
            HostError: it cannot be started; says why, and what to do.
        """

    def address(self, host: Host) -> str:
        """Return the IP address at which other hosts reach one on which a host agent was started.

        Raises:
            HostError: it is not known.
        """

    async def close(self) -> None:
        """Close what it has opened, and end what it has started; nothing on other hosts is waited for."""


class Provider(NamedTuple):
    """Which hosts there are.

    Attributes:
        inventory: the hosts.
        options: what chooses them on the command line: `--hosts hosts.toml`.
        launcher: returns what starts host agents on these hosts; raises a HostError where what does so is not
            installed.
    """

    inventory: Inventory
    options: str
    launcher: Callable[[], Launcher]


LAUNCHERS: Final = ("ssh", "slurm", "local")


def provider(launcher: str | None, path: Path | None, interface: str | None) -> Provider | None:
    """Return where a run's hosts come from; None where it is to be on this machine alone.

    Args:
        launcher: one of `LAUNCHERS`, or a command with `{host}` in it; None for ssh where there is a file.
        path: the inventory, if one was named.
        interface: the network interface by which hosts are to talk, if one was named.

    Raises:
        UsageError: there is no such launcher, or these do not go together.
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
        return _without_file(launcher, interface or "")
    if path is None:
        raise UsageError(
            f"--launcher {launcher} needs a file that says which hosts there are: --hosts hosts.toml"
        )
    return _of_file(launcher, path)


def _without_file(launcher: str, interface: str) -> Provider:
    from formicary_bench.remote.launchers.commands import local_provider, slurm_provider

    return local_provider() if launcher == "local" else slurm_provider(interface)


def _of_file(launcher: str, path: Path) -> Provider:
    from formicary_bench.remote.launchers.commands import command_provider
    from formicary_bench.remote.launchers.ssh import inventory_provider

    return inventory_provider(path) if launcher == "ssh" else command_provider(path, launcher)
