"""The state of a lab, and the processes on its hosts."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from formicary_bench.netlab import LabError
from formicary_bench.netlab.folder import LabFolder, LabHost

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.netlab.folder import Lab


_NAMESPACES = Path("/run/netns")  # where `ip netns` keeps them
_SECONDS_TO_OBEY = 2.0
_SECONDS_TO_DIE = 5.0


def end_all(folder: LabFolder, namespaces: Iterable[str]) -> int:
    """End all processes on the hosts of a lab, and return how many.

    Args:
        folder: the lab's folder, which finds its servers even if their namespaces have lost their names.
        namespaces: the names of its namespaces.

    Raises:
        LabError: some do not end.
    """
    places = {_identity(_NAMESPACES / name) for name in namespaces}
    places |= {_identity(Path(f"/proc/{pid}/ns/net")) for pid in _servers(folder)}
    places -= {None, _identity(Path("/proc/self/ns/net")), _identity(Path("/proc/1/ns/net"))}
    seen: set[int] = set()
    obey = time.monotonic() + _SECONDS_TO_OBEY
    while running := _in(places):
        if time.monotonic() > obey + _SECONDS_TO_DIE:
            raise LabError(f"the processes {sorted(running)} on the lab's hosts do not exit; try again later")
        is_late = time.monotonic() > obey
        for pid in running if is_late else running - seen:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL if is_late else signal.SIGTERM)
        seen |= running
        time.sleep(0.02)
    return len(seen)


def on(namespace: str) -> list[int]:
    """Return the processes in a namespace."""
    return sorted(_in({_identity(_NAMESPACES / namespace)} - {None}))


def server(folder: LabFolder, name: str) -> int | None:
    """Return the process of a host's SSH server; None if it does not run."""
    config = folder.host(name, "config")
    with suppress(OSError, ValueError):
        pid = int(folder.host(name, "pid").read_text(encoding="ascii"))
        # sshd's title has its command line. The id may be another process's by now.
        if os.fsencode(config) in Path(f"/proc/{pid}/cmdline").read_bytes():
            return pid
    return None


def _servers(folder: LabFolder) -> Iterable[int]:
    for path in folder.path.glob("sshd-*.pid"):
        pid = server(folder, path.name.removeprefix("sshd-").removesuffix(".pid"))
        if pid is not None:
            yield pid


def _in(places: set[tuple[int, int] | None]) -> set[int]:
    return {
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdecimal() and _identity(entry / "ns" / "net") in places
    }


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


class HostStatus(LabHost, frozen=True):
    """The state of a host: its SSH server's process, if it runs, and its number of processes."""

    server: int | None
    processes: int


class Status(msgspec.Struct, frozen=True):
    """The state of a lab.

    Attributes:
        state: "up", "down", or "incomplete" if parts are missing.
        folder: its folder.
        inventory: its inventory, for other commands.
        address: this machine's address for the hosts.
        rate: the bandwidth of each host; empty for no limit.
        delay: the delay of its packets; empty for none.
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
    """Return the state of a folder's lab; raise a LabError if the folder cannot be read."""
    folder = LabFolder(where)
    return of(folder, folder.read())


def of(folder: LabFolder, lab: Lab | None) -> Status:
    """Return the state of a lab, recorded in a folder or not."""
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
    running = on(host.namespace)
    ssh_server = server(folder, host.name)
    is_up = ssh_server in running
    return HostStatus(host.name, host.namespace, host.address, ssh_server if is_up else None, len(running))
