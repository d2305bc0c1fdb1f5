"""The machine of a run: what a reader must know to compare it with another.

Whatever cannot be found out (no permission, another operating system, a container that hides it) is empty: a
run must not fail for lack of a description.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from formicary_bench.results.store.model import Git, Machine, Manifest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from formicary_bench.results.store.model import Option
    from formicary_bench.vocabulary.configuration import Configuration

LIBRARIES = ("msgspec", "uvloop", "numpy", "pyarrow", "scipy", "aioxmpp", "slixmpp")
"""The libraries whose versions are kept, where they are installed."""

_CPU_FREQUENCY = Path("/sys/devices/system/cpu/cpu0/cpufreq")
_GIT_SECONDS = 5


def begin_manifest(
    options: Mapping[str, Option],
    configurations: Iterable[Configuration],
    *,
    loop: str | None = None,
    prosody: str = "",
    left_out: str = "",
    others: Mapping[str, str] | None = None,
) -> Manifest:
    """Describe a run that is about to begin.

    Args:
        options: the options of the run.
        configurations: what will be measured.
        loop: the event loop of the workers; None for the default.
        prosody: Prosody's version, if it takes part.
        left_out: a sentence about what cannot be measured here.
        others: the versions of other platforms, by name.
    """
    import formicary

    return Manifest(
        formicary=formicary.__version__,
        options=dict(options),
        configurations=tuple(configurations),
        machine=collect_machine(loop=loop, prosody=prosody, others=others),
        git=git_state(Path(formicary.__file__)),
        load_before=load_average(),
        started=datetime.now(UTC),
        left_out=left_out,
    )


def collect_machine(
    *, loop: str | None = None, prosody: str = "", others: Mapping[str, str] | None = None
) -> Machine:
    """Describe this machine and this Python; see `begin_manifest` for the arguments."""
    import psutil

    return Machine(
        host=platform.node()[:200],
        cpu=cpu_model(),
        cores=psutil.cpu_count(logical=False) or 0,
        threads=psutil.cpu_count() or 0,
        usable=_usable(),
        memory_bytes=psutil.virtual_memory().total,
        system=_system(),
        kernel=f"{platform.system()} {platform.release()}"[:200],
        python=f"{platform.python_implementation()} {platform.python_version()}",
        python_build=_python_build(),
        loop=_loop() if loop is None else loop,
        prosody=prosody,
        libraries=library_versions() | dict(others or {}),
        governor=_read(_CPU_FREQUENCY / "scaling_governor"),
        frequency_mhz=_frequency_mhz(),
        container=container_hint(),
    )


def load_average() -> tuple[float, float, float] | None:
    """Return the load averages of 1, 5 and 15 minutes; None if the system has none."""
    try:
        return os.getloadavg()
    except (AttributeError, OSError):
        return None


def library_versions() -> dict[str, str]:
    """Return the installed versions of `LIBRARIES`."""
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def cpu_model(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Return the processor's model from Linux's list, or as Python knows it."""
    for line in _read(cpuinfo).splitlines():
        name, _, value = line.partition(":")
        if name.strip() in {"model name", "Model", "Hardware"} and value.strip():
            return " ".join(value.split())[:200]
    return (platform.processor() or platform.machine())[:200]


def container_hint(root: Path = Path("/")) -> str:
    """Return a hint of a container or virtual machine, if any; both change what a figure means."""
    hints = []
    if (root / ".dockerenv").exists():
        hints.append("Docker")
    elif (root / "run/.containerenv").exists():
        hints.append("Podman")
    elif kind := _read(root / "run/systemd/container"):
        hints.append(kind)
    if " hypervisor" in _read(root / "proc/cpuinfo"):
        product = _read(root / "sys/class/dmi/id/product_name")
        hints.append(f"virtual machine ({product})" if product else "virtual machine")
    return ", ".join(hints)[:200]


def git_state(file: Path) -> Git | None:
    """Return the state of the checkout that a source file belongs to.

    Args:
        file: a file that git tracks, if this is a checkout. An installed package, even within another
            checkout, is not tracked and has no such state.
    """
    program = shutil.which("git")
    if program is None or not _git(program, file.parent, "ls-files", "--error-unmatch", file.name):
        return None
    commit = _git(program, file.parent, "rev-parse", "HEAD")
    changes = _git(program, file.parent, "status", "--porcelain", "--untracked-files=no")
    return Git(commit=commit.strip(), dirty=bool(changes)) if commit and changes is not None else None


def _git(program: str, folder: Path, *arguments: str) -> str | None:
    """Return the output of git; None if it fails."""
    try:
        done = subprocess.run(  # noqa: S603 - git, with arguments of our own
            [program, "-C", str(folder), "--no-optional-locks", *arguments],
            capture_output=True,
            check=True,
            encoding="utf-8",
            errors="replace",
            timeout=_GIT_SECONDS,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _usable() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 0


def _system() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "")[:200]
    except OSError:
        return f"{platform.system()} {platform.version()}"[:200]


def _loop() -> str:
    versions = library_versions()
    return f"uvloop {versions['uvloop']}" if "uvloop" in versions else "asyncio"


def _python_build() -> str:
    parts = [platform.python_compiler()]
    if hasattr(sys, "gettotalrefcount"):
        parts.append("debug build")
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        parts.append("free-threaded")
    return ", ".join(parts)[:200]


def _frequency_mhz() -> float | None:
    import psutil

    try:
        frequency = psutil.cpu_freq()
    except (OSError, NotImplementedError, AttributeError):
        return None
    return round(frequency.current, 1) if frequency and frequency.current > 0 else None
