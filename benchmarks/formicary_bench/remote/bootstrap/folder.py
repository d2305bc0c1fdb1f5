"""The folder on a host where everything of ours is kept, and which processes of ours run on it.

For the standard library of Python 3.8: this module is also sent to hosts where nothing is installed.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MARKER = "formicary-hosts.txt"
"""The file by which a folder is known to be ours."""

SCRATCH = "scratch"
"""The folder in it where each host agent has a folder while it runs, with a file that it keeps locked."""

IN_USE = "lock"
"""The name of that file: it says where which process is."""

RECORD = "record.json"
"""The file in it that says what was prepared."""

LOCK = "lock"
"""The file in it that whoever changes the rest has locked."""

_SAYS = "Formicary keeps here what measurements need. `formicary hosts clean` removes it.\n"
_SECONDS_TO_END = 5.0
_FEW_SECONDS = 0.02


class NotOursError(Exception):
    """The folder is somebody else's; the message is a sentence without a full stop."""


class LockedError(Exception):
    """Somebody else changes the folder; the message is a sentence without a full stop."""


def is_ours(folder: Path) -> bool:
    """Return whether a folder has our marker, or nothing but what host agents keep while they run."""
    if (folder / MARKER).is_file():
        return True
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    return bool(names) and names <= {SCRATCH}


def claim(folder: Path) -> None:
    """Make a folder ours, for our user alone; nothing happens if it is ours already.

    Args:
        folder: its absolute path.

    Raises:
        NotOursError: there is something in it that is not ours, or somebody else may write to it.
        OSError: it cannot be made.
    """
    before = os.umask(0o077)  # which is for the folders above it
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    finally:
        os.umask(before)
    found = folder.stat()
    if found.st_uid != os.geteuid() or found.st_mode & 0o002:
        raise NotOursError(f"the folder {folder} is another user's, or others may write to it")
    if any(folder.iterdir()) and not is_ours(folder):
        raise NotOursError(f"the folder {folder} is not empty and not ours")
    (folder / MARKER).write_text(_SAYS, encoding="ascii")


@contextlib.contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Keep others from preparing or cleaning a folder while the block lasts.

    Raises:
        LockedError: somebody else does so.
    """
    with (folder / LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise LockedError(f"somebody else prepares or cleans {folder} just now") from None
        yield


def record(folder: Path) -> dict[str, object]:
    """Return what `formicary hosts prepare` has written down; empty if it has not been here."""
    try:
        found = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def left(folder: Path) -> dict[int, str]:
    """Return the host agents that run on this host, with their command lines.

    A process has the number that its file says for as long as it keeps that locked. Hosts may share a home
    folder, and those of a lab a kernel too, so what others have locked is not returned.
    """
    found = {}
    for file in _locked(folder):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            said = json.loads(file.read_text(encoding="ascii"))
            if said["where"] == where() != "" and int(said["pid"]) > 1:
                found[int(said["pid"])] = str(said["command"])
    return found


def is_in_use(folder: Path) -> bool:
    """Return whether a host agent runs that keeps something in the folder, on this host or another one."""
    return any(True for _ in _locked(folder))


def _locked(folder: Path) -> Iterator[Path]:
    for file in (folder / SCRATCH).glob(f"*/{IN_USE}"):
        with contextlib.suppress(FileNotFoundError), file.open("r+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                yield file


def end(folder: Path, pid: int) -> bool:
    """End a process that `left` has returned, and wait; say whether it is gone.

    Whoever is asked to end and has not after 5 s is killed.
    """
    for order in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, order)
        until = time.monotonic() + _SECONDS_TO_END
        while time.monotonic() < until:
            if pid not in left(folder):
                return True
            time.sleep(_FEW_SECONDS)
    return False


def where() -> str:
    """Return what tells this run of the kernel and these namespaces from all others; empty if unknown."""
    with contextlib.suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        # The network is what makes a host of a lab. Path.readlink came with Python 3.9.
        spaces = [os.readlink(f"/proc/self/ns/{kind}") for kind in ("net", "pid")]  # noqa: PTH115
        return " ".join([boot, *spaces])
    return ""
