"""Files with join addresses, by which containers on this host find each other without a server.

A join address is a secret: only the user can read its file, which is removed when its container closes. The
file stays locked as long as the container is open, so that one left behind by a crash is recognized. Beside
it is the container's identity file: after a crash, the next container of this name appears to those that had
joined as the same one.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from formicary.core.errors import UsageError
from formicary.core.files import user_state, write_locked
from formicary.core.names import is_container, natural
from formicary.core.private import make_private_folder, read_private
from formicary.core.systems import lock

if TYPE_CHECKING:
    from collections.abc import Iterator

STANDARD_INPUT = "-"
_SCHEME = "formicary://"
_LONGEST = 1 << 16  # bytes of a join address


def folder() -> Path:
    """Return the folder with a file for each container of this user that others can join."""
    return user_state() / "join"


def identity(domain: str) -> Path:
    """Return the path of a container's identity file, by which others recognize it after a crash.

    Raises:
        UsageError: such a container of this name is already running, or the folder cannot be read.
    """
    path = folder() / _name(domain)
    try:
        if _is_held(path):
            raise _taken(path)
    except OSError as error:
        raise _not_written(path, error) from error
    return folder() / f"{domain}.identity"


@contextmanager
def published(domain: str, address: str) -> Iterator[Path]:
    """Publish a container's join address in a file during the block; then remove it, and the identity.

    Raises:
        UsageError: another container of this name has its file there, or the folder cannot be written.
    """
    path = folder() / _name(domain)
    try:
        descriptor = _write(path, address)
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)
            os.close(descriptor)
    finally:
        # Those that joined know that it stops; they only reconnect after a crash.
        (folder() / f"{domain}.identity").unlink(missing_ok=True)


def read(where: str) -> str:
    """Return the join address for the value of `--join`.

    Args:
        where: the name of a container of this host, the path of a file, or `-` for standard input.

    Raises:
        UsageError: there is none.
    """
    if where == STANDARD_INPUT:
        return sys.stdin.buffer.read(_LONGEST).decode(errors="replace").strip()
    if where.startswith(_SCHEME):
        raise UsageError(
            "a join address is a secret, and anyone on this host can read command-line arguments: "
            "put it in a file and pass the file's path, or pipe it to standard input with --join -"
        )
    own = folder() / where
    if is_container(where) and _is_there(own):
        return _read_own(own)
    path = Path(where)
    if not _is_there(path):
        hint = f"; start it with: formicary run FILE --name {where} --listen" if is_container(where) else ""
        raise UsageError(f"no joinable container or file is named {where} on this host{hint}")
    return _read(path, is_copy=True)


def listening() -> list[str]:
    """Return the names of this user's containers on this host that others can join now."""
    try:
        found = (path.name for path in folder().iterdir() if is_container(path.name) and _is_held(path))
        return sorted(found, key=natural)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UsageError(
            f"cannot read the join addresses in {folder()} ({error.strerror}); specify the platform "
            "with --join or --server"
        ) from error


def _write(path: Path, address: str) -> int:
    """Write a join address; return a descriptor that keeps its file locked while open."""
    try:
        make_private_folder(path.parent)
        with _locked(path.parent):
            if _is_held(path):
                raise _taken(path)
            return write_locked(path, f"{address}\n".encode(), overwrite=True)
    except OSError as error:
        raise _not_written(path, error) from error


def _is_there(path: Path) -> bool:
    try:
        path.stat()  # `exists` hides errors since Python 3.14
    except PermissionError as error:
        raise UsageError(
            f"only its owner can access {path} ({error.strerror}); use --join with the path of a "
            "file that you can read, or set XDG_STATE_HOME to a folder that you can read"
        ) from error
    except OSError:
        return False
    return True


def _name(domain: str) -> str:
    return domain.partition(".")[0]


def _taken(path: Path) -> UsageError:
    return UsageError(
        f"a container named {path.name!r} that others can join is already running on this host; "
        "stop it, or choose another name with --name"
    )


def _not_written(path: Path, error: OSError) -> UsageError:
    return UsageError(
        f"cannot write the join address to {path} ({error.strerror}); clear that path, or set "
        "XDG_STATE_HOME to another folder"
    )


def _read_own(path: Path) -> str:
    try:
        is_held = _is_held(path)
    except OSError as error:
        raise _not_read(path, error) from error
    if not is_held:
        raise UsageError(
            f"the container {path.name} ended unexpectedly; restart it with: formicary run FILE "
            f"--name {path.name} --listen"
        )
    return _read(path)


def _read(path: Path, *, is_copy: bool = False) -> str:
    try:
        return read_private(path, _LONGEST, is_copy=is_copy).decode(errors="replace").strip()
    except OSError as error:
        raise _not_read(path, error) from error


def _not_read(path: Path, error: OSError) -> UsageError:
    return UsageError(f"cannot read the join address in {path} ({error.strerror})")


def _is_held(path: Path) -> bool:
    """Return whether a file's container is running."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:  # it has just ended, or never existed
        return False
    try:
        lock(descriptor, is_shared=True, waits=False)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Lock the search for a free name during the block."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        lock(descriptor)
        yield
    finally:
        os.close(descriptor)
