"""The way of the messages to one agent that has moved: what its redirection says, done."""

from __future__ import annotations

import asyncio
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Final

from formicary.core.errors import FormicaryError
from formicary.mobility.redirection.sinks import PassingOn, Waiting, all_room

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from formicary.container.dispatcher import Dispatcher
    from formicary.container.overflow import Source
    from formicary.container.protocols import Transport
    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message
    from formicary.mobility.redirection.machine import Redirection

_OWN: Final = 100  # messages of agents of this container that are held; then their senders wait
_PAUSED: Final = 100  # messages that are held when the containers that they come from are told to wait
_MOST: Final = 10_000  # messages that are held for one agent


class Detour:
    """How messages go to one agent.

    Args:
        redirection: says when.
        dispatcher: the container's.
        transport: what carries them.
        perform: does what the redirection says.
        take_expected: takes what an agent brings along that arrives.
        on_own: called when something of this container's agents has to wait.
    """

    def __init__(
        self,
        redirection: Redirection,
        dispatcher: Dispatcher,
        transport: Transport,
        perform: Callable[[Detour], None],
        take_expected: Callable[[Message, str, Source], bool],
        *,
        on_own: Callable[[Detour], None],
    ) -> None:
        self.redirection = redirection
        self.address = redirection.address
        self._dispatcher = dispatcher
        self._overflow = dispatcher.overflow
        self._transport = transport
        self._perform = perform
        self._take_expected = take_expected
        self._on_own = on_own
        self._held: deque[tuple[Message, Source | None] | Callable[[], None]] = deque()
        self._taken_back: Sequence[Message] = ()  # what has not gone out on a way that is over
        self._paused: list[Source] = []
        self._opened: asyncio.Event | None = None  # made for the first who waits
        self._has_own = False  # whether something of this container's agents waits
        self._is_own_behind = False  # whether it waits in the line, though the agent is here
        self.is_expected = False
        """Whether the agent may arrive here soon: what is passed on until then waits for no room."""
        self.is_used = True
        """Whether messages may have gone this way since the agent has left, but for those that it has taken
        along: it begins elsewhere only when these are there."""
        self.turns = 0
        """How often all that has waited here has gone on, or failed."""
        self._behind = 0  # who waits for all that is in the line to be passed on
        self._hurry: asyncio.Event | None = None  # made for the first message that waits for room

    @property
    def domain(self) -> str | None:
        """The container that messages go to; None where the agent lives here."""
        return self.redirection.domain

    def leads_to(self, domain: str) -> bool:
        """Return whether messages go straight to another container now."""
        is_way = domain == self.domain and not self.is_held
        self.is_used |= is_way
        return is_way

    @property
    def is_held(self) -> bool:
        """Whether messages wait for the old way to be clear."""
        return self.redirection.pending is not None

    @property
    def has_line(self) -> bool:
        """Whether something waits for room."""
        return self.address in self._overflow.lines

    @property
    def has_own(self) -> bool:
        """Whether something that this container's agents have sent waits here."""
        if self._has_own and not self._held and not self.has_line:
            self._has_own = False
        return self._has_own

    def holds_up(self, leaving: Collection[str]) -> bool:
        """Return whether agents have to wait before they leave, as they might overtake messages of their own.

        Args:
            leaving: their full names.
        """
        if self.address in leaving:
            return any(message.sender in leaving for message in self.messages())
        return self.is_held or (self.has_own and not self.redirection.is_here)

    def begin(self) -> None:
        """Have messages come this way."""
        self._overflow.divert(self.address, self)
        self._dispatcher.routes.pop(self.address, None)
        self._dispatcher.detours[self.address] = self

    def end(self) -> None:
        """Have messages go as the agent's name says, or into its mailbox."""
        self._overflow.end_diversion(self.address)
        self._dispatcher.routes.pop(self.address, None)
        self._dispatcher.detours.pop(self.address, None)
        self.turns += 1
        self._wake()

    # -- messages of this container's agents ----------------------------------------------------------------

    def post(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Take a message of an agent of this container; return where it waits if there is no room."""
        is_behind = self.has_line and (self.has_own or not self.redirection.is_here)
        if not self.is_held and not is_behind:
            return self._send(message, receiver)
        if self._own_waiting() >= _OWN:
            return (Waiting(self),)
        self._add_own(message)
        return None

    def tell(self, failure: Message) -> None:
        """Tell the agent, which lives here, that a message of its has failed; behind what is under way."""
        if self.is_held:
            self._hold(failure, None)
        else:
            self._overflow.deliver(failure, self.address)

    def put(self, message: Message) -> bool:
        """Take a message of an agent of this container that has waited; return False if it has to go on."""
        if self.is_held or self.has_line:
            return False
        if full := self._send(message, self.address):
            self._overflow.add(message, self.address, full=(PassingOn(self, full),))
            if self.domain is None and self._dispatcher.places is not None:
                self._dispatcher.places.go_behind(self.address)
        return True

    def _add_own(self, message: Message) -> None:
        self._has_own = True
        self._on_own(self)
        if self.is_held and not (self.has_line and not self.redirection.is_here):
            self._keep(message, None)
        else:
            self._overflow.deliver(message, self.address)
            self._go_behind_the_line()

    def go_behind(self, when_empty: Callable[[], None]) -> None:
        """Have what this container's agents send wait behind what they have sent from elsewhere.

        Args:
            when_empty: called when nothing waits any more.
        """
        if not self._is_own_behind and self.has_line:
            self._has_own = self._is_own_behind = True
            self._on_own(self)
            self._dispatcher.routes.pop(self.address, None)
            self._look_behind(when_empty)

    def _look_behind(self, when_empty: Callable[[], None]) -> None:
        """Have `when_empty` called when nothing waits in the line any more, which is there."""

        def is_next() -> None:
            if len(self._overflow.lines[self.address]) > 1:
                self._look_behind(when_empty)
                return
            self._is_own_behind = False
            asyncio.get_running_loop().call_soon(when_empty)

        self._overflow.call_behind(self.address, is_next)

    def _go_behind_the_line(self) -> None:
        """Have what is sent from now on come here, where something that was sent before has no room yet."""
        if self.has_line and not self.redirection.is_here:
            self._dispatcher.routes.pop(self.address, None)

    def _own_waiting(self) -> int:
        return len(self._held) + len(self._overflow.lines.get(self.address, ()))

    async def room(self) -> None:
        """Wait until a message may go, or has to go another way."""
        while self.is_held and not self.is_over:
            if self._opened is None:
                self._opened = asyncio.Event()
            await self._opened.wait()
        await self._overflow.wait_until_empty(self.address)

    # -- messages of other containers -----------------------------------------------------------------------

    def take(self, message: Message, receiver: str, source: Source) -> None:
        """Take a message that has come from another container."""
        redirection, namesakes = self.redirection, self._dispatcher.namesakes
        if redirection.is_here:
            if namesakes is not None and namesakes.keep_arrival(message, receiver, source):
                return
            is_own = message.sender in self._dispatcher.agents  # which has come round, before what is held
            if self.is_held and source.domain in redirection.told and not is_own:
                self._hold(message, source)
            else:
                self._overflow.deliver(message, receiver, source)
            return
        if self._take_expected(message, receiver, source):
            return
        redirection.pass_on_for(source.domain)
        if self.is_held and not self.has_line:
            self._hold(message, source)
        else:
            self._overflow.deliver(message, receiver, source)
        self._perform(self)

    def _hold(self, message: Message, source: Source | None) -> None:
        held = self._held
        if len(held) >= _MOST:
            reason = f"too many messages are waiting until {self.address} is located"
            self._dispatcher.add_dead_letter(message, reason, self.address)
            return
        self._keep(message, source)
        if source is not None and len(held) >= _PAUSED and source not in self._paused:
            self._paused.append(source)
            source.pause_sender(self.address, is_paused=True)

    def _keep(self, message: Message, source: Source | None) -> None:
        self._held.append((message, source))
        self._dispatcher.unacked_holders.add(self)

    def pass_on(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Send a message on, or hold it; return the sinks that have no room now, if any."""
        del receiver  # it is the agent
        if self.is_held and not self.redirection.is_here:
            self._hold(message, None)
            return None
        full = self.give(message)
        return (PassingOn(self, full),) if full else None

    def give(self, message: Message) -> Sequence[MessageSink] | None:
        """Give a message to the next container; return the sinks that have no room now, if any."""
        domain = self.redirection.domain
        try:
            self.is_used |= domain is not None
            if domain is not None and self._is_urgent:
                self._transport.carry_on(domain, message, self.address)
                return None
            if domain is None:
                return self._send(message, self.address)
            # Also where an agent here has the sender's name: it may be another one.
            return self._transport.pass_on(domain, message, self.address)
        except FormicaryError as error:  # it is a dead letter already
            self._dispatcher.tell_sender(message, self.address, str(error))
            return None

    def _send(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        domain = self.redirection.domain
        if domain is None and receiver not in self._dispatcher.agents:
            reason = f"{receiver} has ended in container {self._dispatcher.name}"
            self._dispatcher.add_dead_letter(message, reason, receiver)
            return None
        if domain is None:
            return self._dispatcher.deliver(message, receiver)
        self.is_used = True
        return self._transport.post_to(domain, message, receiver)

    @property
    def is_over(self) -> bool:
        """Whether messages for the agent go this way no longer, as nobody needed it for a while."""
        return self._dispatcher.detours.get(self.address) is not self

    def bring(self, message: Message) -> Sequence[MessageSink] | None:
        """Hand over a message that has waited here, now that this is over; return the sinks without room."""
        return self._overflow.bring(message, self.address)

    def send_anew(self, message: Message) -> Sequence[MessageSink] | None:
        """Send a message of this container's agents that has waited here, now that this is over."""
        return self._dispatcher.dispatch_to(message, self.address)

    def when_passed_on(self, callback: Callable[[], None], origin: str) -> None:
        """Call back when all that has come from another container up to now was passed on."""
        self.empty_line(partial(self._when_released, callback, origin))

    def _when_released(self, callback: Callable[[], None], origin: str) -> None:
        redirection = self.redirection
        if self.is_held and not (redirection.is_here and origin not in redirection.told):
            self._held.append(callback)
        else:
            callback()

    # -- what waits for room on the way to the next container ------------------------------------------------

    @property
    def _is_urgent(self) -> bool:
        return self.is_expected or self._behind > 0

    def empty_line(self, callback: Callable[[], None]) -> None:
        """Pass on what waits for room now, though there is none, and call back behind it."""
        if not self.has_line or self.redirection.is_here:
            callback()
            return

        def is_next() -> None:
            self._behind -= 1
            callback()

        self._behind += 1
        self._overflow.call_behind(self.address, is_next)
        self._begin_to_hurry()

    def expect(self) -> None:
        """Called when the agent may arrive here soon."""
        self.is_expected = True
        self._begin_to_hurry()

    def _begin_to_hurry(self) -> None:
        if self._hurry is not None:
            self._hurry.set()
            self._hurry = None

    async def wait_for_room(self, full: Sequence[MessageSink]) -> None:
        """Wait for room on the way to the next container, or until messages are to go there without."""
        if self._is_urgent:
            return
        if self._hurry is None:
            self._hurry = asyncio.Event()
        loop = asyncio.get_running_loop()
        waits = [loop.create_task(all_room(full)), loop.create_task(self._hurry.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()

    # -- what the redirection says --------------------------------------------------------------------------

    def hold(self) -> None:
        """Have what is sent come here, if it is to be held."""
        if self.is_held:
            self._dispatcher.routes.pop(self.address, None)

    def release(self) -> None:
        """Send on what was held, in its order."""
        self._dispatcher.unacked_holders.discard(self)
        self._dispatcher.routes.pop(self.address, None)
        taken_back, self._taken_back = self._taken_back, ()
        for message in taken_back:
            self._send_first(message)
        held, self._held = self._held, deque()
        for each in held:
            if not isinstance(each, tuple):
                self.when_passed_on(each, "")
                continue
            self._overflow.deliver(each[0], self.address)
        self.turns += 1
        self._go_behind_the_line()
        self._resume()
        self._wake()

    def take_back(self, messages: Sequence[Message]) -> None:
        """Take what has not gone out on a way that is over now: it goes first, or fails, at once."""
        self._taken_back = messages

    def _send_first(self, message: Message) -> None:
        """Send a message before all that waits for room."""
        if self.domain is None:
            self._overflow.deliver(message, self.address)
        else:
            self.is_used = True
            self._transport.carry_on(self.domain, message, self.address)

    def fail(self, reason: str) -> None:
        """Fail what was held."""
        self._dispatcher.unacked_holders.discard(self)
        taken_back, self._taken_back = self._taken_back, ()
        for message in taken_back:
            self._dispatcher.add_dead_letter(message, reason, self.address)
        held, self._held = self._held, deque()
        for each in held:
            if isinstance(each, tuple):
                self._dispatcher.add_dead_letter(each[0], reason, self.address)
            else:
                each()
        self.turns += 1
        self._resume()
        self._wake()

    def forget(self, source: Source) -> None:
        """Called when the other end of a link has forgotten what it was told: it is another one now."""
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

    def messages(self) -> Sequence[Message]:
        """Return the messages that are held."""
        return [each[0] for each in self._held if isinstance(each, tuple)]

    def __str__(self) -> str:
        if self.domain is None:
            return f"{self.address} has just come"
        return f"{self.address} has moved to container {self.domain.partition('.')[0]}"
