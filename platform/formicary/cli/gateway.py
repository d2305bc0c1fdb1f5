"""`formicary gateway`: connects a running platform to other FIPA platforms."""

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
_LOOK = 1.0  # s between checks that the platform is still there

Port = Annotated[
    int, typer.Option(min=0, max=65535, help="Port to receive messages on; 0 for any free port.")
]
ListenOn = Annotated[
    str,
    typer.Option(metavar="ADDRESS", help="IP address of this host to listen on, for other hosts to reach."),
]
Address = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Address at which other platforms reach the gateway.",
        show_default="where it listens",
    ),
]
PeerOption = Annotated[
    list[str] | None,
    typer.Option(
        "--peer",
        metavar="PLATFORM=URL",
        help="Another platform and its address; repeat for several.",
        show_default="none",
    ),
]
Strangers = Annotated[
    bool | None,
    typer.Option(
        "--strangers/--no-strangers",
        help="Whether platforms without a --peer may send messages; answers only go to public addresses.",
        show_default="only on loopback",
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
    """Connect a running platform to other FIPA platforms, such as JADE.

    Receives messages over HTTP (FIPA00084), with envelopes in XML and ACL in
    string form, and delivers them, until Ctrl-C. Agents here see
    seller@jade-platform as seller%jade-platform@gateway (or as named by --as);
    agents there see ours by their full names. Requires the extra `gateway`.

    Senders are told which messages cannot be delivered. The exit code is 2
    if an option is invalid, 3 if the platform cannot be reached or has ended or
    the port is in use, and 130 after Ctrl-C.
    """
    from formicary.gateway.gateway import Gateway

    # Unlike other commands, this one keeps running, so it logs what others send wrong.
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
            f"{container.domain}: {opened.address} accepts other platforms' messages; press Ctrl-C to stop",
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
        UsageError: a value is not `PLATFORM=URL`.
    """
    peers: dict[str, list[str]] = {}
    for each in given:
        platform, sign, url = each.partition("=")
        if not sign or not platform:
            raise UsageError(
                f"--peer must be PLATFORM=URL, such as jade-platform=http://127.0.0.1:7779/acc, not {each!r}"
            )
        peers.setdefault(platform, []).append(url)
    return peers
