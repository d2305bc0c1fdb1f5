"""All ways to hosts, by the names that `--launcher` takes: one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formicary.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from formicary_bench.remote.launchers.launcher import Provider


def _ssh(path: Path | None, interface: str) -> Provider:
    from formicary_bench.remote.launchers.ssh import inventory_provider

    if path is None:
        raise UsageError("--launcher ssh needs a file that says which hosts there are: --hosts hosts.toml")
    if interface:
        raise UsageError(
            "--interface goes with --launcher slurm: a host of a file says it with its key `interface`"
        )
    return inventory_provider(path)


def _local(path: Path | None, interface: str) -> Provider:
    from formicary_bench.remote.launchers.local import local_provider

    _refuse_file(path, "local")
    if interface:
        raise UsageError(
            "--interface goes with --launcher slurm: on this machine alone, all goes over loopback"
        )
    return local_provider()


def _slurm(path: Path | None, interface: str) -> Provider:
    from formicary_bench.remote.launchers.slurm import slurm_provider

    _refuse_file(path, "slurm")
    return slurm_provider(interface)


def _refuse_file(path: Path | None, launcher: str) -> None:
    if path is not None:
        raise UsageError(
            f"--hosts goes with --launcher ssh: with {launcher} it is known which hosts there are"
        )


LAUNCHERS: Final[dict[str, Callable[[Path | None, str], Provider]]] = {
    "ssh": _ssh,
    "slurm": _slurm,
    "local": _local,
}


def provider(launcher: str | None, path: Path | None, interface: str | None) -> Provider | None:
    """Return where a run's hosts come from; None where it is to be on this machine alone.

    Args:
        launcher: one of `LAUNCHERS`; None for ssh where there is a file.
        path: the inventory, if one was named.
        interface: the network interface by which hosts are to talk, if one was named.

    Raises:
        UsageError: there is no such launcher, or these do not go together.
    """
    if launcher is None and path is None:
        if interface is not None:
            raise UsageError("--interface says nothing without hosts: it goes with --launcher slurm")
        return None
    make = LAUNCHERS.get(launcher or "ssh")
    if make is None:
        raise UsageError(f"--launcher is one of {', '.join(LAUNCHERS)}, not {launcher!r:.40}")
    return make(path, interface or "")
