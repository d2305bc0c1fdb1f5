"""The facts about a host on which `formicary hosts check` and `prepare` decide.

For the standard library of Python 3.8: this module is sent to hosts where nothing is installed.
"""

from __future__ import annotations

import errno
import importlib.util
import json
import os
import platform
import re
import shutil
import socket
import sys
import sysconfig
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

from formicary_bench.remote.bootstrap import folder as ours
from formicary_bench.remote.bootstrap import loop

_SECONDS_TO_SAY = 15.0
_PROSODY_IN = ("/usr/bin", "/usr/sbin", "/usr/local/bin")  # where packages put it, on the user's PATH or not
_PORTS = {5269: "federated XMPP servers", 5347: "containers at an XMPP server"}
_LOOKS_APART = 0.3  # s
_BUSY = 0.1  # of a core: who takes less disturbs nobody
_MANY = 5
_SYS_PTRACE = 19  # the capability's number


def look(folder: str, interpreter: str, question: str, listen: str) -> dict[str, Any]:
    """Return all facts.

    Args:
        folder: our folder.
        interpreter: the Python where formicary is, or should be, installed.
        question: a program for it, which prints an object of JSON.
        listen: the IP address for other hosts; that of the SSH connection if empty.
    """
    return {
        **python(),
        "folder": about_folder(folder),
        "formicary": about_formicary(interpreter, question),
        "prosody": about_prosody(),
        "listen": about_listening(listen),
        "machine": about_machine(),
        "identity": ours.where() or f"{platform.node()} {uuid.getnode()}",
        "tracing": may_trace(Path("/proc")),
    }


def python() -> dict[str, Any]:
    """Describe this Python, for the choice of wheels."""
    version = ".".join(map(str, sys.version_info[:3]))
    return {
        "python": version,
        "kind": sysconfig.get_config_var("SOABI") or f"{sys.implementation.cache_tag}-{sys.platform}",
        "libc": list(platform.libc_ver()),
        "has_venv": importlib.util.find_spec("venv") is not None,
        "markers": {
            "implementation_name": sys.implementation.name,
            "implementation_version": version,
            "os_name": os.name,
            "platform_machine": platform.machine(),
            "platform_python_implementation": platform.python_implementation(),
            "platform_release": platform.release(),
            "platform_system": platform.system(),
            "platform_version": platform.version(),
            "python_full_version": platform.python_version(),
            "python_version": ".".join(platform.python_version_tuple()[:2]),
            "sys_platform": sys.platform,
        },
    }


def about_folder(folder: str) -> dict[str, Any]:
    """Return the owner of a folder, what was prepared there, and the free space."""
    path = Path(folder).expanduser()
    place = next(each for each in (path, *path.parents) if each.exists())
    state = "ours" if ours.is_ours(path) else "foreign"
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        state = "new"
    is_writable = place.is_dir() and os.access(str(place), os.W_OK | os.X_OK)
    return {
        "path": str(path.absolute()),
        "state": state if is_writable else "closed",
        "free_bytes": shutil.disk_usage(str(place)).free,
        "record": ours.record(path),
        "running": list(ours.left(path).values()) if state == "ours" else [],
    }


def about_formicary(interpreter: str, question: str) -> dict[str, Any]:
    """Return what an interpreter answers to a question about its packages."""
    if not Path(interpreter).exists():
        return {"absent": True}
    try:
        code, output, complaints = loop.run([interpreter, "-I", "-c", question], _SECONDS_TO_SAY)
    except loop.FailedError as error:
        return {"failed": str(error)}
    with suppress(ValueError):
        answer = json.loads(output)
        if code == 0 and isinstance(answer, dict):
            return answer
    lines = complaints.strip().splitlines() or [f"it ended with exit code {code}"]
    return {"failed": lines[-1]}


def about_prosody() -> dict[str, Any]:
    """Return the version of the XMPP server, if there is one."""
    places = os.pathsep.join([os.environ.get("PATH", os.defpath), *_PROSODY_IN])
    program = shutil.which("prosodyctl", path=places)
    if program is None or shutil.which("prosody", path=places) is None:
        return {}
    try:
        _, output, _ = loop.run([program, "about"], _SECONDS_TO_SAY)  # `prosody --version` would start it
    except loop.FailedError as error:
        return {"failed": str(error)}
    found = re.search(r"^Prosody (\d\S*|hg:\S+|trunk)", output, re.MULTILINE)
    return {"version": found[1]} if found else {"failed": f"{program} about does not say its version"}


def about_listening(listen: str) -> dict[str, Any]:
    """Return whether programs can listen for other hosts, and which usual ports are taken."""
    address = listen or came_by()
    try:
        taken = [port for port in (0, *_PORTS) if is_taken(address, port)]
    except (OSError, UnicodeError) as error:
        return {"address": address, "failed": getattr(error, "strerror", None) or str(error)}
    return {"address": address, "taken": {str(port): _PORTS[port] for port in taken if port}}


def came_by() -> str:
    """Return the address of this host in the SSH connection."""
    words = os.environ.get("SSH_CONNECTION", "").split()
    return words[2] if len(words) == 4 else "127.0.0.1"  # noqa: PLR2004 -- client and server: address and port


def is_taken(address: str, port: int) -> bool:
    """Return whether another program listens there; raise an OSError if none can."""
    (family, kind, _, _, where), *_ = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)
    with socket.socket(family, kind) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(where)
            listener.listen()
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            return True
    return False


def about_machine() -> dict[str, Any]:
    """Return processors, memory and load."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {
        "cores": os.cpu_count() or usable,
        "usable": usable,
        "load": os.getloadavg()[0],
        "memory_bytes": memory(_read("/proc/meminfo")),
        "others": others(),
    }


def memory(meminfo: str) -> int:
    """Return the bytes of memory in `/proc/meminfo`; 0 if unknown."""
    found = re.search(r"^MemTotal: *(\d+) kB", meminfo, re.MULTILINE)
    return int(found[1]) << 10 if found else 0


def others() -> list[str]:
    """Return other busy programs, with user and cores, the busiest first."""
    before = _ticks()
    time.sleep(_LOOKS_APART)
    second = os.sysconf("SC_CLK_TCK") * _LOOKS_APART
    busy = []
    for pid, (ticks, name) in _ticks().items():
        share = (ticks - before.get(pid, (ticks, ""))[0]) / second
        if share >= _BUSY and pid != os.getpid():
            busy.append((share, f"{_owner(pid)}'s {name} ({share:.1f} cores)"))
    return [said for _, said in sorted(busy, reverse=True)[:_MANY]]


def _ticks() -> dict[int, tuple[int, str]]:
    """Return the CPU time and the name of each process."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        before, _, rest = _read(str(path)).rpartition(")")
        if rest:
            words = rest.split()
            found[int(path.parent.name)] = (int(words[11]) + int(words[12]), before.partition("(")[2])
    return found


def _owner(pid: int) -> str:
    import pwd

    try:
        uid = Path(f"/proc/{pid}").stat().st_uid
    except OSError:
        return "somebody"
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def may_trace(proc: Path) -> str:
    """Return why a sampler may not trace processes of its user; empty if it seems allowed."""
    capabilities = re.search(r"^CapEff:\s*([0-9a-f]+)", _read(str(proc / "self/status")), re.MULTILINE)
    if capabilities and int(capabilities[1], 16) >> _SYS_PTRACE & 1:
        return ""
    level = _read(str(proc / "sys/kernel/yama/ptrace_scope")).strip()
    return f"kernel.yama.ptrace_scope is {level}" if level in {"1", "2", "3"} else ""


def _read(path: str) -> str:
    with suppress(OSError):
        return Path(path).read_text(encoding="utf-8", errors="replace")
    return ""


def main() -> None:
    """Answer until standard input ends."""
    loop.serve({"look": look, "time": time.time_ns})
