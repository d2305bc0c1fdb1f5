"""Names of commands that query a platform: few and reused, so that it need not remember many."""

from __future__ import annotations

import hashlib
import os
import secrets
import socket
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, TypeVar

from formicary.core.files import user_state
from formicary.core.private import make_private_folder
from formicary.core.systems import lock, need_posix

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from formicary.management.descriptions import ContainerDescription
    from formicary.observe.metrics import Figures

D = TypeVar("D", "ContainerDescription", "Figures")

_PREFIX = "cli-"


def is_guest_name(domain: str) -> bool:
    """Return whether a container's domain belongs to a command."""
    return domain.startswith(_PREFIX)


def without_guests(described: D) -> D:
    """Return a container's description or figures without links to commands, such as this one."""
    from msgspec.structs import replace

    links = tuple(link for link in described.links if not is_guest_name(link.peer))
    return replace(described, links=links)


@contextmanager
def lease_name() -> Iterator[str]:
    """Lease a name that no other command of this user on this host has."""
    need_posix("platforms of several containers")
    # Commands of other users and hosts may query the same platform at the same time.
    user = hashlib.sha256(f"{socket.gethostname()}/{os.getuid()}".encode()).hexdigest()[:6]
    try:
        number, descriptor = _take(user_state() / "visitors")
    except OSError:  # use a one-time name
        yield f"{_PREFIX}{secrets.token_hex(8)}"
        return
    try:
        yield f"{_PREFIX}{user}-{number}"
    finally:
        os.close(descriptor)


def _take(folder: Path) -> tuple[int, int]:
    """Return the lowest free number, and the descriptor of its locked file."""
    make_private_folder(folder)
    for number in count(1):
        descriptor = os.open(folder / str(number), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            lock(descriptor, waits=False)
        except BlockingIOError:
            os.close(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        else:
            return number, descriptor
    raise AssertionError("too many files in use")
