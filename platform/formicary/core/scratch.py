"""Folders that last as long as their process, mainly for sockets; those of dead processes are removed.

A folder is in the system's temporary folder, and contains a mark: a file that its process keeps locked. The
system releases the lock when the process ends, however it ends. (Process ids would not do: they are reused,
and processes in other namespaces look dead from here.) Creating a folder removes those whose mark is not
locked.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Self

from formicary.core.systems import lock as take_lock
from formicary.core.systems import need_posix

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX = "formicary-"
"""The prefix of these folders' names."""

MARK = "in-use"
"""The name of the file that is locked while the folder is in use."""

_SAYS = b"Formicary uses this folder while this file is locked, and removes it afterwards.\n"
_OTHERS = 0o077  # the permissions of everybody else


class ScratchFolder:
    """A private folder of this process.

    Attributes:
        path: its path.
    """

    def __init__(self, path: Path, lock: int | None) -> None:
        self.path = path
        self._lock = lock
        self._is_there = True

    @classmethod
    def make(cls) -> Self:
        """Create a folder; once in each process, this removes those of dead processes.

        Raises:
            OSError: it cannot be created.
        """
        _sweep_once()
        path = Path(tempfile.mkdtemp(prefix=PREFIX))  # of mode 0700
        return cls(path, _mark(path))

    @classmethod
    def claim(cls, path: Path) -> Self | None:
        """Reuse a folder of a former process of this user, or create it again at the same path.

        Args:
            path: its path. Its contents are kept.

        Returns:
            The folder; None if it is in use, or others may write to it.
        """
        _sweep_once()
        try:
            path.mkdir(mode=0o700, exist_ok=True)
            folder = _open_folder(path)
        except OSError:
            return None
        try:
            if not _is_private(folder):
                return None
            if MARK not in {entry.name for entry in _entries(folder)}:
                return cls(path, _mark(path))
            lock = _take(folder)
            return None if lock is None else cls(path, lock)
        except OSError:  # another process is claiming or removing it
            return None
        finally:
            os.close(folder)

    def remove(self) -> None:
        """Remove the folder and its contents, as far as possible."""
        if not self._is_there:
            return
        self._is_there = False
        with contextlib.suppress(OSError):
            folder = _open_folder(self.path)
            try:
                _remove(folder, self.path)
            finally:
                os.close(folder)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield a private folder, which is removed after the block, or by the next process that creates one.

    Raises:
        OSError: it cannot be created.
    """
    folder = ScratchFolder.make()
    try:
        yield folder.path
    finally:
        folder.remove()


def sweep() -> int:
    """Remove the folders of this user's killed processes; return how many.

    Only folders with a mark that is not locked are removed; links are not followed.
    """
    above = Path(tempfile.gettempdir())
    try:
        found = [entry.name for entry in os.scandir(above) if entry.name.startswith(PREFIX)]
    except OSError:
        return 0
    return sum(_sweep(above / name) for name in found)


@cache
def _sweep_once() -> None:
    need_posix("programs with sockets in folders")
    sweep()


def _sweep(path: Path) -> bool:
    """Remove a folder if its process is dead; return whether it was removed."""
    try:
        folder = _open_folder(path)
    except OSError:  # a link, a file, or somebody else's
        return False
    lock = None
    try:
        if not _is_private(folder) or (lock := _take(folder)) is None:
            return False
        _remove(folder, path)
    except OSError:
        return False
    finally:
        os.close(folder)
        if lock is not None:
            os.close(lock)
    return True


def _mark(path: Path) -> int | None:
    """Mark a folder as in use, and return the mark's descriptor; None if it cannot be created or locked.

    Raises:
        FileExistsError: another process has marked it, or is doing so.
    """
    draft = path / f".{MARK}"
    try:
        lock = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise
    except OSError:  # without a mark, the folder is never removed by others
        return None
    try:
        os.write(lock, _SAYS)
        take_lock(lock, waits=False)  # before anybody else can find it
        os.link(draft, path / MARK)
    except FileExistsError:
        os.close(lock)
        raise
    except OSError:
        os.close(lock)
        return None
    finally:
        draft.unlink()
    return lock


def _open_folder(path: Path) -> int:
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)


def _is_private(folder: int) -> bool:
    found = os.fstat(folder)
    return found.st_uid == os.geteuid() and not found.st_mode & _OTHERS


def _take(folder: int) -> int | None:
    """Lock the mark of a folder, and return its descriptor; None if it is in use, or is not a mark of ours.

    Raises:
        OSError: there is no mark.
    """
    lock = os.open(MARK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    try:
        take_lock(lock, waits=False)
        is_ours = stat.S_ISREG(os.fstat(lock).st_mode) and os.pread(lock, len(_SAYS) + 1, 0) == _SAYS
        # The process that had the lock before may have removed it.
        if is_ours and os.path.samestat(os.fstat(lock), os.stat(MARK, dir_fd=folder, follow_symlinks=False)):
            lock, taken = -1, lock
            return taken
    except BlockingIOError:
        pass
    finally:
        if lock >= 0:
            os.close(lock)
    return None


def _remove(folder: int, path: Path) -> None:
    """Remove a folder, its mark last, so that the rest is still recognised if this process is killed.

    Args:
        folder: its descriptor.
        path: its path.

    Raises:
        OSError: something cannot be removed.
    """
    for entry in _entries(folder):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.name, ignore_errors=True, dir_fd=folder)
        elif entry.name != MARK:
            with contextlib.suppress(OSError):
                os.unlink(entry.name, dir_fd=folder)
    if [entry.name for entry in _entries(folder)] == [MARK]:
        os.unlink(MARK, dir_fd=folder)
    path.rmdir()


def _entries(folder: int) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as found:
        return list(found)
