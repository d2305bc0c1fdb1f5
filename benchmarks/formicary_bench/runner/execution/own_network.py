"""A network of a run's own, so that what goes over its wire is the run's alone.

On Linux, whoever may (root) gets a network namespace for the time of the block: it has a loopback interface
and nothing else, and is gone with the last of its processes. The controller's main thread enters it; the
processes that it starts from then on are in it.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARED = (
    "the wire is this host's loopback interface, and what other programs sent over it meanwhile is in these "
    "figures: run as root on Linux to have a network of its own"
)
"""What a reader should know of figures that were not taken in a network of a run's own."""

_NEW_NETWORK = 0x40000000  # CLONE_NEWNET
_SET_FLAGS = 0x8914  # SIOCSIFFLAGS
_UP = 0x1  # IFF_UP
_PLACE = Path("/proc/self/ns/net")


class _State:
    """Whether this process is in a network of its own."""

    own = False


def has_own_network() -> bool:
    """Say whether this process is in a network of its own."""
    return _State.own


@contextmanager
def own_network() -> Iterator[None]:
    """Be in a network of its own, where the system has such and permits it; for the main thread."""
    if not sys.platform.startswith("linux") or not _PLACE.exists():
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    before = os.open(_PLACE, os.O_RDONLY)
    try:
        if libc.unshare(_NEW_NETWORK) != 0:
            yield
            return
        was_own, _State.own = _State.own, True
        try:
            _bring_up("lo")
            yield
        finally:
            _State.own = was_own
            if libc.setns(before, _NEW_NETWORK) != 0:
                error = ctypes.get_errno()
                raise OSError(error, f"cannot go back to the network of before: {os.strerror(error)}")
    finally:
        os.close(before)


def _bring_up(interface: str) -> None:
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", interface.encode(), _UP))
