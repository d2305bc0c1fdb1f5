"""The dispatcher hands a container's messages to their receivers, or makes dead letters of them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from msgspec.structs import force_setattr

from formicary.core.clock import now
from formicary.core.errors import ContainerClosedError, FormicaryError, InvalidMessageError
from formicary.core.message import copied
from formicary.core.names import MANAGEMENT, shorten_for
from formicary.core.quoting import printable
from formicary.delivery.copying import copying
from formicary.delivery.dead_letters import DeadLetter, DeadLetters, failure_of, is_failure
from formicary.delivery.full_names import FullNames
from formicary.delivery.instruments import Observed
from formicary.delivery.overflow import Overflow
from formicary.delivery.waiting import WaitingMessages

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from formicary.core.agent import Agent
    from formicary.core.mailbox import Deliver, MessageSink
    from formicary.core.message import Message
    from formicary.core.micro import MicroAgent
    from formicary.delivery.held import HeldMessages
    from formicary.delivery.locations import Forwarder, Locations
    from formicary.delivery.overflow import Source
    from formicary.delivery.protocols import (
        ConversationRoutes,
        ForeignAgents,
        Outlet,
        Sleepers,
        Transport,
    )
    from formicary.delivery.waiting import UnackedHolder

_REMEMBERED = 65_536  # routes to agents elsewhere


class Dispatcher(Observed):
    """Dispatches all messages of a container's agents.

    Args:
        name: the container's.
        platform: the platform's domain.
        when_full: as of `Container`.
        send_timeout: as of `Container`.
        open_services: called when the first message for the container's management agent arrives.
    """

    def __init__(
        self,
        name: str,
        platform: str,
        when_full: str,
        send_timeout: float,
        open_services: Callable[[], object],
    ) -> None:
        super().__init__()
        self.name = name
        self.platform = platform
        self.domain = f"{name}.{platform}"
        self.names = FullNames(self.domain, platform)
        self.dead_letters = DeadLetters()
        self.copies = False  # whether agents get copies of messages
        self.overflow = Overflow(self, when_full, send_timeout)
        self.waiting = WaitingMessages(self)
        self.agents: dict[str | None, Agent | MicroAgent] = {}  # by full name
        self.system_agents: dict[str | None, MicroAgent] = {}  # the container's own, by full name
        self.held: dict[str | None, HeldMessages] = {}  # of agents at rest or about to start
        self.visitors: dict[str, str] = {}
        """Full names of agents of other containers that live here, or are forwarded to, by short ones."""
        self.locations: Locations | None = None  # where there are other containers
        self.forwarders: Mapping[str, Forwarder] = {}
        """What takes messages for agents that are not where their names say, by full name; of `locations`."""
        self.unacked_holders: set[UnackedHolder] = set()
        """Who has messages of other containers that count as not taken."""
        self.outlets: dict[str | None, Outlet] = {}  # by full names of agents with accounts of their own
        self.foreign: ForeignAgents | None = None  # where there is a gateway
        self.sleepers: Sleepers | None = None  # from the first one on
        self.conversations: ConversationRoutes | None = None  # from the first one on
        self.transport: Transport | None = None
        self.is_closing = False
        self._open_services = open_services
        self._management = f"{MANAGEMENT}@{self.domain}"

    # -- routes ---------------------------------------------------------------------------------------------

    def add_route(self, receiver: str, deliver: Deliver) -> None:
        """Send messages for a receiver elsewhere straight to `deliver` from now on; for transports."""
        if not self.instruments and len(self.routes) - len(self.agents) < _REMEMBERED:
            if receiver in self.forwarders and receiver in self.overflow.lines:
                return  # earlier messages must go first
            self.routes[receiver] = deliver

    def remove_route(self, receiver: str) -> None:
        """Send messages for a receiver elsewhere through `post` again; for transports."""
        if receiver not in self.agents and receiver not in self.system_agents:
            self.routes.pop(receiver, None)

    def remove_routes(self, is_gone: Callable[[Deliver], bool]) -> None:
        """Remove the routes that lead to what is gone; for transports."""
        for receiver in [each for each, deliver in self.routes.items() if is_gone(deliver)]:
            del self.routes[receiver]

    def hold(self, held: HeldMessages) -> None:
        """Hold messages for an agent, and keep its name, until it is removed from `held`."""
        self.held[held.address] = held
        self.routes.pop(held.address, None)

    def fail_held(self, address: str, reason: str) -> None:
        """Turn the messages that are held for an agent into dead letters."""
        if (held := self.held.pop(address, None)) is not None:
            for message in held.end():
                self.add_dead_letter(message, reason, address)

    # -- agents of other containers -------------------------------------------------------------------------

    def add_visitor(self, address: str, agent: Agent | MicroAgent | None = None) -> None:
        """Accept messages for an agent whose home is another container.

        Args:
            address: its full name.
            agent: the agent, if it lives here from now on; None if messages are forwarded to it.
        """
        self.visitors[shorten_for(address, self.domain)] = address
        if agent is not None:
            self.agents[address] = agent

    def remove_visitor(self, address: str) -> None:
        """Stop accepting messages for an agent of another container, unless it lives here."""
        if address not in self.agents:
            self.visitors.pop(shorten_for(address, self.domain), None)

    def domain_of(self, address: str) -> str | None:
        """Return the domain of the container of an agent that has moved away from home; None for others."""
        forwarder = self.forwarders.get(address)
        return None if forwarder is None else forwarder.domain

    # -- sending --------------------------------------------------------------------------------------------

    async def send(self, message: Message) -> None:
        """Send a message for which there is no route: short names, several receivers, instruments."""
        if self.names.finder is not None and (search := self.names.finder.search(message)) is not None:
            assert self.scheduler is not None  # only open containers have finders
            with self.scheduler.busy(lambda: f"other containers to locate {message.to}"):
                await search
        dead_before = self.dead_letters.total
        completed, full, error = self.dispatch(message)
        if full:
            await self.overflow.wait_to_deliver(completed, full)
        elif self.dead_letters.total != dead_before:
            await asyncio.sleep(0)  # an agent that keeps sending to nobody must not starve the others
        if error is not None:
            raise error

    def send_nowait(self, message: Message) -> None:
        """Do as `send`, without waiting for room; errors as of `MicroAgent.send_nowait`."""
        if self.names.finder is not None and self.names.finder.hold(message):
            return
        completed, full, error = self.dispatch(message)
        if full:
            self.overflow.refuse(completed, full)
        if error is not None:
            raise error

    def dispatch(self, message: Message) -> tuple[Message, Sequence[MessageSink], FormicaryError | None]:
        """Hand a message to all its receivers.

        Returns:
            The message with full names, the sinks without room, and the first error.
        """
        if message.to in self.routes and not self.is_closing:
            full = self.deliver(message, message.to)  # type: ignore[arg-type]  # one name
            return (self.names.complete(message) if full else message), full or (), None
        message = self._complete(message)
        sinks: list[MessageSink] = []
        first_error = None
        for receiver in message.receivers:
            try:
                sinks += self.dispatch_to(message, receiver) or ()
            except FormicaryError as error:  # the other receivers still get theirs
                first_error = first_error or error
        return message, sinks, first_error

    def dispatch_to(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Hand a message to one receiver, by its full name, wherever it is; results as of `deliver`."""
        if (forwarder := self.forwarders.get(receiver)) is not None:
            return forwarder.post(message, receiver)
        is_here = receiver in self.agents or not self._is_elsewhere(receiver)
        outlet = None if is_here else self._outlet(message.sender, receiver)
        return self.deliver(message, receiver) if outlet is None else outlet.post(message, receiver)

    def _outlet(self, agent: str | None, other: str) -> Outlet | None:
        """Return what carries messages between an agent of this container and an address elsewhere."""
        outlet = self.outlets.get(agent) if self.outlets else None
        if outlet is not None and not other.partition("/")[0].endswith(f".{self.platform}"):
            return outlet
        return self.transport

    def _complete(self, message: Message) -> Message:
        is_over = self.is_closing and not self.agents and message.sender not in self.system_agents
        if self.scheduler is None or is_over:
            raise ContainerClosedError(f"container {self.name} is not open")
        if not message.receivers:
            raise InvalidMessageError("a message without a receiver cannot be sent; set its `to`")
        completed = self.names.complete(message)
        if self.instruments:
            self.notify("message_sent", completed)
        elif completed is not message and type(message.to) is str:
            self._add_alias(message.to, completed.to)  # type: ignore[arg-type]  # one name here as there
        return completed

    def _add_alias(self, name: str, address: str) -> None:
        """Add a route by a short name, if there is one by the full name."""
        routes = self.routes
        if not (address in routes or address in self.agents or address in self.system_agents):
            return

        def deliver(message: Message) -> Sequence[MessageSink] | None:
            # Its sender may send it again, or look at it: deliver another message.
            message = copied(message)
            force_setattr(message, "to", address)
            straight = routes.get(address)
            if straight is not None:
                return straight(message)
            routes.pop(name, None)  # the agent is gone, or its container
            return self.dispatch_to(message, address)

        self.add_route(name, deliver)

    def _is_elsewhere(self, receiver: str) -> bool:
        return receiver.partition("/")[0].partition("@")[2] != self.domain

    # -- delivering -----------------------------------------------------------------------------------------

    def deliver(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Deliver a message by the receiver's route, or to an agent of this container; for transports too.

        Args:
            message: the message.
            receiver: the full name of the agent.

        Returns:
            The full mailboxes, if any; none if it is delivered, or there is no such agent.
        """
        deliver = self.routes.get(receiver)
        # Routes to agents elsewhere, or that have moved, are only for messages with a single receiver.
        if deliver is not None and (message.to is receiver or receiver not in self.forwarders):
            is_for_it = type(message.to) is str or receiver in self.agents or receiver in self.system_agents
            return deliver(message) if is_for_it else self.dispatch_to(message, receiver)
        agent = self.agents.get(receiver) or self._system_agent(receiver)
        if agent is None and (forwarder := self.forwarders.get(receiver)) is not None:
            return forwarder.pass_on(message, receiver)  # even if it is about to arrive here
        if self.held and (held := self.held.get(receiver)) is not None:
            return held.accept(message)
        if agent is None:
            return self._deliver_elsewhere(message, receiver)
        if not self.instruments and receiver not in self.forwarders:
            # Later messages go straight to the agent.
            deliver = self.routes[receiver] = self.wrap(agent)
            return deliver(message)
        dead_before = self.dead_letters.total
        full = self._wrapped(receiver, agent.deliver_message)(message)
        if not full and self.dead_letters.total == dead_before:
            self.notify("message_delivered", message, receiver)
        return full

    def wrap(self, agent: Agent | MicroAgent) -> Deliver:
        """Return the shortest way in to an agent of this container."""
        return self._wrapped(agent.address, agent.message_entrance())

    def _wrapped(self, address: str | None, entrance: Deliver) -> Deliver:
        if self.conversations is not None:
            entrance = self.conversations.wrap(address, entrance)
        for observer in self.observers:
            entrance = observer.wrap(address, entrance)
        return copying(entrance) if self.copies else entrance

    def _deliver_elsewhere(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Deliver to an agent that sleeps here or is of another platform; results as of `deliver`."""
        if self.foreign is not None and self.foreign.serves(receiver):
            return self.foreign.post(message, receiver)
        if self.sleepers is not None and self.sleepers.wake(receiver):
            return self.held[receiver].accept(message)
        if (
            self.locations is not None
            and is_failure(message)
            and self.locations.put_off_failure(message, receiver, "")
        ):
            return None  # its container is lost, and may return
        self.add_dead_letter(message, self.why_unknown(receiver), receiver)
        return None

    def has(self, receiver: str) -> bool:
        """Return whether an agent of this home has a full name, wherever it is now."""
        return (
            receiver in self.agents
            or receiver in self.system_agents
            or receiver in self.forwarders
            or receiver in self.held
            or (self.sleepers is not None and self.sleepers.is_asleep(receiver))
        )

    def take_stray(self, message: Message, receiver: str, source: Source) -> None:
        """Handle a message from another container for an agent of a third one that is not known here."""
        if self.locations is not None:
            self.locations.take_stray(message, receiver, source)
        else:
            self.add_dead_letter(message, self.why_unknown(receiver), receiver)

    def _system_agent(self, receiver: str) -> MicroAgent | None:
        if receiver == self._management and receiver not in self.system_agents and not self.is_closing:
            self._open_services()
        return self.system_agents.get(receiver)

    def why_unknown(self, receiver: str) -> str:
        """Return why a receiver cannot be reached, as a sentence."""
        if (forwarder := self.forwarders.get(receiver)) is not None:
            return f"{forwarder}, and container {self.name} is connected to no other"
        if self._is_elsewhere(receiver) and self.transport is not None:
            return f"{receiver} is not in container {self.name}, and its container is not known"
        if self._is_elsewhere(receiver):
            return f"container {self.name} is connected to no other, so {receiver} cannot be reached"
        where = f"in container {self.name}"
        if self.names.finder is not None and self.names.finder.was_missed(receiver):
            where = "on this local platform"
        return f"no agent named {receiver.partition('@')[0]!r} lives {where}"

    # -- dead letters ---------------------------------------------------------------------------------------

    def add_dead_letter(
        self, message: Message, reason: str, receiver: str | None = None, *, tell_sender: bool = True
    ) -> None:
        """Add an undeliverable message to the dead letters, and tell its sender.

        Args:
            message: the message.
            reason: why it cannot be delivered, as a sentence; made printable, whatever it quotes.
            receiver: the full name of the intended receiver; None for all of them.
            tell_sender: whether to send a `failure`; not if the sender gets an exception.
        """
        if is_failure(message):  # whose message is a dead letter already
            return
        if receiver is None:
            receiver = ", ".join(message.receivers)
        reason = printable(reason)
        letter = DeadLetter(message, receiver, reason, now())
        self.dead_letters.add(letter, is_expected=self.is_closing)
        if self.is_observed:
            self.tell_all("message_dead", letter)
        if tell_sender:
            self.tell_sender(message, receiver, reason)

    def failure_of(self, message: Message, receiver: str, reason: str) -> Message | None:
        """Return the `failure` for the sender of a failed message; None if it is to be told nothing."""
        if message.sender is None or is_failure(message) or receiver == self._management:
            return None
        return failure_of(message, self._management, receiver, printable(reason))

    def tell_sender(self, message: Message, receiver: str, reason: str) -> None:
        """Tell the sender of a message that it is a dead letter."""
        is_here = message.sender in self.agents
        if is_here and self.locations is not None and self.locations.keep_failure(message, receiver, reason):
            return
        if (failure := self.failure_of(message, receiver, reason)) is not None:
            self._tell_sender(message, failure, receiver)

    def tell_here(self, failure: Message, address: str) -> None:
        """Deliver a failure to an agent of this container."""
        if (forwarder := self.forwarders.get(address)) is not None:
            forwarder.tell(failure)
        else:
            self.overflow.deliver(failure, address)

    def add_unhandled(self, agent: MicroAgent, message: Message) -> None:
        """Add a message that a micro-agent did not handle to the dead letters."""
        self.add_dead_letter(
            message, f"agent {agent.name} ended before it handled the message", agent.address
        )

    def withdraw(self, agent: MicroAgent | None) -> None:
        """Turn the messages that wait for a micro-agent, or for all, into dead letters."""
        assert self.scheduler is not None
        for receiver, message in self.scheduler.withdraw(agent):
            self.add_unhandled(receiver, message)

    def _tell_sender(self, message: Message, failure: Message, receiver: str) -> None:
        sender: str = message.sender  # type: ignore[assignment]  # else there would be no failure
        if sender in self.agents or sender in self.system_agents:
            if self.instruments:
                self.notify("message_sent", failure)
            self.tell_here(failure, sender)
        elif self.foreign is not None and self.foreign.serves(sender):
            self.foreign.refuse(message, receiver, failure)
        elif (outlet := self._outlet(receiver, sender)) is not None:
            # Even if its home is here: it may have sent from a container that this one has lost.
            outlet.refuse(message, receiver, failure)
