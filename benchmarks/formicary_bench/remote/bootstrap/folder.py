"""Our folder on a host, and our processes there. For the standard library of Python 3.8."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

from formicary_bench.remote.bootstrap import loop

if TYPE_CHECKING:
    from collections.abc import Iterator

MARKER = "formicary-hosts.txt"
"""The file that marks a folder as ours."""

SCRATCH = "scratch"
"""Its subfolder with a folder of each running host agent."""

IN_USE = "lock"
"""The file that a host agent keeps locked there, with its process and place."""

RECORD = "record.json"
"""The file that records what was prepared."""

LOCK = "lock"
"""The file that is locked while the rest is changed."""

_SAYS = "Formicary keeps here what measurements need. `formicary hosts clean` removes it.\n"
_ANOTHER = "; name another one with `folder` in the inventory"
_SECONDS_TO_END = 5.0
_FEW_SECONDS = 0.02


def is_ours(folder: Path) -> bool:
    """Return whether a folder has our marker, or nothing but what host agents keep while they run."""
    if (folder / MARKER).is_file():
        return True
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    return bool(names) and names <= {SCRATCH}


def claim(folder: Path) -> None:
    """Make a folder ours, private to our user, if it is not.

    Raises:
        FailedError: it has files that are not ours, or others may write to it.
        OSError: it cannot be made.
    """
    before = os.umask(0o077)  # which is for the folders above it
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    finally:
        os.umask(before)
    found = folder.stat()
    if found.st_uid != os.geteuid() or found.st_mode & 0o002:
        raise loop.FailedError(
            f"the folder {folder} belongs to another user, or others may write to it{_ANOTHER}"
        )
    if any(folder.iterdir()) and not is_ours(folder):
        raise loop.FailedError(f"the folder {folder} is not empty and not ours{_ANOTHER}")
    (folder / MARKER).write_text(_SAYS, encoding="ascii")


@contextlib.contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Keep others from preparing or cleaning a folder while the block lasts.

    Raises:
        FailedError: another process is doing so.
    """
    with (folder / LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise loop.FailedError(
                f"another process is preparing or cleaning {folder}; wait until it has ended"
            ) from None
        yield


def record(folder: Path) -> dict[str, object]:
    """Return the record of `formicary hosts prepare`; empty if there is none."""
    try:
        found = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def left(folder: Path) -> dict[int, str]:
    """Return the host agents that run on this host, as process ids with command lines.

    A file's process id holds while the file is locked. Hosts may share a home folder, and those of a lab the
    kernel too: agents of other hosts are left out.
    """
    found = {}
    for file in _locked(folder):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            said = json.loads(file.read_text(encoding="ascii"))
            if said["where"] == where() != "" and int(said["pid"]) > 1:
                found[int(said["pid"])] = str(said["command"])
    return found


def is_in_use(folder: Path) -> bool:
    """Return whether a host agent, on any host, uses the folder."""
    return any(True for _ in _locked(folder))


def _locked(folder: Path) -> Iterator[Path]:
    for file in (folder / SCRATCH).glob(f"*/{IN_USE}"):
        with contextlib.suppress(FileNotFoundError), file.open("r+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                yield file


def end(folder: Path, pid: int) -> bool:
    """End a process that `left` returned, kill it after 5 s, and return whether it is gone."""
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
    """Return what identifies this boot of the kernel and these namespaces; empty if unknown."""
    with contextlib.suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        # The network is what makes a host of a lab. Path.readlink came with Python 3.9.
        spaces = [os.readlink(f"/proc/self/ns/{kind}") for kind in ("net", "pid")]  # noqa: PTH115
        return " ".join([boot, *spaces])
    return ""
