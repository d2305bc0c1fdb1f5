"""The dispatcher: how a container hands messages over, and what becomes of those that nobody can get."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, NoReturn

from formicary.container.dead_letters import DeadLetter, DeadLetters
from formicary.container.overflow import Overflow
from formicary.core.clock import now
from formicary.core.errors import ContainerClosedError, FormicaryError, InvalidMessageError, MailboxFullError
from formicary.core.message import Message
from formicary.core.names import MANAGEMENT, check_container, check_platform, complete

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.container.instruments import Instrument
    from formicary.container.protocols import Outlet, Peers, Transport
    from formicary.core.agent import Agent
    from formicary.core.mailbox import Deliver, MessageSink, Routes
    from formicary.core.micro import MicroAgent
    from formicary.core.scheduler import Scheduler
    from formicary.profiling.accounting.accounting import Accounting

logger = logging.getLogger("formicary")

_REMEMBERED = 65_536  # names whose full form is remembered


class Dispatcher:
    """The part of a container that messages go through; its arguments are those of `Container`."""

    def __init__(self, name: str, platform: str, when_full: str, send_timeout: float) -> None:
        self.name = check_container(name)
        self.platform = check_platform(platform)
        self.domain = f"{name}.{platform}"
        self.send_timeout = send_timeout
        self.dead_letters = DeadLetters()
        self.instruments: tuple[Instrument, ...] = ()
        self.routes: Routes = {}  # for transports too, which hand over by it and add to it
        self.overflow = Overflow(self)
        self._when_full = when_full
        self.system_agents: dict[str | None, MicroAgent] = {}  # the container's own agents, by full name
        self.peers: Peers | None = None
        self.outlets: dict[str | None, Outlet] = {}  # by full names of agents that have accounts of their own
        self._transport: Transport | None = None
        self._queue: Scheduler | None = None
        self._agents: dict[str | None, Agent | MicroAgent] = {}  # by full name
        self._full_names: dict[str, str] = {}
        self._closing = False
        self.accounting: Accounting | None = None  # as long as the CPU time is accounted by group

    def add_instrument(self, instrument: Instrument) -> None:
        """Tell `instrument` of everything that happens from now on."""
        self.instruments += (instrument,)
        self.routes.clear()  # so every message goes the long way, where instruments are told

    def remove_instrument(self, instrument: Instrument) -> None:
        """Tell `instrument` nothing more; one that is not there is no error."""
        self.instruments = tuple(other for other in self.instruments if other is not instrument)
        if not self.instruments:  # routes to elsewhere come back by themselves
            agents = {**self._agents, **self.system_agents}
            self.routes.update((address, agent._entrance()) for address, agent in agents.items())

    async def _send(self, message: Message) -> None:
        """Send by the long way: names to complete, many receivers, instruments, other containers."""
        dead_before = self.dead_letters.total
        completed, full, error = self._spread(message)
        if full:
            await self._wait_for_room(completed, full)
        elif self.dead_letters.total != dead_before:
            await asyncio.sleep(0)  # who sends and sends to nobody must not starve the others
        if error is not None:
            raise error

    def _send_nowait(self, message: Message) -> None:
        completed, full, error = self._spread(message)
        if full:
            self._refuse(completed, full)
        if error is not None:
            raise error

    def _spread(self, message: Message) -> tuple[Message, list[MessageSink], FormicaryError | None]:
        """Hand a message to all its receivers; return those who have no room, and what some cannot take."""
        message = self._prepare(message)
        full: list[MessageSink] = []
        first_error = None
        for receiver in message.receivers:
            try:
                full += self._hand_over(message, receiver) or ()
            except FormicaryError as error:  # the others shall have their message all the same
                first_error = first_error or error
        return message, full, first_error

    def _hand_over(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        outlet = self._outlet(message.sender, receiver) if self._is_elsewhere(receiver) else None
        return self.deliver(message, receiver) if outlet is None else outlet.post(message, receiver)

    def _outlet(self, agent: str | None, other: str) -> Outlet | None:
        """Return what carries messages between an agent of this container and an address elsewhere."""
        outlet = self.outlets.get(agent) if self.outlets else None
        if outlet is not None and not other.partition("/")[0].endswith(f".{self.platform}"):
            return outlet
        return self._transport

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
        if not self.instruments and len(self.routes) - len(self._agents) < _REMEMBERED:
            self.routes[receiver] = deliver

    def remove_route(self, receiver: str) -> None:
        """Have messages for a receiver elsewhere go through `post` again; for transports."""
        if receiver not in self._agents and receiver not in self.system_agents:
            self.routes.pop(receiver, None)

    def remove_routes(self, is_gone: Callable[[Deliver], bool]) -> None:
        """Have messages go through `post` again that go straight to what is gone; for transports."""
        for receiver in [each for each, deliver in self.routes.items() if is_gone(deliver)]:
            del self.routes[receiver]

    def _prepare(self, message: Message) -> Message:
        is_over = self._closing and not self._agents and message.sender not in self.system_agents
        if self._queue is None or is_over:
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

    def deliver(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Hand a message to an agent of this container; for transports too.

        Args:
            message: the message.
            receiver: the full name of the agent.

        Returns:
            The mailboxes that are full, if any; none when it is delivered, or there is no such agent.
        """
        agent = self._agents.get(receiver) or self._own_agent(receiver)
        if agent is None:
            self.add_dead_letter(message, self._unknown(receiver), receiver)
            return None
        dead_before = self.dead_letters.total
        full = agent._deliver(message)
        if self.instruments and not full and self.dead_letters.total == dead_before:
            for instrument in self.instruments:
                self._tell(instrument, "message_delivered", message, receiver)
        return full

    def _own_agent(self, receiver: str) -> MicroAgent | None:
        """Return the container's own agent of this name, if there is one."""
        return self.system_agents.get(receiver)

    def _refuse(self, message: Message, full: Sequence[MessageSink], reason: str = "is full") -> NoReturn:
        for place in full:
            self.add_dead_letter(message, f"{place} {reason}", place.address, tell_sender=False)
        raise MailboxFullError(f"{', '.join(map(str, full))} {reason}")

    async def _wait_for_room(self, message: Message, full: Sequence[MessageSink]) -> None:
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
                del waiting[0]  # that place has refused the message, which is a dead letter
            for place in waiting:
                reason = f"the sender did not wait until {place} had room: {why}"
                self.add_dead_letter(message, reason, place.address, tell_sender=False)
            raise

    async def wait_for_room(self, message: Message, waiting: list[MessageSink]) -> None:
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

    def _put(self, message: Message, place: MessageSink) -> bool:
        """Deliver to a place, or to the dead letters if it has ended; return False if there is no room."""
        if place.is_done():
            self.add_dead_letter(message, f"{place} ended before it had room for the message", place.address)
            return True
        if not place.put(message):
            return False
        if place.address in self._agents:
            for instrument in self.instruments:
                self._tell(instrument, "message_delivered", message, place.address)
        return True

    def add_dead_letter(
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
        # Nothing is said about what says that something failed, nor about an answer to it: that could go on
        # for ever.
        own = f"{MANAGEMENT}@{self.domain}"
        is_failure = message.performative == "failure" and (sender or "").startswith(f"{MANAGEMENT}@")
        if tell_sender and sender is not None and not is_failure and receiver != own:
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
        if sender in self._agents or sender in self.system_agents:
            for instrument in self.instruments:
                self._tell(instrument, "message_sent", failure)
            if sender in self.overflow.lines:
                self.overflow.add(failure, sender)
            elif full := self.deliver(failure, sender):
                self.overflow.add(failure, sender, full=full)
        elif self._is_elsewhere(sender) and (outlet := self._outlet(receiver, sender)) is not None:
            outlet.refuse(message, receiver, failure)

    def _tell(self, instrument: Instrument, event: str, *details: object) -> None:
        try:
            getattr(instrument, event)(*details)
        except Exception:
            logger.exception("instrument %r failed at %s and is taken out", instrument, event)
            self.remove_instrument(instrument)
