"""The containers of our agents: how they meet, and whether the messages went the way that was asked for."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from msgspec.structs import replace

from formicary import Container
from formicary.delivery import Reach
from formicary.server import ServerAddress
from formicary.transport.direct import JoinAddress
from formicary_bench.platforms.catalogue import APART, DIRECT
from formicary_bench.results.model import NETWORK

if TYPE_CHECKING:
    from typing import Literal

    from formicary_bench.engine.messages import Server
    from formicary_bench.platforms.part import Work

ASKING, ECHOING = "c1", "c2"
"""The names of the containers whose agents ask, and of those whose agents echo."""

NAMES = tuple(f"c{number}" for number in range(1, 10))
"""The names of all containers that there may be."""

_LOOPBACK = "127.0.0.1"


def container(work: Work, name: str, **about: Any) -> Container:
    """Make a container that reaches the others, if there are any, by the way that is measured.

    By the route `direct` there is no server: it joins another one, by the address that this one's worker has
    told.

    Args:
        work: what is measured.
        name: its name.
        about: further arguments of `Container`.
    """
    configuration, server = work.configuration, work.job.server
    about = {"seed": work.job.seed, **about}
    if configuration.placement != APART:
        return Container(name, **about)
    about |= asdict(reach_of(work, name))
    if configuration.route == DIRECT:
        return Container(name, **{"join": _join(work), **about})
    if server is None:
        return Container(name, **about)
    return Container(name, platform=server.platform, server=address_of(server), **about)


def _join(work: Work) -> str | None:
    """Return the address to join; where the wire is measured, without the Unix socket, which is none."""
    if not work.job.peer or work.configuration.experiment != NETWORK:
        return work.job.peer or None
    return str(replace(JoinAddress.parse(work.job.peer), unix=None))


def reach_of(work: Work, name: str) -> Reach:
    """Return how a container is to reach the other one, and to be reached."""
    configuration = work.configuration
    listen = _LOOPBACK if configuration.route == DIRECT and name == ECHOING else None
    route = cast("Literal['auto', 'direct', 'xmpp']", configuration.route)
    return Reach(listen, route, "always" if configuration.tls else False)


def address_of(server: Server) -> ServerAddress:
    """Return what a container has to know of a run's server."""
    return ServerAddress(
        server.host,
        server.port,
        server.secret,
        server.platform,
        stanza_limit=server.stanza_limit,
        certificate=Path(server.certificate) if server.certificate else None,
    )


def endpoint(home: Container, work: Work) -> str:
    """Return what the other container needs to meet this one: a secret, or nothing where a server knows."""
    return home.join_address if work.configuration.route == DIRECT else ""


def partner_domain(home: Container) -> str:
    """Return the domain of the container whose agents echo."""
    return f"{ECHOING}.{home.platform}"


def complaint(home: Container, work: Work) -> str:
    """Say what makes a measurement worthless: messages that came back, or went another way."""
    letters = home.dead_letters
    if letters.total:
        (reason, _), *_ = letters.reasons.most_common(1)
        return f"{letters.total} messages could not be delivered: {reason}"
    route = work.configuration.route
    for link in home.links:
        # Without a way there is nothing to complain of: the other side may have ended before this one.
        if route in {"direct", "xmpp"} and link.way not in {route, "none"}:
            return f"the messages to {link.peer} went by {link.way}, not by {route}"
    return ""
