"""A check whether py-spy may trace other processes, tried on one of our own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from formicary.core.errors import TracingError
from formicary.doctor.finding import good, limited

if TYPE_CHECKING:
    from formicary.doctor.finding import Finding

_SECONDS = 10.0
_CHILD = "import sys; print(flush=True); sys.stdin.read()"  # ends with us, however we end
_INSTEAD = "`formicary profile` uses exact accounting instead, which costs more"
_SCOPE = Path("/proc/sys/kernel/yama/ptrace_scope")


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
        done = subprocess.run(  # noqa: S603 -- py-spy, with arguments of our own
            [program, "dump", "--pid", str(child.pid)],
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
        )
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
