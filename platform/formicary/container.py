"""Containers: where agents live, and what hands their messages over."""

from __future__ import annotations

import asyncio
import logging
import random
from typing import TYPE_CHECKING, Literal, NoReturn, Protocol, Self

from formicary.agent import Agent
from formicary.clock import now
from formicary.errors import (
    AgentStateError,
    ContainerClosedError,
    FormicaryError,
    InvalidMessageError,
    MailboxFullError,
    NameTakenError,
)
from formicary.message import Message
from formicary.micro import MicroAgent
from formicary.names import MANAGEMENT, check_container, check_platform, complete
from formicary.observe.dead_letters import DeadLetter, DeadLetters
from formicary.resident import AgentState, Resident
from formicary.strand import RunQueue, Strand

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from formicary.behaviours import Behaviour
    from formicary.mailbox import Deliver, Neighbours, Place
    from formicary.observe.instruments import Instrument

logger = logging.getLogger("formicary")

PLATFORM = "lab.localhost"
"""The platform's domain where none is given."""

_REMEMBERED = 65_536  # names whose full form is remembered
_STOP_TIMEOUT = 10.0  # seconds that an agent's behaviours get to end


class Transport(Protocol):
    """What carries messages to other containers, and theirs to this one."""

    async def open(self, container: Container) -> None:
        """Connect for `container`.

        Raises:
            LinkError: with the cause and what to do about it.
        """

    def post(self, message: Message, receiver: str) -> Sequence[Place] | None:
        """Take a message for `receiver`, a full name of another domain.

        Returns:
            The places that have no room now, if any.

        Raises:
            FormicaryError: the message cannot go there; it is among the dead letters.
        """

    def refuse(self, message: Message, receiver: str, failure: Message) -> None:
        """Tell the sender in another domain that its message was not delivered; never waits."""

    async def close(self) -> None:
        """Disconnect, after what was taken has gone out."""


class Connectable(Protocol):
    """Something that a container can be connected through, such as a server's address."""

    def transport(self) -> Transport:
        """Return a new transport for one container."""


class Container:
    """A place for any number of agents, in one event loop. `async with` it: that is its life.

    Leaving the block, also by an exception or Ctrl-C, stops the agents, the latest first.

    Args:
        name: unique in the platform, such as `"c1"`: its agents are `agent@c1.lab.localhost`.
        platform: the platform's domain.
        server: what connects it to the platform's other containers, such as `ServerAddress.load()`; None for
            a container by itself.
        mailbox_limit: how many messages a behaviour's mailbox holds.
        queue_limit: how many messages all micro-agents of the container may have waiting.
        when_full: what `send` does with a full mailbox: wait up to `send_timeout`, or fail at once.
        send_timeout: seconds.
        seed: makes the agents' random generators give the same again; None for a new one.

    Raises:
        InvalidNameError: a name cannot be one.
    """

    def __init__(
        self,
        name: str,
        *,
        platform: str = PLATFORM,
        server: Connectable | None = None,
        mailbox_limit: int = 1000,
        queue_limit: int = 100_000,
        when_full: Literal["wait", "fail"] = "wait",
        send_timeout: float = 30.0,
        seed: int | None = None,
    ) -> None:
        self.name = check_container(name)
        self.platform = check_platform(platform)
        self.domain = f"{name}.{platform}"
        self.seed = random.SystemRandom().getrandbits(64) if seed is None else seed
        self.dead_letters = DeadLetters()
        self.instruments: tuple[Instrument, ...] = ()
        self._server = server
        self._transport: Transport | None = None
        self._mailbox_limit = mailbox_limit
        self._queue_limit = queue_limit
        self._when_full = when_full
        self.send_timeout = send_timeout
        self._queue: RunQueue | None = None
        self._agents: dict[str | None, Agent | MicroAgent] = {}  # by full name
        self.neighbours: Neighbours = {}  # for transports too, which hand over by it and add to it
        self._starting: set[str] = set()
        self._full_names: dict[str, str] = {}
        self._closing = False
        self._emptied: asyncio.Future[None] | None = None  # made for the first who joins

    # -- life -----------------------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        if self._queue is not None:
            raise ContainerClosedError(f"container {self.name} was opened before; make a new one")
        self._queue = RunQueue(self._queue_limit, self._handle_failed, MicroAgent._go_on)
        if self._server is not None:
            transport = self._server.transport()
            try:
                await transport.open(self)
            except BaseException:
                self._closing = True
                raise
            self._transport = transport
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._closing = True
        try:
            self._bury_micro(None)
            for agent in reversed(tuple(self._agents.values())):
                await agent.stop()
        finally:
            for agent in reversed(tuple(self._agents.values())):  # if this was cancelled
                agent._abandon()
            if self._transport is not None:
                await self._transport.close()

    async def start(self, agent: Agent | MicroAgent) -> None:
        """Bring an agent to life here: its `setup` runs, then its behaviours start.

        Args:
            agent: one that was not started before.

        Raises:
            NameTakenError: an agent of that name lives here.
            AgentStateError: the agent was started before.
            ContainerClosedError: the container is not open, or was closed while `setup` ran.
            Exception: what `setup` raised; the agent is then gone. It is no error if `setup` stopped it.
        """
        if self._queue is None or self._closing:
            raise ContainerClosedError(f"container {self.name} is not open; use it as: async with container")
        if agent._container is not None or agent.state is not AgentState.INITIATED:
            raise AgentStateError(f"agent {agent.name} was started before; make a new one")
        address = f"{agent.name}@{self.domain}"
        if address in self._agents or address in self._starting:
            raise NameTakenError(
                f"an agent named {agent.name!r} lives in container {self.name}; take another name"
            )
        agent.address = address
        agent._container = self
        agent._neighbours = self.neighbours
        if isinstance(agent, Agent) and type(agent).setup is not Agent.setup:
            await self._set_up(agent, address)
            if agent.state is AgentState.GONE:
                return
            if self._closing:
                agent._vanish()
                raise ContainerClosedError(f"container {self.name} was closed while {agent.name} was set up")
        self._agents[address] = agent
        agent._start(self._queue, self._mailbox_limit)
        if not self.instruments:
            self.neighbours[address] = agent._entrance()
        for instrument in self.instruments:
            self._tell(instrument, "agent_started", agent)

    async def _set_up(self, agent: Agent, address: str) -> None:
        self._starting.add(address)
        try:
            await agent.setup()
        except BaseException as error:
            if not isinstance(error, asyncio.CancelledError):
                logger.exception("setup of agent %s failed", agent.name)
                agent._failed(error)
            agent._vanish()
            raise
        finally:
            self._starting.discard(address)

    async def join(self) -> None:
        """Wait until no agent lives here; return at once if none does."""
        while self._agents:
            if self._emptied is None:
                self._emptied = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._emptied)

    @property
    def agents(self) -> tuple[Agent | MicroAgent, ...]:
        """The agents that live here, in the order in which they started."""
        return tuple(self._agents.values())

    def add_instrument(self, instrument: Instrument) -> None:
        """Tell `instrument` of everything that happens from now on."""
        self.instruments += (instrument,)
        self.neighbours.clear()  # so every message goes the long way, where instruments are told

    def remove_instrument(self, instrument: Instrument) -> None:
        """Tell `instrument` nothing more; one that is not there is no error."""
        self.instruments = tuple(other for other in self.instruments if other is not instrument)
        if not self.instruments:  # routes to elsewhere come back by themselves
            self.neighbours.update((address, agent._entrance()) for address, agent in self._agents.items())

    # -- what agents ask of their container -----------------------------------------------------------------

    def _start_behaviour(self, behaviour: Behaviour) -> None:
        assert self._queue is not None
        behaviour._start(self._queue, self._mailbox_limit)
        if behaviour.agent.state is not AgentState.ACTIVE and behaviour._mailbox.strand is not None:
            behaviour._mailbox.strand.hold()

    def _behaviour_ended(self, behaviour: Behaviour, error: BaseException | None) -> None:
        if error is not None:
            logger.error("%s ended with an exception", behaviour, exc_info=error)
        for instrument in self.instruments:
            self._tell(instrument, "behaviour_ended", behaviour, error)

    def _handle_failed(self, agent: MicroAgent, error: BaseException) -> None:
        logger.error("handle() of agent %s raised an exception", agent.name, exc_info=error)
        agent._failed(error)

    async def _wait_for_end(self, strands: Sequence[Strand]) -> None:
        _, pending = await asyncio.wait(strands, timeout=_STOP_TIMEOUT)
        for strand in pending:
            logger.error("%s did not end within %g s and is left behind", strand.get_name(), _STOP_TIMEOUT)
            strand.cancel()

    def _forget(self, agent: Resident) -> None:
        if self._agents.get(agent.address) is agent:
            del self._agents[agent.address]
            self.neighbours.pop(agent.address, None)
            if isinstance(agent, MicroAgent):
                self._bury_micro(None if self._closing else agent)
            for instrument in self.instruments:
                self._tell(instrument, "agent_stopped", agent)
            if self._emptied is not None and not self._agents:
                self._emptied.set_result(None)
                self._emptied = None

    def _bury_micro(self, agent: MicroAgent | None) -> None:
        """Make dead letters of what waits for a micro-agent, or for all."""
        assert self._queue is not None
        for receiver, message in self._queue.withdraw(agent):
            self._bury_unhandled(receiver, message)

    def _bury_unhandled(self, agent: MicroAgent, message: Message) -> None:
        self.bury(message, f"agent {agent.name} ended before it handled the message", agent.address)

    # -- messages -------------------------------------------------------------------------------------------

    async def _send(self, message: Message) -> None:
        """Send by the long way: names to complete, many receivers, instruments, other containers."""
        buried = self.dead_letters.total
        completed, full, error = self._spread(message)
        if full:
            await self._wait_for_room(completed, full)
        elif self.dead_letters.total != buried:
            await asyncio.sleep(0)  # who sends and sends to nobody must not starve the others
        if error is not None:
            raise error

    def _send_nowait(self, message: Message) -> None:
        completed, full, error = self._spread(message)
        if full:
            self._refuse(completed, full)
        if error is not None:
            raise error

    def _spread(self, message: Message) -> tuple[Message, list[Place], FormicaryError | None]:
        """Hand a message to all its receivers; return those who have no room, and what some cannot take."""
        message = self._prepare(message)
        full: list[Place] = []
        first_error = None
        for receiver in message.receivers:
            try:
                full += self._hand_over(message, receiver) or ()
            except FormicaryError as error:  # the others shall have their message all the same
                first_error = first_error or error
        return message, full, first_error

    def _hand_over(self, message: Message, receiver: str) -> Sequence[Place] | None:
        if self._transport is None or not self._is_elsewhere(receiver):
            return self.deliver(message, receiver)
        return self._transport.post(message, receiver)

    def run_now(self) -> None:
        """Let the agents have their turn now, with what has just been delivered; for transports."""
        if self._queue is not None:
            self._queue.run_now()

    def at_turn_end(self, callback: Callable[[], None]) -> None:
        """Call back when the agents have had their turn; for transports."""
        assert self._queue is not None
        self._queue.at_turn_end(callback)

    def add_route(self, receiver: str, deliver: Deliver) -> None:
        """Have messages for a receiver elsewhere go straight to `deliver` from now on; for transports."""
        if not self.instruments and len(self.neighbours) - len(self._agents) < _REMEMBERED:
            self.neighbours[receiver] = deliver

    def _prepare(self, message: Message) -> Message:
        if self._queue is None or (self._closing and not self._agents):
            raise ContainerClosedError(f"container {self.name} is not open")
        names = message.receivers
        if not names:
            raise InvalidMessageError("a message without a receiver cannot be sent; give it a `to`")
        addresses = tuple(dict.fromkeys(map(self._full_name, names)))
        if addresses != names:
            message = message.replace(to=addresses if isinstance(message.to, tuple) else addresses[0])
        for instrument in self.instruments:
            self._tell(instrument, "message_sent", message)
        return message

    def _full_name(self, name: str) -> str:
        address = self._full_names.get(name)
        if address is None:
            if len(self._full_names) >= _REMEMBERED:
                self._full_names.clear()
            address = self._full_names[name] = complete(name, self.domain, self.platform)
        return address

    def _is_elsewhere(self, receiver: str) -> bool:
        return receiver.partition("/")[0].partition("@")[2] != self.domain

    def _unknown(self, receiver: str) -> str:
        if self._is_elsewhere(receiver):
            return f"container {self.name} is connected to no other, so {receiver} cannot be reached"
        return f"no agent named {receiver.partition('@')[0]!r} lives in container {self.name}"

    def deliver(self, message: Message, receiver: str) -> Sequence[Place] | None:
        """Hand a message to an agent of this container; for transports too.

        Args:
            message: the message.
            receiver: the full name of the agent.

        Returns:
            The mailboxes that are full, if any; none when it is delivered, or buried for want of an agent.
        """
        agent = self._agents.get(receiver)
        if agent is None:
            self.bury(message, self._unknown(receiver), receiver)
            return None
        buried = self.dead_letters.total
        full = agent._deliver(message)
        if self.instruments and not full and self.dead_letters.total == buried:
            for instrument in self.instruments:
                self._tell(instrument, "message_delivered", message, receiver)
        return full

    def _refuse(self, message: Message, full: Sequence[Place], reason: str = "is full") -> NoReturn:
        for place in full:
            self.bury(message, f"{place} {reason}", place.address, tell_sender=False)
        raise MailboxFullError(f"{', '.join(map(str, full))} {reason}")

    async def _wait_for_room(self, message: Message, full: Sequence[Place]) -> None:
        if self._when_full == "fail":
            self._refuse(message, full)
        waiting = list(full)
        try:
            async with asyncio.timeout(self.send_timeout):
                await self.wait_for_room(message, waiting)
        except TimeoutError:
            if waiting := [place for place in waiting if not self._put(message, place)]:
                self._refuse(message, waiting, f"had no room for {self.send_timeout:g} s")
        except (FormicaryError, asyncio.CancelledError) as error:
            why = "it was cancelled"
            if isinstance(error, FormicaryError):
                why = str(error)
                del waiting[0]  # that place has refused the message, and buried it
            for place in waiting:
                reason = f"the sender did not wait until {place} had room: {why}"
                self.bury(message, reason, place.address, tell_sender=False)
            raise

    async def wait_for_room(self, message: Message, waiting: list[Place]) -> None:
        """Deliver to the places that `deliver` found full, as soon as they have room; for transports too.

        Args:
            message: the message.
            waiting: the places; those that have the message, or have ended, are taken off the list.
        """
        while waiting:
            if self._put(message, waiting[0]):
                del waiting[0]
            else:
                await waiting[0].room()

    def _put(self, message: Message, place: Place) -> bool:
        """Deliver to a place, or bury the message if it has ended; return False if there is no room."""
        if place.is_done():
            self.bury(message, f"{place} ended before it had room for the message", place.address)
            return True
        if not place.put(message):
            return False
        if place.address in self._agents:
            for instrument in self.instruments:
                self._tell(instrument, "message_delivered", message, place.address)
        return True

    def bury(
        self, message: Message, reason: str, receiver: str | None = None, *, tell_sender: bool = True
    ) -> None:
        """Put a message that cannot be delivered among the dead letters, and tell its sender.

        Args:
            message: the message.
            reason: why it cannot be delivered, as a sentence.
            receiver: the full name of who should have got it; None for all it was sent to.
            tell_sender: send a `failure`; not where the sender gets an exception.
        """
        if receiver is None:
            receiver = ", ".join(message.receivers)
        letter = DeadLetter(message, receiver, reason, now())
        self.dead_letters.add(letter)
        for instrument in self.instruments:
            self._tell(instrument, "message_dead", letter)
        sender = message.sender
        # Nothing is said about what a management agent has sent or was sent: two of them, or an agent that
        # answers whatever it gets, could go on for ever.
        managers = [name for name in (sender, receiver) if name and name.startswith(f"{MANAGEMENT}@")]
        if tell_sender and sender is not None and not managers:
            self._tell_sender(message, sender, receiver, reason)

    def _tell_sender(self, message: Message, sender: str, receiver: str, reason: str) -> None:
        failure = Message(
            to=sender,
            sender=f"{MANAGEMENT}@{self.domain}",
            body=reason,
            performative="failure",
            ontology="fipa-agent-management",
            protocol=message.protocol,
            thread=message.thread,
            conversation_id=message.conversation_id,
            in_reply_to=message.reply_with,
            metadata={"receiver": receiver},
        )
        if sender in self._agents:
            for instrument in self.instruments:
                self._tell(instrument, "message_sent", failure)
            if self.deliver(failure, sender):
                self.bury(failure, f"the mailbox of {sender} is full", sender)
        elif self._is_elsewhere(sender) and self._transport is not None:
            self._transport.refuse(message, receiver, failure)

    def _tell(self, instrument: Instrument, event: str, *details: object) -> None:
        try:
            getattr(instrument, event)(*details)
        except Exception:
            logger.exception("instrument %r failed at %s and is taken out", instrument, event)
            self.remove_instrument(instrument)

    def __repr__(self) -> str:
        return f"<Container {self.domain}, {len(self._agents)} agents>"
