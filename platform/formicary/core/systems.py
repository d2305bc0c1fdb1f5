"""What depends on the operating system: processors, ports, and POSIX features that Windows lacks."""

from __future__ import annotations

import os
import sys

from formicary.core.errors import UnsupportedError

try:
    import fcntl  # here, as nothing can be imported once file descriptors are exhausted
except ImportError:  # there is none for Windows
    fcntl = None  # type: ignore[assignment]


def usable_cores() -> int:
    """Return the number of cores on which this process may run; on macOS and Windows, of all cores."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def random_port() -> int:
    """Return a TCP port below those that systems give to outgoing connections.

    It stays free while a program that listens there is restarted.
    """
    return 20_000 + int.from_bytes(os.urandom(2)) % 8_000


def is_posix() -> bool:
    """Return whether this is a system such as Linux or macOS, on which all of Formicary runs."""
    return fcntl is not None


def need_posix(what: str) -> None:
    """Check that this is a POSIX system.

    Args:
        what: the subject of the sentence, in the plural.

    Raises:
        UnsupportedError: it is not.
    """
    if not is_posix():
        raise UnsupportedError(
            f"{what} run on Linux and macOS, but not on this system ({sys.platform}): start the "
            "program there, or in the Windows Subsystem for Linux"
        )


def lock(descriptor: int, *, is_shared: bool = False, waits: bool = True) -> None:
    """Lock an open file; the system releases the lock when all its descriptors are closed, even by a crash.

    Args:
        descriptor: the file's.
        is_shared: whether others may have a shared lock at the same time.
        waits: whether to wait for other processes' locks.

    Raises:
        BlockingIOError: another process has the lock, and `waits` is false.
        UnsupportedError: the system has no such locks.
    """
    need_posix("programs that lock files")
    kind = fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX
    fcntl.flock(descriptor, kind if waits else kind | fcntl.LOCK_NB)
