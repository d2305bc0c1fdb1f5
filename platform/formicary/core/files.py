"""Writes files and folders completely or not at all, and finds the user's folders."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from formicary.core.systems import lock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from platformdirs.unix import Unix


@contextmanager
def replacing(path: Path, *, private: bool = False) -> Iterator[Path]:
    """Yield a temporary path beside `path` to write to; it becomes `path` if the block succeeds.

    If the block raises, the temporary file is removed, and `path` is unchanged. Whatever is at `path` is
    replaced, even a link; for files that a user names, see `output_file`.

    Args:
        path: the file.
        private: whether only its user may read it; the temporary file then exists already, and is empty.

    Raises:
        OSError: the file cannot be written.
    """
    temporary = _temporary(path)
    try:
        if private:
            os.close(_create(temporary))
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def output_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path, as `replacing` does, for output to a path that a user has named.

    A link is kept, and its target is replaced. A pipe or a device, such as `/dev/stdout`, is written to when
    the block succeeds.

    Raises:
        OSError: it cannot be written.
    """
    kind = _kind(path)
    if not kind or stat.S_ISREG(kind):
        with replacing(Path(os.path.realpath(path))) as temporary:
            yield temporary
        return
    from formicary.core.scratch import scratch_folder

    with scratch_folder() as folder:
        yield folder / path.name
        _write_to(path, kind, folder / path.name)


def write_private(path: Path, content: str | bytes) -> None:
    """Write a file that only its user may read, completely or not at all.

    Raises:
        OSError: it cannot be written; a former file is unchanged.
    """
    with replacing(path, private=True) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


def write_locked(path: Path, content: bytes, *, overwrite: bool) -> int:
    """Write a file that only its user may read, and that is locked from the moment it appears.

    Args:
        path: the file.
        content: its content.
        overwrite: whether to replace an existing file.

    Returns:
        A descriptor of the file, which is locked while that is open.

    Raises:
        FileExistsError: the file exists, and `overwrite` is false.
        OSError: it cannot be written; a former file is unchanged.
    """
    temporary = _temporary(path)
    descriptor = _create(temporary)
    try:
        os.write(descriptor, content)
        os.fsync(descriptor)
        lock(descriptor)  # before anybody else can find it
        if overwrite:
            temporary.replace(path)
        else:
            os.link(temporary, path)  # unlike renaming, it replaces nothing
    except BaseException:
        os.close(descriptor)
        raise
    finally:
        temporary.unlink(missing_ok=True)
    return descriptor


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Yield a folder beside `path` to fill; it becomes `path` if the block succeeds, or is removed.

    Raises:
        OSError: the folder cannot be created, or `path` exists by then.
    """
    temporary = _temporary(path)
    temporary.mkdir(parents=True)
    try:
        yield temporary
        temporary.rename(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def user_state() -> Path:
    """Return the folder for persistent state, by the XDG base directory specification."""
    return _user_folders().user_state_path


def user_cache() -> Path:
    """Return the folder for caches, by the XDG base directory specification."""
    return _user_folders().user_cache_path


def _user_folders() -> Unix:
    from platformdirs.unix import (
        Unix,
    )  # everywhere: socket paths must be short, and are documented

    return Unix("formicary")


def _temporary(path: Path) -> Path:
    # A unique name, as several processes may write the same file at once. The dot hides it from programs that
    # read all files of a folder, as an XMPP server reads its configuration.
    return path.with_name(f".{path.name}.{int.from_bytes(os.urandom(6))}.part")


def _kind(path: Path) -> int:
    """Return the file mode of a path; 0 if there is nothing."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return 0


def _write_to(path: Path, kind: int, content: Path) -> None:
    """Copy a file to a pipe or device."""
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not (stat.S_ISCHR(kind) or stat.S_ISFIFO(kind)):
        raise OSError(errno.EINVAL, "it is neither a regular file nor a pipe", str(path))
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ENXIO:  # do not wait for a reader
            raise OSError(errno.ENXIO, "nothing reads from it", str(path)) from None
        raise
    os.set_blocking(descriptor, True)
    with os.fdopen(descriptor, "wb") as target, content.open("rb") as source:
        shutil.copyfileobj(source, target)


def _create(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
