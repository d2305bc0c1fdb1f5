"""The options of a container: which go together, and where it meets others by them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal

import msgspec

from formicary.core.errors import UsageError
from formicary.core.quoting import shorten

if TYPE_CHECKING:
    from pathlib import Path

    from formicary.compute.pool import Means
    from formicary.container.protocols import Connectable
    from formicary.server.account import XmppServer
    from formicary.transport.addresses import JoinAddress

REPLICA = "replica"
"""The design of the directory in which each container has all entries."""

DIRECTORIES = {REPLICA: "", "central": "formicary.directory.central.client:CentralDirectory"}
"""All designs, with the clients of those in which an agent has the entries. Others may be added."""

Mode = Literal["asynchronous", "synchronous"]
"""When behaviours go on: each as soon as it can, or all cycle by cycle."""

_MEANS: tuple[Means, ...] = ("auto", "processes", "threads", "interpreters")


class ConnectionOptions(msgspec.Struct, frozen=True):
    """How a container wants to reach others, and to be reached; see the arguments of `Container`."""

    listen: str | None = None
    route: Literal["auto", "direct", "xmpp"] = "auto"
    tls: bool | Literal["always"] = True
    identity: Path | None = None


class PlatformOptions(msgspec.Struct, frozen=True):
    """How a container's platform is managed; see the arguments of `Container`.

    Args:
        main: the full domain of the platform's container.
        directory: how agents find each other.
        directory_file: the file of a central directory.
        is_guest: whether the container is none of the platform's, and only asks these.
        sleepers: the file of agents that sleep; None for one that goes with the container.
    """

    main: str
    directory: Literal["replica", "central"] = "replica"
    directory_file: Path | None = None
    is_guest: bool = False
    sleepers: Path | None = None


def check_guest(meeting: object | None, *, guest: bool) -> None:
    """Refuse a guest that meets nobody.

    Raises:
        UsageError: it is one.
    """
    if guest and meeting is None:
        raise UsageError("a guest needs a server, an account or a container to join; pass one of them")


def check_means(means: Means) -> Means:
    """Refuse what can run no functions.

    Raises:
        UsageError: it is that.
    """
    if means not in _MEANS:
        raise UsageError(f"compute_in= must be one of {', '.join(_MEANS)}, not {means!r}")
    if means == "interpreters" and sys.version_info < (3, 14):
        raise UsageError(
            "compute_in='interpreters' needs Python 3.14 or later, and this is "
            f"{'.'.join(map(str, sys.version_info[:3]))}: use 'processes'"
        )
    return means


def check_mode(mode: Mode) -> Mode:
    """Refuse what a container cannot do.

    Raises:
        UsageError: it is that.
    """
    given: str = mode
    if given == "pooled":
        raise UsageError("a container is one process; for several, use LocalPlatform(mode='pooled')")
    if given not in {"asynchronous", "synchronous"}:
        raise UsageError(f"mode= must be 'asynchronous' or 'synchronous', not {shorten(given)}")
    return mode


def check_identity(identity: Path | None, *, can_be_joined: bool) -> None:
    """Refuse an identity file where nobody joins.

    Raises:
        UsageError: there is one.
    """
    if identity is not None and not can_be_joined:
        raise UsageError(
            "only a container that others can join has an identity file; pass listen= and no "
            "server, or omit it"
        )


def check_directory(directory: str, file: Path | None) -> None:
    """Refuse a directory that nobody builds, or that has no use for its file.

    Raises:
        UsageError: it is one.
    """
    if directory not in DIRECTORIES:
        raise UsageError(f"the directory must be one of {', '.join(DIRECTORIES)}, not {directory!r}")
    if file is not None and directory != "central":
        raise UsageError(f"a {directory} directory has no file; omit the file, or use a central directory")


def main_domain(own: str, meeting: object | None, join: str | None, named: str) -> str:
    """Return the domain of the platform's container: which others join, or which is named."""
    if meeting is None:
        return own
    return str(getattr(meeting, "domain", named)) if join is not None else named


def meeting_place(
    server: XmppServer | Connectable | None, join: str | None
) -> XmppServer | JoinAddress | Connectable | None:
    """Return where a container meets others: a server, or the container that it joins.

    Raises:
        UsageError: both are given, or an address is none.
    """
    if join is None:
        return server
    if server is not None:
        raise UsageError("a container either has a server or joins another container; omit server= or join=")
    from formicary.transport.addresses import JoinAddress

    return JoinAddress.parse(join)
