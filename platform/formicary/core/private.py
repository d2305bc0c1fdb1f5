"""Checks secret or trusted files, which only their user may read or change.

The rules are those of SSH for keys. Each refusal is an `OSError` whose `strerror` says what is wrong and how
to fix it, so that callers need only one sentence for all errors.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

from formicary.core.systems import need_posix

if TYPE_CHECKING:
    from pathlib import Path

_ROOT = 0
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_OTHERS_OF_ROOTS = _OTHERS & ~stat.S_IRGRP  # as systemd lets a service's user read credentials


def make_private_folder(path: Path) -> None:
    """Create a folder, and missing ones above it, that only its user may enter.

    Raises:
        OSError: it cannot be created, or it exists and others may change its contents.
    """
    missing = []
    for folder in (path, *path.parents):
        if folder.exists():
            break
        missing.append(folder)
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    check_folder(path)


def check_folder(path: Path) -> None:
    """Check that only the user and root can add files to a folder, or remove them.

    Raises:
        OSError: others can, or there is no such folder.
    """
    found = path.stat()
    if found.st_uid not in {_user(), _ROOT}:
        raise _refused(path, f"the folder {path} belongs to another user")
    if found.st_mode & stat.S_IWOTH or (found.st_mode & stat.S_IWGRP and not _is_alone_in(found.st_gid)):
        is_for_all = found.st_mode & stat.S_ISVTX or found.st_uid != _user()
        step = "use one of your own" if is_for_all else f"chmod go-w {path}"
        raise _refused(path, f"other users may write to the folder {path}: {step}")


def check_private(path: Path, *, is_copy: bool = False) -> None:
    """Check that only the user and root can read, change or replace a file.

    Args:
        path: the file.
        is_copy: whether the user may have copied it with the usual mode 0644, which is accepted if its folder
            keeps others out.

    Raises:
        OSError: others can, or there is no such file.
    """
    for folder in {path.parent, path.resolve().parent}:
        check_folder(folder)
    found = path.stat()
    if found.st_uid not in {_user(), _ROOT}:
        raise _refused(path, "it belongs to another user")
    others = _OTHERS if found.st_uid == _user() else _OTHERS_OF_ROOTS
    if is_copy and _keeps_others_out(path):
        others &= _OTHERS_WRITE
    if stat.S_ISREG(found.st_mode) and found.st_mode & others:
        raise _refused(path, f"other users may read or write it: chmod 600 {path}")


def check_secret(path: Path) -> None:
    """Check that nobody else can read a secret file of the user.

    This is for secrets that an option or a file names. Files of other users, such as those that a container
    engine provides, are not checked.

    Raises:
        OSError: others can read it, or there is no such file.
    """
    found = path.stat()
    is_ours = stat.S_ISREG(found.st_mode) and found.st_uid == _user()
    if is_ours and found.st_mode & _OTHERS and not _keeps_others_out(path):
        raise _refused(path, f"it is a secret that other users may read: chmod 600 {path}")


def read_private(path: Path, most: int, *, is_copy: bool = False) -> bytes:
    """Return a file's content, after `check_private`.

    Args:
        path: the file; a pipe is read to its end.
        most: the most bytes to read.
        is_copy: as of `check_private`.

    Raises:
        OSError: it cannot be read, or others can read or change it.
    """
    check_private(path, is_copy=is_copy)
    with open(path, "rb", opener=_open_at_once) as file:
        os.set_blocking(file.fileno(), True)
        return file.read(most)


def _open_at_once(path: str, flags: int) -> int:
    # A pipe without a writer is then an empty file, rather than blocking until there is one.
    return os.open(path, flags | os.O_NONBLOCK)


def _keeps_others_out(path: Path) -> bool:
    return not path.resolve().parent.stat().st_mode & (stat.S_IXGRP | stat.S_IXOTH)


def _is_alone_in(group: int) -> bool:
    """Return whether a group is the user's own, which many systems create under the user's name."""
    import grp
    import pwd

    try:
        user, found = pwd.getpwuid(_user()).pw_name, grp.getgrgid(group)
    except KeyError:
        return False
    return found.gr_name == user and {*found.gr_mem} <= {user}


def _user() -> int:
    need_posix("checks of who may read a file")
    return os.geteuid()


def _refused(path: Path, why: str) -> PermissionError:
    return PermissionError(errno.EPERM, why, str(path))
