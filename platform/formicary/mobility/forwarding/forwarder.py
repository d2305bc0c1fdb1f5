"""The messages for one agent that has moved: held, forwarded, or sent straight."""

from __future__ import annotations

import asyncio
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Final

from formicary.core.errors import FormicaryError
from formicary.delivery.dead_letters import is_failure
from formicary.delivery.room import Gate

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message
    from formicary.delivery.dispatcher import Dispatcher
    from formicary.delivery.overflow import Source
    from formicary.delivery.protocols import Transport
    from formicary.mobility.forwarding.course import Course
    from formicary.mobility.forwarding.name_conflicts import NameConflicts

_OWN: Final = 100  # messages of agents of this container that are held; then their senders wait
_PAUSED: Final = 100  # messages that are held when the containers that they come from are told to wait
_MOST: Final = 10_000  # messages that are held for one agent


class Forwarder:
    """Holds or forwards the messages for one agent.

    Args:
        course: decides which way they go.
        dispatcher: the container's.
        transport: what carries them.
        conflicts: knows whether the home may have started another agent of this name.
        on_busy: called when a message of this container's agents must wait.
    """

    def __init__(
        self,
        course: Course,
        dispatcher: Dispatcher,
        transport: Transport,
        conflicts: NameConflicts,
        on_busy: Callable[[Forwarder], None],
    ) -> None:
        self.course = course
        self.address = course.address
        self.home = course.home
        self.is_home = course.home == course.own
        """Whether this container is the agent's home, which forwards everything."""
        self._dispatcher = dispatcher
        self._overflow = dispatcher.overflow
        self._transport = transport
        self._conflicts = conflicts
        self._on_busy = on_busy
        self._held: deque[tuple[Message, Source | None] | Callable[[], None]] = deque()
        self._paused: list[Source] = []
        self._opened: asyncio.Event | None = None  # created by the first that waits
        self._has_own = False  # whether messages of this container's agents wait
        self.is_moving = False
        """Whether the agent's move has been decided, and it has not started at the destination."""
        self.source = ""
        """The container from which the agent is arriving, and what takes the messages from there."""
        self.take_brought: Callable[[Message], None] | None = None
        self.is_used = True
        """Whether messages may have gone the present way."""
        self.is_watched = False
        """Whether it is checked again once nothing waits for room."""
        self.has_strays = False
        """Whether messages of other containers may have been forwarded from here to the home."""
        self.has_left = False
        """Whether the agent has left over the present link to its home: failures may still arrive here."""
        self.turns = 0
        """How often everything held has been sent on, or has failed."""

    @property
    def domain(self) -> str | None:
        """The container that messages go to; None if the agent lives here."""
        return self.course.way

    @property
    def is_held(self) -> bool:
        """Whether messages wait until the way is clear, or the agent has moved."""
        return self.is_moving or self.course.pending is not None

    @property
    def is_needed(self) -> bool:
        """Whether messages would go another way without this."""
        if self.is_held or self.source or self.has_own or self.has_left or not self.course.is_idle:
            return True
        return self.domain is not None and (self.is_home or self.domain != self.home)

    @property
    def has_own(self) -> bool:
        """Whether messages of this container's agents wait here."""
        if self._has_own and not self._held and not self.has_line:
            self._has_own = False
        return self._has_own

    @property
    def has_line(self) -> bool:
        """Whether messages wait for room."""
        return self.address in self._overflow.lines

    @property
    def is_over(self) -> bool:
        """Whether this has been removed or replaced."""
        return self._dispatcher.forwarders.get(self.address) is not self

    def begin(self) -> None:
        """Take over the messages for the agent."""
        self._overflow.divert(self.address, self)
        self._dispatcher.routes.pop(self.address, None)

    def end(self) -> None:
        """Let messages go home, or into the agent's mailbox, again."""
        self._overflow.end_diversion(self.address)
        self._dispatcher.routes.pop(self.address, None)
        self._wake()

    # -- messages of this container's agents ----------------------------------------------------------------

    def post(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Accept a message of an agent of this container; return where it waits if there is no room."""
        is_held = self.is_held
        if not is_held and not (self.has_line and self.has_own):
            return self._send(message, receiver)
        if len(self._held) + len(self._overflow.lines.get(self.address, ())) >= _OWN:
            return (Waiting(self),)
        self.note_own()
        if is_held:
            self._held.append((message, None))
        else:
            self._overflow.deliver(message, self.address)
        return None

    def tell(self, failure: Message) -> None:
        """Deliver a failure to the agent, which lives here, behind what is under way."""
        if self.is_held:
            self._hold(failure, None)
        else:
            self._overflow.deliver(failure, self.address)

    def note_own(self) -> None:
        """Queue messages of this container's agents behind those that wait here."""
        self._has_own = True
        self._dispatcher.routes.pop(self.address, None)
        self._on_busy(self)

    def _send(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        way = self.course.way
        if way is None and receiver not in self._dispatcher.agents:
            reason = f"{receiver} has ended in container {self._dispatcher.name}"
            self._dispatcher.add_dead_letter(message, reason, receiver)
            return None
        if way is None:
            return self._dispatcher.deliver(message, receiver)
        self.is_used = True
        return self._transport.post_to(way, message, receiver)

    async def room(self) -> None:
        """Wait until a message may go, or must go another way."""
        while self.is_held and not self.is_over:
            if self._opened is None:
                self._opened = asyncio.Event()
            await self._opened.wait()
        await self._overflow.wait_until_empty(self.address)

    # -- messages of other containers -----------------------------------------------------------------------

    def take(self, message: Message, receiver: str, source: Source) -> None:
        """Handle a message from another container."""
        domain = source.domain
        if self.take_brought is not None and domain in {self.source, self.home}:
            self.take_brought(message)
        elif self.domain is None:
            self._take_here(message, source)
        elif self.is_home:
            self.course.tell_moved(domain)
            if self.is_moving:
                self._hold(message, source)
            else:
                self._overflow.deliver(message, receiver, source)
        elif domain != self.home:
            self.course.tell_moved(domain)
            self._overflow.deliver(message, receiver, source)
        elif is_failure(message):  # of a message that the agent sent from here
            self._transport.carry_on(domain, message, receiver)
        else:
            reason = f"{receiver} is not in container {self._dispatcher.name}, where it was expected"
            self._dispatcher.add_dead_letter(message, reason, receiver)

    def _take_here(self, message: Message, source: Source) -> None:
        if self._conflicts.keep_arrival(message, self.address, source):
            return
        if self.is_held and source.domain != self.home:  # from there comes what was under way
            self._hold(message, source)
        else:
            self._overflow.deliver(message, self.address, source)

    def pass_on(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Forward a message; return the sinks without room, if any."""
        if self.course.way is None:
            return self._send(message, receiver)
        if self.is_moving:
            self._hold(message, None)
            return None
        try:
            # Even if an agent here has the sender's name: it may be another one.
            full = self._transport.pass_on(self._next(), message, receiver)
        except FormicaryError as error:  # it is a dead letter already
            self._dispatcher.tell_sender(message, receiver, str(error))
            return None
        return (Waiting(self, full),) if full else None

    def _next(self) -> str:
        """Return where to forward messages of others: from its home to the agent, else to its home."""
        if self.is_home and self.course.way is not None:
            return self.course.way
        self.has_strays = True
        return self.home

    # -- markers --------------------------------------------------------------------------------------------

    def on_marker(self, origin: str, number: int) -> None:
        """Handle a marker of another container, which follows all its messages."""
        course = self.course
        course.told.discard(origin)
        if course.way is None:
            course.answer(origin, number, course.own if self.address in self._dispatcher.agents else "")
        elif self.is_moving:
            self._held.append(partial(self.on_marker, origin, number))
        elif not self.is_home and origin == self.home:
            course.answer(origin, number, "")
        else:
            self.hurry()
            if origin == course.way and self.is_home:  # everything before arrives there before the answer
                course.answer(origin, number, origin)
            else:
                course.pass_on(origin, number, self._next())

    def hurry(self) -> None:
        """Forward what waits for room without waiting for it."""
        if self.domain is None or not self.has_line:
            return
        for message in self._overflow.withdraw(self.address):
            self._transport.carry_on(self._next(), message, self.address)

    # -- holding --------------------------------------------------------------------------------------------

    def _hold(self, message: Message, source: Source | None) -> None:
        held = self._held
        if len(held) >= _MOST:
            reason = f"too many messages are waiting until {self.address} is located"
            self._dispatcher.add_dead_letter(message, reason, self.address)
            return
        held.append((message, source))
        if source is not None and len(held) >= _PAUSED and source not in self._paused:
            self._paused.append(source)
            source.pause_sender(self.address, is_paused=True)

    def hold(self) -> None:
        """Hold new messages, and those that wait for room, until the agent has moved."""
        self.is_moving = True
        self._dispatcher.routes.pop(self.address, None)
        for message in self._overflow.withdraw(self.address) if self.has_line else ():
            self._held.append((message, None))

    def follow(self, domain: str, messages: Sequence[Message]) -> None:
        """Send an agent's unread messages after it, and forward new ones."""
        self._dispatcher.routes.pop(self.address, None)
        self.course.leave(domain)
        self.has_left = not self.is_home
        self.is_moving = self.is_used = self.has_strays = False
        for message in messages:
            self._transport.carry_on(domain, message, self.address)
        for message in self._overflow.withdraw(self.address) if self.has_line else ():
            self._transport.carry_on(domain, message, self.address)
        self.release()

    def release(self) -> None:
        """Send on what was held, in order."""
        self._dispatcher.routes.pop(self.address, None)
        held, self._held = self._held, deque()
        for each in held:
            if isinstance(each, tuple):
                self.send_on(each[0])
            else:
                each()
        self.turns += 1
        self._resume()
        self._wake()

    def send_on(self, message: Message) -> None:
        """Send on a message, before all that is held."""
        way = self.course.way
        if way is None or self.is_home:
            self._overflow.deliver(message, self.address)
        else:  # there are only a few
            self.is_used = True
            self._transport.carry_on(way, message, self.address)

    def fail(self, reason: str) -> None:
        """Turn what was held into dead letters."""
        held, self._held = self._held, deque()
        for each in held:
            if isinstance(each, tuple):
                self._dispatcher.add_dead_letter(each[0], reason, self.address)
        self.is_moving = False
        self.turns += 1
        self._resume()
        self._wake()
        for each in held:
            if not isinstance(each, tuple):
                each()

    def forget(self, source: Source) -> None:
        """Called when the other end of a link is another process now, and has not been paused."""
        if source in self._paused:
            self._paused.remove(source)

    def _resume(self) -> None:
        paused, self._paused = self._paused, []
        for source in paused:
            source.pause_sender(self.address, is_paused=False)

    def _wake(self) -> None:
        if self._opened is not None:
            self._opened.set()
            self._opened = None

    # -- what is known --------------------------------------------------------------------------------------

    def holds_up(self, leaving: Collection[str]) -> bool:
        """Return whether agents must wait before they leave, or they might overtake messages of their own.

        Args:
            leaving: their full names.
        """
        if self.is_moving or self.address in leaving:
            return any(message.sender in leaving for message in self.messages())
        return self.is_held

    def messages(self) -> Sequence[Message]:
        """Return the messages that are held."""
        return [each[0] for each in self._held if isinstance(each, tuple)]

    def __str__(self) -> str:
        if self.domain is None:
            return f"{self.address} has just come"
        return f"{self.address} has moved to container {self.domain.partition('.')[0]}"


class Waiting(Gate):
    """Where a message waits until its way is clear, or has room.

    Args:
        forwarder: that of the receiver.
        full: the sinks without room; none if the way is not clear.
    """

    def __init__(self, forwarder: Forwarder, full: Sequence[MessageSink] = ()) -> None:
        super().__init__(forwarder.address)
        self._forwarder = forwarder
        self._full = full

    async def room(self) -> None:
        """Wait for room, or until the way is clear."""
        for sink in self._full:
            await sink.room()
        if not self._full:
            await self._forwarder.room()
        self.is_open = True

    def __str__(self) -> str:
        return ", ".join(map(str, self._full)) or f"the way to {self.address}, which has moved,"
