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

RUNNING = "running"
"""The folder in it with a file for each process of ours."""

SCRATCH = "scratch"
"""The folder in it where host agents keep what they need while they run."""

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
    """Say whether a folder has our marker, or nothing but what host agents keep while they run."""
    if (folder / MARKER).is_file():
        return True
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    return bool(names) and names <= {RUNNING, SCRATCH}


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


def note(folder: Path, pid: int) -> Path:
    """Write down that a process of ours runs, so that `formicary hosts clean` knows it for certain.

    Args:
        folder: one of ours.
        pid: the process, which runs its own program already; `forget` it when it has ended.

    Returns:
        The file that says so.
    """
    running = folder / RUNNING
    running.mkdir(mode=0o700, exist_ok=True)
    file = running / f"{pid}.json"
    draft = running / f"{pid}.new"
    draft.write_text(json.dumps(_traits(pid)), encoding="ascii")
    draft.replace(file)
    return file


def forget(folder: Path, pid: int) -> None:
    """Remove what `note` has written, if anything."""
    with contextlib.suppress(FileNotFoundError):
        (folder / RUNNING / f"{pid}.json").unlink()
    with contextlib.suppress(OSError):  # others run still
        (folder / RUNNING).rmdir()


def record(folder: Path) -> dict[str, object]:
    """Return what `formicary hosts prepare` has written down; empty if it has not been here."""
    try:
        found = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def left(folder: Path) -> dict[int, str]:
    """Return the processes of ours that run still, with their command lines; forget those that have ended.

    A process is ours if it has the number, the command line and the start time that were noted, in the same
    run of the kernel: a number alone may be another's by now. Hosts may share a home folder, and those of a
    lab a kernel too, so what others have noted stays, and is not returned.
    """
    found = {}
    boot, network = _boot(), _network("self")
    for file in sorted((folder / RUNNING).glob("*.json")):
        pid = int(file.stem) if file.stem.isdigit() else 0
        try:
            noted = json.loads(file.read_text(encoding="ascii"))
        except (OSError, ValueError):
            noted = {}
        noted = noted if isinstance(noted, dict) else {}
        if pid > 1 and noted.get("started") and noted == _traits(pid):
            if noted["network"] == network:
                found[pid] = str(noted["command"])
        elif noted.get("boot") == boot:
            forget(folder, pid)
    return found


def is_in_use(folder: Path) -> bool:
    """Say whether a host agent runs that keeps something in the folder, on this host or another one."""
    for file in (folder / SCRATCH).glob("*/lock"):
        with contextlib.suppress(FileNotFoundError), file.open("r+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return True
    return False


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


def _traits(pid: int) -> dict[str, str]:
    """Return what tells a process from another that gets its number later; nothing in it if it is gone."""
    try:
        command = (
            Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("ascii", "replace").strip()
        )
        # Its name stands in brackets and may have anything in it; the 20th word behind is the start time.
        words = (
            Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        )
    except OSError:
        return {}
    if words[0] in {"Z", "X"}:
        return {}
    return {"command": command, "started": words[19], "boot": _boot(), "network": _network(str(pid))}


def _network(pid: str) -> str:
    """Return which network namespace a process is in: it is what makes a host of a lab."""
    with contextlib.suppress(OSError):
        return os.readlink(f"/proc/{pid}/ns/net")  # noqa: PTH115 -- Path.readlink came with Python 3.9
    return ""


def _boot() -> str:
    """Return what tells this run of the kernel, or of a container's, from all others."""
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return ""
