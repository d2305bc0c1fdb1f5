"""Whether a lab is up, and what there is of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from formicary_bench.netlab import processes
from formicary_bench.netlab.folder import LabFolder
from formicary_bench.netlab.lab import LabHost

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from formicary_bench.netlab.lab import Lab


class HostStatus(LabHost, frozen=True):
    """One host of a lab, as it is now.

    Attributes:
        server: the process of its SSH server; None if it does not run.
        processes: how many run there, the server among them.
    """

    server: int | None
    processes: int


class Status(msgspec.Struct, frozen=True):
    """A lab, as it is now.

    Attributes:
        state: "up"; "down" if there is none; "incomplete" if some of it is missing.
        folder: its state folder.
        inventory: the file to give to other commands.
        address: of this machine, as the hosts see it.
        rate: what each host can send; no limit if empty.
        delay: how long its packets are on their way; none if empty.
        hosts: its hosts.
    """

    state: Literal["up", "down", "incomplete"]
    folder: str
    inventory: str
    address: str = ""
    rate: str = ""
    delay: str = ""
    hosts: Sequence[HostStatus] = ()


def look(where: Path | None) -> Status:
    """Look at the lab of a folder.

    Args:
        where: the folder; the one in the user's home if None.

    Raises:
        LabError: the folder cannot be read.
    """
    folder = LabFolder(where)
    return of(folder, folder.read())


def of(folder: LabFolder, lab: Lab | None) -> Status:
    """Look at a lab.

    Args:
        folder: its folder.
        lab: what the folder says; None if it says nothing.
    """
    if lab is None:
        return Status("down", str(folder.path), str(folder.inventory))
    hosts = [_host(folder, host) for host in lab.hosts]
    is_up = lab.made and folder.inventory.exists() and all(host.server for host in hosts)
    return Status(
        state="up" if is_up else "incomplete",
        folder=str(folder.path),
        inventory=str(folder.inventory),
        address=lab.address,
        rate=lab.rate,
        delay=lab.delay,
        hosts=hosts,
    )


def _host(folder: LabFolder, host: LabHost) -> HostStatus:
    running = processes.on(host.namespace)
    server = processes.server(folder, host.name)
    is_up = server in running
    return HostStatus(host.name, host.namespace, host.address, server if is_up else None, len(running))
