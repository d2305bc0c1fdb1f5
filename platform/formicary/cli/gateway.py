"""`formicary gateway`: agents of other FIPA platforms as agents of a platform that runs."""

from __future__ import annotations

import asyncio
import functools
import logging
from typing import Annotated

import typer

from formicary.cli.guest_session import GuestSession, in_guest_session
from formicary.cli.options import examples
from formicary.cli.output import say
from formicary.core.errors import UsageError
from formicary.core.logs import get_logger

EPILOG = examples(
    "gateway",
    "gateway --join c1 --peer jade-platform=http://127.0.0.1:7779/acc",
    "gateway --join c1 --listen-on 192.168.1.7 --peer jade-platform=http://192.168.1.8:7778/acc",
)

_NAME = "gateway"
_LOOPBACK = "127.0.0.1"
_LOOK = 1.0  # s between two looks whether the platform is there

Port = Annotated[int, typer.Option(min=0, max=65535, help="Where it takes messages; 0 for any that is free.")]
ListenOn = Annotated[
    str,
    typer.Option(metavar="ADDRESS", help="The IP address of this host where it does, to reach other hosts."),
]
Address = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Where others reach it.", show_default="where it takes messages"),
]
PeerOption = Annotated[
    list[str] | None,
    typer.Option(
        "--peer",
        metavar="PLATFORM=URL",
        help="Another platform, and where it takes messages; once for each address.",
        show_default="none",
    ),
]
Strangers = Annotated[
    bool | None,
    typer.Option(
        "--strangers/--no-strangers",
        help="Whether platforms without a --peer may write; answers go to public addresses only.",
        show_default="on loopback only",
    ),
]


@functools.partial(in_guest_session, default_name=_NAME)
async def gateway(
    session: GuestSession,
    *,
    port: Port = 7778,
    listen_on: ListenOn = _LOOPBACK,
    address: Address = None,
    peer: PeerOption = None,
    strangers: Strangers = None,
) -> None:
    """Connect a running platform with other FIPA platforms, such as JADE.

    It takes messages by HTTP (FIPA00084), with envelopes in XML and ACL in string
    form, and brings them, until Ctrl-C. An agent seller@jade-platform there is
    seller%jade-platform@gateway to agents here, or @ whatever --as says. Ours
    have their full names there. It needs the extra `gateway`.

    What cannot be brought fails to its sender. The exit code is 2 if an option
    cannot be used, 3 if the platform cannot be reached or has gone, or the port
    is taken, and 130 after Ctrl-C.
    """
    from formicary.gateway.gateway import Gateway

    # Commands say what goes wrong in one sentence; this one stays, and others write to it.
    for name in ("formicary.gateway", "formicary.http", "formicary.dead_letters"):
        get_logger(name).setLevel(logging.WARNING)
    container = session.container
    opened = Gateway(
        container,
        host=listen_on,
        port=port,
        address=address,
        peers=_peers(peer or []),
        strangers=strangers,
    )
    async with opened:
        say(
            f"{container.domain}: {opened.address} is where other platforms write to; Ctrl-C ends it",
            err=True,
        )
        say(f"to agents here, seller@jade-platform is seller%jade-platform@{container.name}", err=True)
        try:
            while True:
                await asyncio.sleep(_LOOK)
                session.check()
        finally:
            say(f"sent {opened.sent}, received {opened.received}, refused {opened.refused}", err=True)


def _peers(given: list[str]) -> dict[str, list[str]]:
    """Return the addresses of each platform.

    Raises:
        UsageError: something is not `PLATFORM=URL`.
    """
    peers: dict[str, list[str]] = {}
    for each in given:
        platform, sign, url = each.partition("=")
        if not sign or not platform:
            raise UsageError(
                f"--peer is PLATFORM=URL, as in jade-platform=http://127.0.0.1:7779/acc, not {each!r}"
            )
        peers.setdefault(platform, []).append(url)
    return peers
