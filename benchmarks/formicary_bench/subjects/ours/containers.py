"""The containers of our agents: how they meet, and whether messages took the requested route."""

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
_LOOKS, _LOOK_SECONDS = 5000, 0.005  # shorter than the time after which a hanging worker is ended


def container(work: Workload, name: str, **about: Any) -> Container:
    """Make a container that reaches any others by the measured route.

    On the route `direct` there is no server: it joins another container, whose worker gives the address.
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

    It omits the Unix socket if the wire is measured or slowed, and over hosts, which may be one machine.
    """
    is_slow = bool(work.configuration.parameters.get("delay_us"))
    by_wire = is_slow or work.configuration.experiment == NETWORK or work.job.listen
    address = JoinAddress.parse(work.job.peer) if work.job.peer else None
    return replace(address, unix=None) if address and by_wire else address


def connection_options(work: Workload, name: str) -> dict[str, Any]:
    """Return the options of `Container` for reaching others and being reached."""
    configuration = work.configuration
    is_listening = configuration.route != XMPP and (work.job.listen or _is_dialled(work, name))
    listen = work.address if is_listening else None
    route = cast("Literal['auto', 'direct', 'xmpp']", configuration.route)
    tls: Literal["always"] | bool = "always" if configuration.tls else False
    return {"listen": listen, "network": Network(route=route, tls=tls)}


def address_of(server: Server) -> ServerAddress:
    """Return the address of a run's server for a container."""
    return ServerAddress(
        server.host,
        server.port,
        server.secret,
        server.platform,
        stanza_limit=server.stanza_limit,
        certificate=Path(server.certificate) if server.certificate else None,
    )


def endpoint(home: Container, work: Workload) -> str:
    """Return what other containers need to meet this one: a secret, or nothing with a server."""
    return home.join_address if _is_dialled(work, home.name) else ""


def _is_dialled(work: Workload, name: str) -> bool:
    """Whether others connect to a container without a server, to join it or to talk to its agents."""
    return work.configuration.route == DIRECT and (name == ECHOING or work.is_one_of_many)


def partner(home: Container, work: Workload, sender: int) -> str:
    """Return the name of the agent that answers a sender: its short name in the same container."""
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
    """Wait until a member's container knows all others, and can reach its agents' partners.

    Raises:
        FormicaryError: this takes more than half a minute.
    """
    if not work.is_one_of_many:
        return
    await know_members(home, work.job.members)
    partners = partners_of(work.configuration, work.job.member)
    await _be_connected(home, work, {f"{member_name(partner)}.{home.platform}" for partner in partners})


async def meet_all(homes: Sequence[Container], work: Workload, count: int) -> None:
    """Wait until each container knows a number of them, itself included, and can reach those it looks for.

    Raises:
        FormicaryError: this takes more than half a minute.
    """
    for home in homes:
        await know_members(home, count)
    for home in homes:
        await _be_connected(home, work, {link.peer for link in home.links})


async def _be_connected(home: Container, work: Workload, domains: set[str]) -> None:
    """Wait for direct connections to containers, if messages have no other route."""

    def missing() -> set[str]:
        return domains - {link.peer for link in home.links if link.way == DIRECT}

    if work.configuration.route == DIRECT and await _fails(lambda: not missing()):
        raise FormicaryError(f"{home.name} has no direct connection to {', '.join(sorted(missing()))}")


def prepared(home: Container, work: Workload, measure: Measure | None = None) -> PreparedRole:
    """Return the role of a worker with one container."""
    return PreparedRole(
        endpoint(home, work), measure, partial(complaint, home, work), partial(meet, home, work)
    )


def all_prepared(
    homes: Sequence[Container], work: Workload, count: int, measure: Measure | None = None
) -> PreparedRole:
    """Return the role of a worker with several containers."""

    def first_complaint() -> str:
        return next(filter(None, (complaint(home, work) for home in homes)), "")

    meets = partial(meet_all, homes, work, count)
    return PreparedRole(endpoint(homes[0], work), measure, first_complaint, meets)


async def start_agent(
    home: Container, name: str, behaviour: Behaviour, template: Template | None = None
) -> None:
    """Start an agent with one behaviour that receives what the template matches."""
    agent = Agent(name)
    agent.add_behaviour(behaviour, template)
    await home.start(agent)


async def act(home: Container, name: str, behaviour: Behaviour, template: Template | None = None) -> None:
    """Start an agent as `start_agent` does, and wait until its behaviour has ended."""
    await start_agent(home, name, behaviour, template)
    await behaviour.join()


def running(begin: asyncio.Event, *waiting: Behaviour) -> Measure:
    """Return a function that starts behaviours by an event, and waits until they end."""

    async def measure() -> None:
        begin.set()
        await asyncio.gather(*(behaviour.join() for behaviour in waiting))

    return measure


async def know_members(home: Container, count: int) -> None:
    """Wait until a container knows a number of containers, itself included.

    Raises:
        FormicaryError: this takes more than half a minute.
    """
    if await _fails(lambda: len(home.members) >= count):
        raise FormicaryError(f"{home.name} met {len(home.members)} of {count} containers")


async def _fails(condition: Callable[[], bool]) -> bool:
    """Wait for a condition; return whether it failed to come true."""
    for _ in range(_LOOKS):
        if condition():
            return False
        await asyncio.sleep(_LOOK_SECONDS)
    return True


def complaint(home: Container, work: Workload) -> str:
    """Return why a measurement is invalid: messages came back or took another route."""
    letters = home.dead_letters
    if letters.total:
        (reason, _), *_ = letters.reasons.most_common(1)
        return f"{letters.total} messages could not be delivered: {reason}"
    route = work.configuration.route
    for link in home.links:
        # If the other side ended first, a link has no route, or one to look for it again.
        if link.is_up and route in {"direct", "xmpp"} and link.way not in {route, "none"}:
            return f"the messages to {link.peer} went by {link.way}, not by {route}"
    return ""
