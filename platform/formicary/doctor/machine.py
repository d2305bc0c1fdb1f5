"""Checks of the machine for measurements: clocks, process figures, noise, ports."""

from __future__ import annotations

import os
import platform
import socket
import sys
import time
from pathlib import Path

from formicary.core.systems import is_posix, usable_cores
from formicary.doctor.finding import Finding, good, limited, missing

_COARSE = 1e-4  # s between different readings of a CPU clock: more is too coarse for short windows
_CHANGES = 20
_PATIENCE = 1.0  # s
_FEW_CORES = 4
_LOADED = 0.3  # of each usable core
_STOLEN = 0.01
_GOVERNOR = Path("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
_PORTS = {5269: "federated servers", 5347: "containers at a server"}


def system() -> Finding:
    """Check whether the operating system supports all of Formicary."""
    said = f"{platform.system()} {platform.release()}"
    if not is_posix():
        return limited(
            "system",
            f"{said}: a container, conversations, labs and compute work; platforms of several "
            "containers, servers, sleeping agents, profiles and measurements do not",
            "use Linux, macOS or the Windows Subsystem for Linux",
        )
    if sys.platform != "linux":
        return limited("system", f"{said}, on which Formicary is not tested; it is tested on Linux")
    return good("system", said)


def clocks() -> Finding:
    """Measure the resolution of a thread's CPU clock, and the cost of reading it."""
    step, reading = _step(), _reading()
    said = f"a thread's advances in steps of {step * 1e6:.3g} µs, and takes {reading * 1e6:.2g} µs to read"
    if step > _COARSE:
        return limited("CPU clock", said, "measure for 10 s or longer")
    return good("CPU clock", said)


def _step() -> float:
    """Return the median step of the clock, from those within a second at most."""
    steps: list[float] = []
    until = time.monotonic() + _PATIENCE
    before = time.thread_time()
    while len(steps) < _CHANGES and time.monotonic() < until:
        now = time.thread_time()
        if now != before:
            steps.append(now - before)
            before = now
    return sorted(steps)[len(steps) // 2] if steps else _PATIENCE


def _reading(count: int = 1000) -> float:
    began = time.perf_counter()
    for _ in range(count):
        time.thread_time()
    return (time.perf_counter() - began) / count


def processes() -> Finding:
    """Check whether the system reports the process figures that profiles need."""
    import psutil

    process, absent = psutil.Process(), []
    for name in ("cpu_times", "threads", "memory_info", "memory_full_info", "children"):
        try:
            getattr(process, name)()
        except (psutil.Error, OSError, AttributeError, NotImplementedError):
            absent.append(name)
    try:
        psutil.net_io_counters()
    except (psutil.Error, OSError):
        absent.append("net_io_counters")
    if "cpu_times" in absent:
        return missing(
            "process figures", "the system does not report the CPU time of processes", "mount /proc"
        )
    if absent:
        return limited("process figures", f"the system does not report: {', '.join(absent)}")
    return good("process figures", "CPU by process and thread, memory and network")


def noise(root: Path = Path("/")) -> list[Finding]:
    """Check causes of noise: cores, load, frequencies, a virtual machine."""
    return [_cores(), _load(), _governor(root), _virtual(root)]


def _cores() -> Finding:
    usable = usable_cores()
    said = f"{usable} of {os.cpu_count() or usable} usable"
    if usable < _FEW_CORES:
        return limited("cores", f"{said}: processes on both ends of a conversation compete for cores")
    return good("cores", said)


def _load() -> Finding:
    try:
        load = os.getloadavg()[0]
    except (AttributeError, OSError):
        return limited("load", "the system does not report its load")
    said = f"{load:.2f} in the last minute, on {usable_cores()} cores"
    if load > _LOADED * usable_cores():
        return limited("load", f"{said}: other programs disturb measurements", "measure when they are idle")
    return good("load", said)


def _governor(root: Path) -> Finding:
    governor = _read(root / _GOVERNOR)
    if not governor:
        return good("frequency", "the system does not report its CPU frequency policy")
    if governor != "performance":
        return limited(
            "frequency",
            f"it varies with the load (governor {governor}), which affects short measurements",
            "sudo cpupower frequency-set -g performance",
        )
    return good("frequency", "governor performance")


def _virtual(root: Path) -> Finding:
    if " hypervisor" not in _read(root / "proc/cpuinfo"):
        return good("hardware", "no sign of a virtual machine")
    import psutil

    times = psutil.cpu_times()
    stolen = getattr(times, "steal", 0.0) / max(1.0, sum(times))
    said = f"a virtual machine; {stolen:.1%} of its time went to others"
    return limited(
        "hardware",
        f"{said}: only compare interleaved measurements",
        "measure on a dedicated machine" if stolen > _STOLEN else "",
    )


def ports() -> list[Finding]:
    """Check whether programs can listen on this host, and whether the usual ports are free."""
    try:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
    except OSError as error:
        step = "allow TCP on the loopback interface"
        return [missing("loopback", f"programs cannot listen on 127.0.0.1 ({error.strerror})", step)]
    taken = [f"{port} ({purpose})" for port, purpose in _PORTS.items() if _is_taken(port)]
    found = [good("loopback", "programs can listen on 127.0.0.1")]
    if taken:
        step = "choose another with --port, if the server is not yours"
        return [*found, limited("ports", f"already in use: {', '.join(taken)}", step)]
    return [*found, good("ports", f"{' and '.join(map(str, _PORTS))} are free")]


def _is_taken(port: int) -> bool:
    with socket.socket() as prober:
        prober.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            prober.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


def folder() -> Finding:
    """Check the folder for servers and join addresses."""
    from formicary.core.files import user_state

    path = user_state()
    try:
        place = next(each for each in (path, *path.parents) if each.exists())
        is_fit = os.access(place, os.W_OK | os.X_OK) and place.is_dir()
    except OSError:  # a parent folder is not accessible
        is_fit = False
    if is_fit:
        return good("state folder", str(path))
    return missing("state folder", f"{path} cannot be written", "set XDG_STATE_HOME to a writable folder")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
