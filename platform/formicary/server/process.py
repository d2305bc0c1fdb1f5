"""The Prosody process: finding the program, starting it apart from us, knowing it again, ending it."""

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

_ALSO_IN = ("/usr/bin", "/usr/sbin", "/usr/local/bin")  # where packages put it, on the user's PATH or not
_SECONDS_TO_STOP = 5.0
_SECONDS_BETWEEN_LOOKS = 0.002


def find_program(name: str) -> str:
    """Return the path of a program, which is in the system's package of the same name.

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
    """Start Prosody in a session of its own and return its process id.

    Args:
        program: path of Prosody's program.
        config: its configuration; its path is how the process is known again.
        log: gets everything that it writes.
        die_with_parent: kill it when the thread that calls this ends, however it ends. Linux only; elsewhere
            it outlives a parent that is killed.

    Raises:
        OSError: it cannot be started.
    """
    command = [program, "--config", str(config), "-F"]
    if die_with_parent:
        command = ended_with_us(command)
    # Not subprocess.Popen: that object wants to be kept as long as the server runs, which is longer than we.
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
        setsigdef=[signal.SIGPIPE],  # Python ignores it, and a child would inherit that
    )


def is_gone(pid: int) -> bool:
    """Return whether a process has ended; reap it if it is a child of ours.

    One that has ended but that its own parent has not let go of counts as gone: in a container image without
    an init process it stays so for ever.
    """
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    import psutil

    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def is_prosody(pid: int | None, config: Path) -> bool:
    """Return whether `pid` still is the Prosody with this configuration, not another that got its number."""
    import psutil

    if pid is None:
        return False
    try:
        return str(config) in psutil.Process(pid).cmdline()
    except psutil.Error:
        return False


def end(pid: int, *, kill: bool = False) -> None:
    """End a process that is known to be ours and wait until it is gone.

    Args:
        pid: the process.
        kill: at once, without letting it take leave.

    Raises:
        ServerError: it is still there after 10 s.
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
