"""The folder of a host agent's temporary files: gone with it, or with the next host agent of its user."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import platform
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from formicary.core.private import make_private_folder
from formicary_bench.remote.bootstrap.folder import IN_USE, SCRATCH, where

if TYPE_CHECKING:
    from collections.abc import Iterator

_DRAFT, _READY = "new-", "host-agent-"
_ATTEMPTS = 20


@contextmanager
def scratch(folder: Path) -> Iterator[Path]:
    """Make a folder for this process below `folder`, and remove it, and those that dead agents have left.

    Whoever uses a folder holds a lock in it, which the system releases when a process ends, however it ends.
    (Its number would not do: hosts may share a home folder, and numbers are given again.)

    Raises:
        OSError: it cannot be made.
    """
    path, lock = _make(folder / SCRATCH)
    with lock:
        try:
            remove_left_over(folder)
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)
            with contextlib.suppress(OSError):  # what is not empty stays: there are others
                path.parent.rmdir()
                folder.rmdir()


def remove_left_over(folder: Path) -> int:
    """Remove what host agents that are gone have left below `folder`, and say how many they were."""
    count = 0
    for path in (folder / SCRATCH).glob(f"{_READY}*"):
        with contextlib.suppress(OSError), (path / IN_USE).open("r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path, ignore_errors=True)
            count += 1
    return count


def _make(above: Path) -> tuple[Path, IO[bytes]]:
    draft = _draft(above)
    lock = (draft / IN_USE).open("w+b")
    said = {"pid": os.getpid(), "command": " ".join(sys.orig_argv), "where": where()}
    lock.write(json.dumps(said).encode("ascii"))
    lock.flush()
    fcntl.flock(lock, fcntl.LOCK_EX)
    # Only now may others look whether it is left over.
    name = f"{_READY}{platform.node()[:64]}-{os.getpid()}-{draft.name.removeprefix(_DRAFT)}"
    return draft.rename(above / name), lock


def _draft(above: Path, attempts: int = _ATTEMPTS) -> Path:
    try:
        make_private_folder(above)
        return Path(tempfile.mkdtemp(prefix=_DRAFT, dir=above))
    except (FileNotFoundError, FileExistsError):  # another host agent, at its end, has removed what was empty
        if attempts == 1:
            raise
        return _draft(above, attempts - 1)
