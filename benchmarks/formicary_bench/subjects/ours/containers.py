"""The containers of our agents: how they meet, and whether the messages went the way that was asked for."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from msgspec.structs import replace

from formicary import Agent, Container, Network
from formicary.errors import FormicaryError
from formicary.server import ServerAddress
from formicary.transport.addresses import JoinAddress
from formicary_bench.vocabulary.names import NETWORK
from formicary_bench.vocabulary.places import ASK, DIRECT, ECHOING, XMPP, member_name
from formicary_bench.worker.workload import PreparedRole, partners_of, receiver_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import Literal

    from formicary import Template
    from formicary.behaviours import Behaviour
    from formicary_bench.worker.messages import Server
    from formicary_bench.worker.workload import Workload

    Measure = Callable[[], Awaitable[None]]

_IN_PROCESS = "in-process"
_LOOKS, _LOOK_SECONDS = 5000, 0.005  # for less time than that after which a worker that hangs is ended


def container(work: Workload, name: str, **about: Any) -> Container:
    """Make a container that reaches the others, if there are any, by the way that is measured.

    By the route `direct` there is no server: it joins another one, by the address that this one's worker has
    told.
    """
    configuration, server = work.configuration, work.job.server
    about = {"seed": work.job.seed, **about}
    if configuration.route == _IN_PROCESS:
        return Container(name, **about)
    about |= connection_options(work, name)
    if configuration.route == DIRECT:
        address = join_address(work)
        return Container(name, **{"join": str(address) if address else None, **about})
    if server is None:
        return Container(name, **about)
    return Container(name, platform=server.platform, server=address_of(server), **about)


def join_address(work: Workload) -> JoinAddress | None:
    """Return the address to join, if any.

    It is without the Unix socket where the wire is measured or slow, as that is none, and over hosts: two
    of them may be one machine.
    """
    is_slow = bool(work.configuration.parameters.get("delay_us"))
    by_wire = is_slow or work.configuration.experiment == NETWORK or work.job.listen
    address = JoinAddress.parse(work.job.peer) if work.job.peer else None
    return replace(address, unix=None) if address and by_wire else address


def connection_options(work: Workload, name: str) -> dict[str, Any]:
    """Return the options of `Container` by which it reaches others, and is reached."""
    configuration = work.configuration
    is_listening = configuration.route != XMPP and (work.job.listen or _is_dialled(work, name))
    listen = work.address if is_listening else None
    route = cast("Literal['auto', 'direct', 'xmpp']", configuration.route)
    tls: Literal["always"] | bool = "always" if configuration.tls else False
    return {"listen": listen, "network": Network(route=route, tls=tls)}


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


def endpoint(home: Container, work: Workload) -> str:
    """Return what other containers need to meet this one: a secret, or nothing where a server knows."""
    return home.join_address if _is_dialled(work, home.name) else ""


def _is_dialled(work: Workload, name: str) -> bool:
    """Whether others connect to a container without any server: they join it, or talk to its agents."""
    return work.configuration.route == DIRECT and (name == ECHOING or work.is_one_of_many)


def partner(home: Container, work: Workload, sender: int) -> str:
    """Return the name of the agent that answers a sender, as people write it: short in the same container."""
    name = full_partner(home, work, sender)
    return name.removesuffix(f"@{home.domain}")


def full_partner(home: Container, work: Workload, sender: int) -> str:
    """Return the full name of the agent that answers a sender of this worker."""
    if work.is_one_of_many:
        there, number = receiver_of(work.configuration, work.job.member, sender)
        return f"echo-{number}@{member_name(there)}.{home.platform}"
    domain = f"{ECHOING}.{home.platform}" if work.job.role == ASK else home.domain
    return f"echo-{work.receiver_of(sender)}@{domain}"


async def meet(home: Container, work: Workload) -> None:
    """Wait until a member's container knows all others, and can reach those that its agents talk to.

    Raises:
        FormicaryError: it does not within half a minute.
    """
    if not work.is_one_of_many:
        return
    await know_members(home, work.job.members)
    partners = partners_of(work.configuration, work.job.member)
    await _be_connected(home, work, {f"{member_name(partner)}.{home.platform}" for partner in partners})


async def meet_all(homes: Sequence[Container], work: Workload, count: int) -> None:
    """Wait until each container knows of so many, itself included, and can reach those it has looked for.

    Raises:
        FormicaryError: one does not within half a minute.
    """
    for home in homes:
        await know_members(home, count)
    for home in homes:
        await _be_connected(home, work, {link.peer for link in home.links})


async def _be_connected(home: Container, work: Workload, domains: set[str]) -> None:
    """Wait for direct connections to these, where messages have no other way."""

    def missing() -> set[str]:
        return domains - {link.peer for link in home.links if link.way == DIRECT}

    if work.configuration.route == DIRECT and await _fails(lambda: not missing()):
        raise FormicaryError(f"{home.name} has no direct connection to {', '.join(sorted(missing()))}")


def prepared(home: Container, work: Workload, measure: Measure | None = None) -> PreparedRole:
    """Return the role of a worker that has one container."""
    return PreparedRole(
        endpoint(home, work), measure, partial(complaint, home, work), partial(meet, home, work)
    )


def all_prepared(
    homes: Sequence[Container], work: Workload, count: int, measure: Measure | None = None
) -> PreparedRole:
    """Return the role of a worker that has several containers, of so many that there are in all."""

    def first_complaint() -> str:
        return next(filter(None, (complaint(home, work) for home in homes)), "")

    meets = partial(meet_all, homes, work, count)
    return PreparedRole(endpoint(homes[0], work), measure, first_complaint, meets)


async def start_agent(
    home: Container, name: str, behaviour: Behaviour, template: Template | None = None
) -> None:
    """Start an agent with one behaviour, which receives what the template matches."""
    agent = Agent(name)
    agent.add_behaviour(behaviour, template)
    await home.start(agent)


async def act(home: Container, name: str, behaviour: Behaviour, template: Template | None = None) -> None:
    """Start an agent with one behaviour, as `start_agent` does, and wait until that has ended."""
    await start_agent(home, name, behaviour, template)
    await behaviour.join()


async def know_members(home: Container, count: int) -> None:
    """Wait until a container knows of so many, itself included.

    Raises:
        FormicaryError: it does not within half a minute.
    """
    if await _fails(lambda: len(home.members) >= count):
        raise FormicaryError(f"{home.name} has met {len(home.members)} of {count} containers")


async def _fails(condition: Callable[[], bool]) -> bool:
    """Wait for a condition; return whether it does not come true."""
    for _ in range(_LOOKS):
        if condition():
            return False
        await asyncio.sleep(_LOOK_SECONDS)
    return True


def complaint(home: Container, work: Workload) -> str:
    """Return what makes a measurement worthless: messages that came back, or went another way."""
    letters = home.dead_letters
    if letters.total:
        (reason, _), *_ = letters.reasons.most_common(1)
        return f"{letters.total} messages could not be delivered: {reason}"
    route = work.configuration.route
    for link in home.links:
        # The other side may have ended before this one: then a link has no way, or one to look for it again.
        if link.is_up and route in {"direct", "xmpp"} and link.way not in {route, "none"}:
            return f"the messages to {link.peer} went by {link.way}, not by {route}"
    return ""
