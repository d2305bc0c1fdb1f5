"""Files that are secret, or believed: only their user may have a hand in them, or they are refused.

The rules are those of SSH for its keys. Each refusal is an `OSError` whose `strerror` says what is wrong and
how to mend it, so that whoever uses such a file has one sentence for all that can go wrong.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_ROOT = 0
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_OTHERS_OF_ROOTS = _OTHERS & ~stat.S_IRGRP  # systemd lets a service's user read credentials so


def make_private_folder(path: Path) -> None:
    """Make a folder that only its user may enter, and so those above it that are missing.

    Raises:
        OSError: it cannot be made, or is there and others may change what is in it.
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
    """Make sure that nobody but the user and root can put files into a folder, or take some out of it.

    Raises:
        OSError: others can, or there is no such folder.
    """
    found = path.stat()
    if found.st_uid not in {os.geteuid(), _ROOT}:
        raise _refused(path, f"the folder {path} belongs to another user")
    if found.st_mode & stat.S_IWOTH or (found.st_mode & stat.S_IWGRP and not _is_alone_in(found.st_gid)):
        is_for_all = found.st_mode & stat.S_ISVTX or found.st_uid != os.geteuid()
        step = "take one of your own" if is_for_all else f"chmod go-w {path}"
        raise _refused(path, f"other users may write to the folder {path}: {step}")


def check_private(path: Path, *, is_copy: bool = False) -> None:
    """Make sure that nobody but the user and root can read a file, change it, or put another in its place.

    Args:
        path: the file.
        is_copy: whether the user has made it, perhaps as most programs make a file: then it may be readable
            where its folder keeps others out.

    Raises:
        OSError: others can, or there is no such file.
    """
    for folder in {path.parent, path.resolve().parent}:
        check_folder(folder)
    found = path.stat()
    if found.st_uid not in {os.geteuid(), _ROOT}:
        raise _refused(path, "it belongs to another user")
    others = _OTHERS if found.st_uid == os.geteuid() else _OTHERS_OF_ROOTS
    if is_copy and _keeps_others_out(path):
        others &= _OTHERS_WRITE
    if stat.S_ISREG(found.st_mode) and found.st_mode & others:
        raise _refused(path, f"other users may read or write it: chmod 600 {path}")


def check_secret(path: Path) -> None:
    """Make sure that the user's own file can be read by nobody else, wherever it is.

    For secrets that an option or a file names: those of other users are as these want them, such as the ones
    that an engine hands to a container of its own.

    Raises:
        OSError: others can read it, or there is no such file.
    """
    found = path.stat()
    is_ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()
    if is_ours and found.st_mode & _OTHERS and not _keeps_others_out(path):
        raise _refused(path, f"it is a secret that other users may read: chmod 600 {path}")


def read_private(path: Path, most: int, *, is_copy: bool = False) -> bytes:
    """Return what is in a file, after `check_private`.

    Args:
        path: the file; of a pipe, what is written to it until it is closed.
        most: how many bytes at most.
        is_copy: as of `check_private`.

    Raises:
        OSError: it cannot be read, or others can read or change it.
    """
    check_private(path, is_copy=is_copy)
    with open(path, "rb", opener=_open_at_once) as file:
        os.set_blocking(file.fileno(), True)
        return file.read(most)


def _open_at_once(path: str, flags: int) -> int:
    # A pipe without a writer is an empty file then, instead of keeping us waiting for one.
    return os.open(path, flags | os.O_NONBLOCK)


def _keeps_others_out(path: Path) -> bool:
    return not path.resolve().parent.stat().st_mode & (stat.S_IXGRP | stat.S_IXOTH)


def _is_alone_in(group: int) -> bool:
    """Say whether a group is the one that many systems make for each user, under the same name."""
    import grp
    import pwd

    try:
        user, found = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(group)
    except KeyError:
        return False
    return found.gr_name == user and {*found.gr_mem} <= {user}


def _refused(path: Path, why: str) -> PermissionError:
    return PermissionError(errno.EPERM, why, str(path))
