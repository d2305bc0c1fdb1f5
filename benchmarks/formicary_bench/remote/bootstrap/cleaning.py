"""Removing what is ours from a host, and ending what runs of it; nothing else is touched.

For the standard library of Python 3.8: this module is sent to hosts where nothing is installed.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from formicary_bench.remote.bootstrap import folder as ours
from formicary_bench.remote.bootstrap import loop

_NAMES = (
    *("environment", "environment-*", "environment.new", "packages", "wheels", ours.LOCK),
    *(ours.RECORD, f"{ours.RECORD}.new", "running", ours.SCRATCH, ours.MARKER),
)


def clean(folder: str) -> dict[str, Any]:
    """End all processes of ours, and remove all files of ours.

    Returns:
        The `folder`, the `ended` command lines, the number of bytes that were `freed`, and the names of what
        is there and not ours, so that it was `kept`.
    """
    path = Path(folder).expanduser().absolute()
    if not path.is_dir() or not any(path.iterdir()):
        with suppress(OSError):
            path.rmdir()
        return {"folder": str(path), "ended": [], "freed": 0, "kept": []}
    if not ours.is_ours(path):
        raise loop.FailedError(
            f"the folder {path} is not ours, so nothing was removed; correct `folder` in the inventory"
        )
    try:
        with ours.lock(path):
            return {"folder": str(path), **_clean(path)}
    except ours.LockedError as error:
        raise loop.FailedError(f"{error}; wait until that has ended") from None


def _clean(folder: Path) -> dict[str, Any]:
    ended = _end(folder)
    if ours.is_in_use(folder):
        said = f"a measurement on another host uses {folder} as well, so it was not removed"
        raise loop.FailedError(f"{said}; wait until that has ended")
    freed = sum(_remove(each) for pattern in _NAMES for each in folder.glob(pattern))
    kept = sorted(each.name for each in folder.iterdir())
    if not kept:
        folder.rmdir()
    return {"ended": ended, "freed": freed, "kept": kept}


def _end(folder: Path) -> list[str]:
    ended = []
    for pid, command in ours.left(folder).items():
        loop.tell(f"ending process {pid}")
        if not ours.end(folder, pid):
            raise loop.FailedError(f"process {pid} ({command}) does not end; end it there: kill -9 {pid}")
        ended.append(command)
    return ended


def _remove(path: Path) -> int:
    """Remove a file, a link or a folder, and return how many bytes it had."""
    if path.is_symlink() or not path.is_dir():
        size = path.lstat().st_size
        path.unlink()
        return size
    size = sum(each.lstat().st_size for each in path.rglob("*") if not each.is_dir())
    shutil.rmtree(str(path))
    return size


def main() -> None:
    """Answer until nobody asks any more."""
    loop.serve({"clean": clean})
