"""The counters of this machine: traffic, CPU, memory, and disturbances."""

from __future__ import annotations

import os
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from formicary_bench.remote.host_agent.protocol import Looked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import psutil

_Value = TypeVar("_Value", int, float)

_LOOPBACK = ("lo", "lo0")
_CONTROL_GROUPS = Path("/sys/fs/cgroup")
_BOOT = Path("/proc/sys/kernel/random/boot_id")


def interface_at(address: str) -> str:
    """Return the network interface with an address; empty if there is none."""
    import psutil

    wanted = {address}
    with suppress(OSError):
        wanted |= {str(found[4][0]) for found in socket.getaddrinfo(address, None)}
    for name, addresses in psutil.net_if_addrs().items():
        # A link-local IPv6 address ends with the interface's name.
        if wanted & {one.address.partition("%")[0] for one in addresses}:
            return str(name)
    return ""


def look(interface: str, pids: Iterable[int] = ()) -> Looked:
    """Read all counters: of this machine, of a network interface if any, and of some processes.

    Unknown ones are zero; ended processes are missing.
    """
    import psutil

    traffic = psutil.net_io_counters(pernic=True)
    wire = traffic.get(interface)
    loopback = next((traffic[name] for name in _LOOPBACK if name in traffic), None)
    times = psutil.cpu_times()._asdict()
    swap = psutil.swap_memory()
    families = {pid: _family(pid) for pid in pids}
    return Looked(
        at_ns=time.monotonic_ns(),
        wire_bytes=wire.bytes_sent + wire.bytes_recv if wire else 0,
        wire_packets=wire.packets_sent + wire.packets_recv if wire else 0,
        # Loopback receives what it sends.
        loopback_bytes=loopback.bytes_sent if loopback else 0,
        loopback_packets=loopback.packets_sent if loopback else 0,
        busy_s=sum(times.get(name, 0.0) for name in ("user", "nice", "system", "irq", "softirq")),
        stolen_s=times.get("steal", 0.0),
        idle_s=times.get("idle", 0.0) + times.get("iowait", 0.0),
        swapped_bytes=swap.sin + swap.sout,
        throttled_s=throttled_s(),
        cpu_s=_sums(families, lambda process: float(sum(process.cpu_times()[:2]))),
        uss_bytes=_sums(families, lambda process: int(process.memory_full_info().uss)),
        machine=machine(),
        cores=os.cpu_count() or 0,
    )


def machine() -> str:
    """Return an id of this machine until it restarts, in all of its namespaces."""
    import psutil

    with suppress(OSError):
        return _BOOT.read_text(encoding="ascii").strip()
    return f"{socket.gethostname()}, {psutil.boot_time():.0f}"


def throttled_s(root: Path = _CONTROL_GROUPS, own: Path = Path("/proc/self/cgroup")) -> float:
    """Return the seconds for which our control group throttled its processes."""
    with suppress(OSError):
        for line in own.read_text(encoding="utf-8").splitlines():
            number, controllers, path = line.split(":", 2)
            if number == "0" or "cpu" in controllers.split(","):
                kind = "" if number == "0" else controllers
                if (found := _throttled_s(root / kind, path)) is not None:
                    return found
    return 0.0


def _throttled_s(tree: Path, path: str) -> float | None:
    # In a container, the path may be the host's, and the tree begin at our group.
    for group in (tree / path.lstrip("/"), tree):
        with suppress(OSError, ValueError):
            lines = (group / "cpu.stat").read_text(encoding="utf-8").splitlines()
            stat = {name: int(value) for name, value in map(str.split, lines)}
            if "throttled_usec" in stat:
                return stat["throttled_usec"] / 1e6
            if "throttled_time" in stat:  # version 1 counts in nanoseconds
                return stat["throttled_time"] / 1e9
    return None


def _family(pid: int) -> list[psutil.Process]:
    """Return a process and its children, such as another platform's driver; nothing if it has ended."""
    import psutil

    try:
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    except psutil.Error:
        return []


def _sums(
    families: Mapping[int, list[psutil.Process]], value: Callable[[psutil.Process], _Value]
) -> dict[int, _Value]:
    """Return the sum of a value over each family, without families whose first process has ended."""
    import psutil

    found: dict[int, _Value] = {}
    for pid, family in families.items():
        for process in family:
            if process.pid == pid or pid in found:
                with suppress(psutil.Error):
                    found[pid] = found.get(pid, 0) + value(process)
    return found
