"""Where a behaviour's messages wait: the way in and the way out, and all that this path touches.

What every message touches is kept in objects of one class each. Python remembers for each attribute access
where it found the attribute for the class that it saw last; code that works on users' own classes sees many.
"""

from __future__ import annotations

import asyncio
import math
import types
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from formicary.core.coroutines import WAIT
from formicary.core.errors import AgentStateError, DefinitionError, MailboxFullError
from formicary.core.priority import PRIORITY, Lanes
from formicary.core.scheduler import GREEDY
from formicary.core.stalled import expect_receiving
from formicary.core.strand import Strand
from formicary.core.template import Template
from formicary.core.times import time_limit

if TYPE_CHECKING:
    from collections.abc import Coroutine, Generator, Sequence

    from formicary.core.behaviour import Behaviour
    from formicary.core.copies import Copies
    from formicary.core.message import Message
    from formicary.core.scheduler import Scheduler

_TICK = 0.001  # s; event loops keep time by milliseconds


class MessageSink(Protocol):
    """What takes messages, and may have no room: a mailbox, or the way to another container."""

    @property
    def address(self) -> str | None:
        """The full name of who receives from here; None where it is on the way to several."""

    def put(self, message: Message) -> bool:
        """Accept a message; return False if there is no room."""

    async def room(self) -> None:
        """Wait for room; it may be taken again by the time the caller runs."""

    def is_done(self) -> bool:
        """Return whether nobody will receive from here any more."""


Deliver = Callable[["Message"], "Sequence[MessageSink] | None"]
"""Hands a message over and returns the sinks that were full, if there were any."""

Routes = dict[Any, Deliver]
"""How to hand over, by the receiver's full name. A key may be anything that a message's `to` can be: what is
not found goes the long way. It is empty while instruments are to be told of every message."""


_NOBODY: Routes = {}


class Deadline:
    """When a behaviour's wait for a message is over; one timer serves many waits.

    Each wait says only how long it is and in which turn of the scheduler it began: it counts from the end of
    that. The timer stays as it is set, and when it goes off before the wait is over, it is set anew: so a
    message that comes in time costs neither a timer nor a look at the clock.

    Args:
        strand: what waits.
        scheduler: its own.
    """

    __slots__ = ("_scheduler", "_strand", "_timer", "armed", "timeout", "turn")

    def __init__(self, strand: Strand, scheduler: Scheduler) -> None:
        self._strand = strand
        self._scheduler = scheduler
        self._timer: asyncio.TimerHandle | None = None
        self.armed = math.inf  # for how many seconds the timer was set, if it is
        self.timeout = 0.0
        self.turn: list[float] = []

    def set_timer(self, seconds: float) -> None:
        """Set the timer to go off earlier, after some seconds."""
        self.cancel()
        self.armed = seconds
        self._timer = self._scheduler.loop.call_later(seconds, self._ring)

    def cancel(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()

    def _ring(self) -> None:
        self._timer = None
        self.armed = math.inf
        left = self.turn[0] + self.timeout - self._scheduler.time() if self.turn else self.timeout
        if left >= _TICK:
            self.set_timer(left)
        else:
            self._strand.expire()


class Mailbox:
    """One behaviour's mailbox, and the strand that receives from it.

    Args:
        owner: the behaviour.
    """

    __slots__ = (
        "_senders",
        "_takers",
        "address",
        "burst",
        "copies",
        "deadline",
        "greedy",
        "limit",
        "matches",
        "messages",
        "owner",
        "performative",
        "receives",
        "routes",
        "scheduler",
        "strand",
    )

    def __init__(self, owner: Behaviour) -> None:
        self.owner = owner
        self.messages: deque[Message] | None = None  # made by the first message that has to wait
        self.matches: Callable[[Message], bool] | None = None
        self.performative: str | None = None  # the one that is taken; `matches` is not asked then
        self.address: str | None = None  # the agent's, which is the sender of what the behaviour sends
        self.routes = _NOBODY
        self.limit = 0
        self.scheduler: Scheduler
        self.strand: Strand | None = None
        self.burst = 0
        self.greedy = GREEDY
        self.receives = False  # whether it has ever looked for a message
        self.copies: Copies | None = None  # until then: which of them others of the agent have got, too
        self.deadline: Deadline | None = None  # made by the first wait that has one
        self._senders: deque[asyncio.Future[None]] | None = None  # who waits for room
        self._takers: deque[asyncio.Future[None]] | None = None  # tasks of the behaviour that receive

    def open(self, coroutine: Coroutine[Any, Any, None], scheduler: Scheduler, limit: int) -> None:
        """Start the strand that runs `coroutine`; at most `limit` messages wait."""
        agent = self.owner.agent
        self.address = agent.address
        self.routes = agent.container.dispatcher.routes
        self.scheduler = scheduler
        self.greedy = scheduler.greedy
        self.limit = limit
        self.strand = Strand(coroutine, scheduler, self)

    # -- the way in -----------------------------------------------------------------------------------------

    def accept(self, message: Message) -> Sequence[MessageSink] | None:
        """Accept a message for an agent with only this behaviour; the fast path."""
        wanted = self.performative
        if wanted is not None:  # what most templates ask for, without a call
            if message.performative != wanted:
                self.owner.agent.add_unwanted(message)
                return None
        elif (matches := self.matches) is not None and not matches(message):
            self.owner.agent.add_unwanted(message)
            return None
        strand = self.strand
        if strand is not None and strand.waiting:
            strand.waiting = False
            scheduler = self.scheduler
            ready = scheduler.ready
            ready.append(strand)
            ready.append(message)
            if not scheduler.awake:
                scheduler.wake()
            return None
        return None if self.put(message) else (self,)

    def take(self, message: Message) -> Sequence[MessageSink] | None:
        """Accept a message that is known to be wanted; as `accept`."""
        strand = self.strand
        if strand is not None and strand.waiting:
            strand.waiting = False
            scheduler = self.scheduler
            ready = scheduler.ready
            ready.append(strand)
            ready.append(message)
            if not scheduler.awake:
                scheduler.wake()
            return None
        return None if self.put(message) else (self,)

    def put(self, message: Message) -> bool:
        """Accept a message; return False if the mailbox is full."""
        strand = self.strand
        if strand is not None and strand.waiting:
            strand.waiting = False
            scheduler = self.scheduler
            ready = scheduler.ready
            ready.append(strand)
            ready.append(message)
            if not scheduler.awake:
                scheduler.wake()
            return True
        messages = self.messages
        if messages is None:
            messages = self.messages = deque()
        if self.limit and len(messages) >= self.limit:
            return False
        if message.metadata is not None and PRIORITY in message.metadata and type(messages) is deque:
            messages = self.messages = Lanes(messages)
        messages.append(message)
        if self._takers:
            _wake_first(self._takers)
        return True

    def give_back(self, message: Message) -> None:
        """Put back the oldest message: the strand was cancelled or held as it was about to get it."""
        messages = self.messages
        if messages is None:
            messages = self.messages = deque()
        if message.metadata is not None and PRIORITY in message.metadata and type(messages) is deque:
            messages = self.messages = Lanes(messages)
        messages.appendleft(message)
        if self._takers:
            _wake_first(self._takers)

    async def room(self) -> None:
        """Wait for room; it may be taken again by the time the caller runs."""
        if self._senders is None:
            self._senders = deque()
            expect_receiving(self)  # once for each mailbox
        await _wait_in(self._senders)

    def set_limit(self, limit: int) -> None:
        """Set how many messages may wait, 0 for any number; then wake whoever waits for room."""
        self.limit = limit
        while not limit and self._senders:
            _wake_first(self._senders)

    def leave(self, tombstone: Any) -> None:
        """Accept, send and receive nothing more: the agent continues elsewhere.

        Args:
            tombstone: takes the place of what the behaviour would use.
        """
        self.limit = -1
        self.routes = _NOBODY
        self.scheduler = tombstone

    # -- the way out ----------------------------------------------------------------------------------------

    def next(self) -> Message | None:
        """Return the next message, None if there is none; whoever waits for room resumes."""
        if not self.messages:
            return None
        if self._senders:
            _wake_first(self._senders)
        return self.messages.popleft()

    @types.coroutine
    def receive(self, timeout: float | None) -> Generator[Any, Any, Message | None]:
        """Take a message, or wait for one in a task other than the behaviour's; for `Behaviour`."""
        check_timeout(timeout)
        self.burst = 0
        self.receives = True
        strand = self.strand
        if strand is None or self.scheduler.current is not strand:  # in a task that the behaviour has made
            return (yield from self._receive_in_task(timeout).__await__())
        yield  # a loop that only looks must not starve those who would send
        return self.next()

    @types.coroutine
    def receive_matching(
        self, template: Template, timeout: float | None
    ) -> Generator[Any, Any, Message | None]:
        """Receive the next message that a template matches, leaving the others; for `Behaviour`."""
        strand, scheduler, matches = self.strand, self.scheduler, template.match
        if strand is None or scheduler.current is not strand:
            raise AgentStateError(
                f"{self.owner} can only receive with a template in its own coroutine, not in a task "
                "it created: use ask() there"
            )
        self.receives = True
        timeout = time_limit(timeout)
        if (found := self._take_matching(matches)) is not None or (timeout is not None and timeout <= 0):
            self.burst = 0
            yield  # as of `receive`
            return found
        until = None if timeout is None else scheduler.loop.time() + timeout
        while found is None and (until is None or scheduler.loop.time() < until - _TICK / 2):
            before = self._check_room()
            if until is not None:
                left = until - scheduler.loop.time()
                deadline = self.set_deadline(left)
                deadline.timeout, deadline.turn = left, scheduler.turn
            message: Message | None = yield WAIT
            if message is not None and matches(message):
                return message
            if message is not None:
                self._put_behind(before, message)
            found = self._take_matching(matches)  # more may have come in the same turn
        return found

    def _check_room(self) -> int:
        """Return how many messages wait; MailboxFullError if there is no room for another one."""
        count = len(self.messages or ())
        if self.limit and count >= self.limit:
            raise MailboxFullError(f"{self} is full of {count} messages, none of which the template matches")
        return count

    def _put_behind(self, before: int, message: Message) -> None:
        """Put a message where it has come: behind so many."""
        if not self.messages:
            self.messages = None
            self.put(message)
        else:
            self.messages.insert(before, message)

    def _take_matching(self, matches: Callable[[Message], bool]) -> Message | None:
        for message in self.messages or ():
            if matches(message):
                self.messages.remove(message)  # type: ignore[union-attr]  # it is in there
                if self._senders:
                    _wake_first(self._senders)
                return message
        return None

    def set_deadline(self, timeout: float) -> Deadline:
        """Set the timer for a wait of `timeout` seconds that begins now."""
        deadline = self.deadline
        if deadline is None:
            assert self.strand is not None
            deadline = self.deadline = Deadline(self.strand, self.scheduler)
        if timeout < deadline.armed:
            deadline.set_timer(timeout)
        return deadline

    async def _receive_in_task(self, timeout: float | None) -> Message | None:
        if self.is_done():
            raise AgentStateError(f"{self.owner} has ended and no longer receives")
        if self._takers is None:
            self._takers = deque()
        try:
            async with asyncio.timeout(time_limit(timeout)):
                while not self.messages:
                    await _wait_in(self._takers)
        except TimeoutError:
            return None
        return self.next()

    # -- the end --------------------------------------------------------------------------------------------

    def strand_ended(self, strand: Strand) -> None:
        """Called when the strand has ended; for it."""
        if self.deadline is not None:
            self.deadline.cancel()
        self.owner.strand_ended(strand)

    def strand_name(self) -> str:
        """Return a name for the strand; for it."""
        return f"{self.owner.agent.name}/{type(self.owner).__name__}"

    def is_done(self) -> bool:
        """Return whether the behaviour has ended."""
        return self.strand is not None and self.strand.done()

    @property
    def is_awaited_by_tasks(self) -> bool:
        """Whether tasks that the behaviour has made wait for messages."""
        return bool(self._takers) and any(not taker.done() for taker in self._takers or ())

    def empty(self) -> Sequence[Message]:
        """Return unreceived messages; wake whoever waits for room, and cancel whoever receives."""
        left, self.messages = self.messages, None
        for taker in self._takers or ():
            taker.cancel()
        while self._senders:
            _wake_first(self._senders)
        return tuple(left) if left else ()

    def close_to_copies(self) -> None:
        """Accept no more messages that another behaviour also gets, and wake their senders."""
        assert self.copies is not None
        self.copies.is_closed = True
        while self._senders:
            _wake_first(self._senders)

    def unreceived(self) -> Sequence[Message]:
        """Return what waits here, and has not gone to another behaviour that receives as well."""
        messages = self.messages or ()
        return messages if self.receives or self.copies is None else self.copies.others(messages)

    def __str__(self) -> str:
        return f"the mailbox of {self.owner}"


def check_timeout(timeout: object) -> None:
    """Check a timeout of `receive`.

    Raises:
        UsageError: it is none.
        DefinitionError: it is a template.
    """
    if isinstance(timeout, Template):
        raise DefinitionError("receive() takes a template as a keyword argument: write receive(template=...)")
    time_limit(timeout)


async def _wait_in(line: deque[asyncio.Future[None]]) -> None:
    future = asyncio.get_running_loop().create_future()
    line.append(future)
    try:
        await future
    except asyncio.CancelledError:
        if future.done() and not future.cancelled():
            _wake_first(line)  # its turn came just when it was cancelled: now it is the next one's
        raise


def _wake_first(line: deque[asyncio.Future[None]]) -> None:
    while line:
        future = line.popleft()
        if not future.done():
            future.set_result(None)
            return
