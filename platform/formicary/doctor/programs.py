"""Checks of what is installed, Python, libraries, extras and the XMPP server, and of what py-spy may do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from formicary.core.errors import ServerError, TracingError
from formicary.doctor.finding import good, limited, missing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary.doctor.finding import Finding

_OLDEST_PROSODY = (0, 12)
_SECONDS = 10.0  # for a program to answer
# It may be preceded by "Prosody was unable to find lua-unbound", with advice.
_VERSION = re.compile(r"^Prosody (\d\S*|hg:\S+|trunk)", re.MULTILINE)
_PYTHON = re.compile(r"Programming Language :: Python :: (3\.\d+)")
_EXTRAS = {
    "accounts": ("ordinary XMPP accounts", (("aioxmpp", "slixmpp"), ("scramp",), ("dnspython",))),
    "bench": ("laboratory, `formicary bench`", (("jinja2",), ("numpy",), ("pyarrow",), ("scipy",))),
    "lab": ("sampling profiles", (("py-spy",),)),
}
"""The purpose of each extra, and its distributions: one of each."""
_CHILD = "import sys; print(flush=True); sys.stdin.read()"  # ends with us, however we end
_INSTEAD = "`formicary profile` uses exact accounting instead, which costs more"
_SCOPE = Path("/proc/sys/kernel/yama/ptrace_scope")


def python(distribution: str = "formicary") -> Finding:
    """Check whether Formicary is tested with this version of Python."""
    this = f"{sys.implementation.name} {'.'.join(map(str, sys.version_info[:3]))}"
    classifiers: list[str] = []
    with suppress(metadata.PackageNotFoundError):
        classifiers = metadata.metadata(distribution).get_all("Classifier", [])
    tried = [found[1] for text in classifiers if (found := _PYTHON.fullmatch(text))]
    if not tried:
        return limited("Python", f"{this}; unknown whether Formicary was tested with it")
    if sys.implementation.name == "cpython" and ".".join(map(str, sys.version_info[:2])) in tried:
        return good("Python", f"{this}, with which Formicary is tested")
    return limited(
        "Python", f"{this}, with which Formicary is not tested", f"use CPython {tried[0]} to {tried[-1]}"
    )


def libraries(distribution: str = "formicary") -> Finding:
    """Check whether Formicary's dependencies are installed."""
    try:
        needed = sorted(_needed(metadata.requires(distribution) or []))
    except metadata.PackageNotFoundError:
        return limited("libraries", f"{distribution} is not installed, so its dependencies are unknown")
    absent = [name for name in needed if _version(name) is None]
    if absent:
        return missing("libraries", f"not installed: {', '.join(absent)}", f"pip install {' '.join(absent)}")
    return good("libraries", f"all {len(needed)} required packages are installed")


def _needed(requirements: Iterable[str]) -> set[str]:
    """Return the names of the libraries required without extras on every system."""
    plain = (text for text in requirements if ";" not in text)
    return {re.split(r"[^A-Za-z0-9._-]", text, maxsplit=1)[0] for text in plain}


def uvloop() -> Finding:
    """Check for uvloop, the fast event loop."""
    version = _version("uvloop")
    if version is None:
        return limited("uvloop", "not installed: messages take 1.4 to 2 times as long", "pip install uvloop")
    return good("uvloop", version)


def extras() -> list[Finding]:
    """Check for optional dependencies."""
    found = []
    for name, (purpose, needed) in _EXTRAS.items():
        versions = [
            next((f"{each} {version}" for each in names if (version := _version(each))), None)
            for names in needed
        ]
        if None not in versions:
            found.append(good(f"extra {name}", ", ".join(filter(None, versions))))
        else:
            found.append(
                limited(f"extra {name}", f"not installed: no {purpose}", f'pip install "formicary[{name}]"')
            )
    return found


def prosody() -> Finding:
    """Check for the XMPP server; `prosody --version` would start it."""
    from formicary.server.process import find_program

    without = "containers meet without a server, and XMPP is not available"
    try:
        find_program("prosody")
        program = find_program("prosodyctl")
    except ServerError as error:
        sentence, _, step = str(error).partition("; ")
        return limited("Prosody", f"{sentence}: {without}", step)
    try:
        done = _run(program, "about")  # its own administration program, which starts nothing
    except (OSError, subprocess.TimeoutExpired) as error:
        return limited(
            "Prosody", f"prosodyctl does not report its version ({error})", f"try: {program} about"
        )
    return _prosody_of(done.stdout, program)


def _prosody_of(said: str, program: str) -> Finding:
    found = _VERSION.search(said)
    if found is None:
        return limited("Prosody", "prosodyctl does not report its version", f"try: {program} about")
    numbers = tuple(int(number) for number in re.findall(r"\d+", found[1])[:2])
    if numbers and numbers < _OLDEST_PROSODY:
        oldest = ".".join(map(str, _OLDEST_PROSODY))
        return limited(
            "Prosody", f"version {found[1]} is too old for a managed server", f"install {oldest} or later"
        )
    return good("Prosody", found[1])


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 -- as written above
        command,
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
        timeout=_SECONDS,
    )


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def tracing() -> Finding:
    """Check whether py-spy is installed and may trace; takes 10 s at most."""
    from formicary.profiling.sampling.sampler import find_program

    try:
        program = find_program()
    except TracingError:
        return limited("tracing", f"py-spy is not installed: {_INSTEAD}", 'pip install "formicary[lab]"')
    try:
        problem = _try(program)
    except (OSError, subprocess.TimeoutExpired) as error:
        problem = str(error)
    if problem is None:
        return good("tracing", "py-spy may inspect processes")
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    cause, step = explain(_SCOPE, Path("/"), platform=sys.platform, is_root=is_root)
    return limited("tracing", f"py-spy may not inspect processes ({cause or problem}): {_INSTEAD}", step)


def _try(program: str) -> str | None:
    """Try py-spy on one of our processes; return its output if it fails."""
    command = [sys.executable, "-c", _CHILD]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:  # noqa: S603 -- as written
        assert child.stdout is not None
        child.stdout.readline()  # now Python has started completely
        done = _run(program, "dump", "--pid", str(child.pid))
    if done.returncode == 0:
        return None
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    return lines[0] if lines else f"it ended with exit code {done.returncode}"


def explain(scope: Path, root: Path, *, platform: str, is_root: bool) -> tuple[str, str]:
    """Return the likely cause of a denied permission, if known, and what to do.

    Args:
        scope: the kernel's file with the ptrace scope.
        root: the root of the file system.
        platform: as of `sys.platform`.
        is_root: whether root tried.
    """
    if platform == "darwin":
        return "macOS only allows it for root", "run it with sudo"
    if (root / ".dockerenv").exists() or (root / "run/.containerenv").exists():
        return "the container is not permitted to", "start the container with --cap-add SYS_PTRACE"
    try:
        level = scope.read_text(encoding="ascii").strip()
    except OSError:
        level = "0"
    if level == "3":
        return (
            "kernel.yama.ptrace_scope is 3 until the next boot",
            "boot with it set to 0 or 1",
        )
    if level in {"1", "2"} and not is_root:
        return (
            f"kernel.yama.ptrace_scope is {level}",
            "sudo sysctl kernel.yama.ptrace_scope=0, or run it with sudo",
        )
    return "", "run it as root, or grant it the capability CAP_SYS_PTRACE"
