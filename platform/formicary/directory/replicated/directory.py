"""The replicated directory in one container: performs its `Replica`'s instructions, answers from an index."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from formicary.core.errors import AlreadyRegisteredError, NotRegisteredError
from formicary.directory.interface import Backend
from formicary.directory.model.description import MOST_SERVICES, RESERVED, Gone, too_many
from formicary.directory.model.registrations import Registrations
from formicary.directory.replicated.replica import Broadcast, Replica, Send
from formicary.directory.replicated.view import View

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary.container.container import Container
    from formicary.delivery.protocols import Transport
    from formicary.directory.interface import Notice
    from formicary.directory.model.description import ServiceDescription
    from formicary.directory.model.entries import QueryWatch
    from formicary.directory.model.query import Query
    from formicary.directory.model.registrations import Successor

CHANNEL: Final = "directory"
"""The channel of replicas."""

_REMIND = 10.0  # s between reminders


class ReplicatedDirectory(Backend):
    """A container's replica: a `Backend` that answers locally."""

    channel = CHANNEL

    def __init__(self, container: Container, incarnation: int, transport: Transport | None) -> None:
        self._container = container
        self._domain = container.domain
        self._transport = transport
        self._replica = Replica(container.domain, incarnation)
        self._view = View(container.domain)
        self.open_subscriptions = set()
        self._names: dict[str, dict[str, None]] = {}  # names of services by agent of this container
        self._moves: dict[str, int] = {}  # of agents of this container that have moved
        self._is_dirty = False
        self._timer: asyncio.TimerHandle | None = None

    async def open(self) -> None:
        """Start to remind other replicas regularly, if there may be any."""
        if self._transport is not None:
            self._timer = asyncio.get_running_loop().call_later(_REMIND, self._remind)

    async def close(self) -> None:
        """Stop; all registrations of agents end with the container."""
        if self._timer is not None:
            self._timer.cancel()
        if self._transport is not None:
            self._transport.before_sending(None)
        self._transport = None

    # -- agents of this container ---------------------------------------------------------------------------

    async def put(self, agent: str, service: ServiceDescription, *, is_new: bool) -> None:
        """Register a service, or replace it."""
        names = self._names.get(agent)
        if is_new is (names is not None and service.name in names):
            raise _taken(service) if is_new else _missing(agent, service.name)
        if names is None:
            names = self._names[agent] = {}
        elif is_new and len(names) >= MOST_SERVICES:
            raise too_many(agent)
        names[service.name] = None
        self._replica.put(service)
        self._view.put(self._domain, service)
        self._changed()

    async def remove(self, agent: str, name: str | None) -> None:
        """Remove a service, or all of an agent's."""
        names = self._names.get(agent, {})
        removed = [name] if name is not None else [each for each in names if not each.startswith(RESERVED)]
        if not removed or removed[0] not in names:
            raise _missing(agent, name)
        self._withdraw(agent, removed)

    def agent_gone(self, agent: str) -> None:
        """Remove all services of an agent that has ended."""
        if agent in self._moves:
            self._depart(agent, None)
        elif (names := self._names.get(agent)) is not None:
            self._withdraw(agent, tuple(names))

    def _withdraw(self, agent: str, names: Iterable[str]) -> None:
        left = self._names[agent]
        for name in names:
            del left[name]
            self._replica.remove((agent, name))
            self._view.remove(self._domain, (agent, name))
        if not left:
            del self._names[agent]
        self._changed()

    # -- agents that move -----------------------------------------------------------------------------------

    def hand_over(self, agent: str) -> Registrations | None:
        """Return what an agent has registered, and how often it has moved."""
        moves = self._moves.get(agent, 0)
        services = tuple(self._replica.own[agent, name] for name in self._names.get(agent, ()))
        return Registrations(services, moves) if services or moves else None

    def take_over(self, agent: str, registrations: Registrations) -> Successor | None:
        """Take over the registrations of an agent of another container."""
        moves = self._moves[agent] = registrations.moves + 1
        for service in registrations.services:
            self._names.setdefault(agent, {})[service.name] = None
            self._replica.put(service)
            self._view.put(self._domain, service)
        successor = self._replica.arrive(agent, moves, has_entries=bool(registrations.services))
        self._perform()
        self._changed()
        return successor

    def release(self, agent: str, successor: Successor | None) -> None:
        """Forget an agent that lives elsewhere now."""
        if agent in self._names or agent in self._moves:
            self._depart(agent, successor)

    def _depart(self, agent: str, successor: Successor | None) -> None:
        self._moves.pop(agent, None)
        names = self._names.pop(agent, ())
        self._replica.depart(agent, [(agent, name) for name in names], successor)
        self._perform()
        self._changed()

    def _changed(self) -> None:
        """Send changes to others before anything else that is sent from now on."""
        if self._is_dirty or self._transport is None:
            return
        self._is_dirty = True
        self._transport.before_sending(self._flush)
        self._container.scheduler.at_turn_end(self._flush)

    def _flush(self) -> None:
        if self._is_dirty and self._transport is not None:
            self._is_dirty = False
            self._transport.before_sending(None)
            self._replica.flush()
            self._perform()

    async def search(self, query: Query) -> tuple[ServiceDescription, ...]:
        """Return the matches of a query that are known here."""
        return self._view.index.search(query)

    async def watch(self, query: Query, notice: Notice) -> QueryWatch:
        """Call `notice` with the services that match a query, then with each change."""
        notice(tuple(self._view.index.matches(query)), ())

        def changed(before: ServiceDescription | None, after: ServiceDescription | None) -> None:
            if after is not None:
                notice((after,), ())
            elif before is not None:
                notice((), (Gone(before.agent, before.name),))

        return self._view.index.watch(query, changed)

    # -- other containers -----------------------------------------------------------------------------------

    def on_listed(self) -> None:
        """Do nothing: replicas ask for what they missed."""

    def has_told(self, domain: str) -> bool:
        """Return whether all of another container's entries are here."""
        return self._replica.has_told(domain)

    def joined(self, domain: str, incarnation: int) -> None:
        """Called when another container is a member and has a link to this one; again with each new link."""
        self._replica.member_joined(domain, incarnation)
        self._perform()

    def lost(self, domain: str) -> None:
        """Remove the entries of a container that is no longer a member."""
        self._replica.member_lost(domain)
        self._perform()

    def on_control(self, domain: str, payload: bytes) -> None:
        """Handle a control message of another replica; ValueError if it is invalid."""
        self._replica.receive(domain, payload)
        if self._replica.instructions:
            self._perform()

    def _remind(self) -> None:
        if self._transport is not None:
            self._timer = asyncio.get_running_loop().call_later(_REMIND, self._remind)
            self._flush()
            self._replica.remind()
            self._perform()

    def _perform(self) -> None:
        replica = self._replica
        while replica.instructions:
            instructions, replica.instructions = replica.instructions, []
            for instruction in instructions:
                match instruction:
                    case Broadcast(payload):
                        for domain in replica.members:
                            self._tell(domain, payload)
                    case Send(domain, payload):
                        self._tell(domain, payload)
                    case _:
                        self._view.follow(instruction)

    def _tell(self, domain: str, payload: bytes) -> None:
        # The receiver asks for what it missed.
        if self._transport is not None:
            self._transport.send_control(domain, CHANNEL, payload)


def _taken(service: ServiceDescription) -> AlreadyRegisteredError:
    return AlreadyRegisteredError(
        f"{service.agent} has registered a service named {service.name!r} already; modify it, or "
        "choose another name"
    )


def _missing(agent: str, name: str | None) -> NotRegisteredError:
    what = "no service" if name is None else f"no service named {name!r}"
    return NotRegisteredError(f"{agent} has registered {what}")
