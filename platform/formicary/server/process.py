"""The Prosody process: find the program, start it detached, recognize it, and end it."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import time
from typing import TYPE_CHECKING

from formicary.core.errors import ServerError
from formicary.processes.child import ended_with_us

if TYPE_CHECKING:
    from pathlib import Path

_ALSO_IN = ("/usr/bin", "/usr/sbin", "/usr/local/bin")  # where packages install it, even outside PATH
_SECONDS_TO_STOP = 5.0
_SECONDS_BETWEEN_LOOKS = 0.002


def find_program(name: str) -> str:
    """Return the path of a program from the system package of the same name.

    Raises:
        ServerError: it is not installed.
    """
    places = os.pathsep.join([os.environ.get("PATH", os.defpath), *_ALSO_IN])
    if found := shutil.which(name, path=places):
        return found
    raise ServerError(
        f"the program {name} is not installed; install it (Debian, Ubuntu: sudo apt-get install {name})"
    )


def launch(program: str, config: Path, log: Path, *, die_with_parent: bool) -> int:
    """Start Prosody in its own session and return its process ID.

    Args:
        program: path of Prosody's program.
        config: its configuration, whose path identifies the process later.
        log: the file for its output.
        die_with_parent: kill it when the calling thread ends, however it ends. Linux only; elsewhere it
            outlives a killed parent.

    Raises:
        OSError: it cannot be started.
    """
    command = [program, "--config", str(config), "-F"]
    if die_with_parent:
        command = ended_with_us(command)
    # Not subprocess.Popen, which expects to outlive its process; the server outlives us.
    return os.posix_spawn(
        command[0],
        command,
        os.environ,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
        setsigdef=[signal.SIGPIPE],  # Python ignores it, which a child would inherit
    )


def is_gone(pid: int) -> bool:
    """Return whether a process has ended; reap it if it is a child of ours.

    A zombie of another parent counts as gone: in a container image without an init process it stays one for
    ever.
    """
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    import psutil

    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def is_prosody(pid: int | None, config: Path) -> bool:
    """Return whether `pid` is still the Prosody with this configuration, not a process with a reused ID."""
    import psutil

    if pid is None:
        return False
    try:
        return str(config) in psutil.Process(pid).cmdline()
    except psutil.Error:
        return False


def end(pid: int, *, kill: bool = False) -> None:
    """End a process known to be ours, and wait until it is gone.

    Args:
        pid: the process.
        kill: whether to kill it instead of terminating it.

    Raises:
        ServerError: it still exists after 10 s.
    """
    for order in (signal.SIGKILL,) if kill else (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, order)
        deadline = time.monotonic() + _SECONDS_TO_STOP
        while time.monotonic() < deadline:
            if is_gone(pid):
                return
            time.sleep(_SECONDS_BETWEEN_LOOKS)
    raise ServerError(f"process {pid} does not exit; end it with: kill -9 {pid}")
