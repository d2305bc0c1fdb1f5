"""The mailboxes in which behaviours' messages wait.

Everything that each message touches is in objects of one class each: Python caches attribute lookups for the
class that it saw last, and code that works on users' own classes sees many.
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
    """Takes messages, and may have no room: a mailbox, or a link to another container."""

    @property
    def address(self) -> str | None:
        """The receiver's full name; None if there are several."""

    def put(self, message: Message) -> bool:
        """Accept a message; return False if there is no room."""

    async def room(self) -> None:
        """Wait for room; it may be taken again by the time the caller runs."""

    def is_done(self) -> bool:
        """Return whether nobody will receive from it any more."""


Deliver = Callable[["Message"], "Sequence[MessageSink] | None"]
"""Delivers a message, and returns the sinks that were full, if any."""

Routes = dict[Any, Deliver]
"""How to deliver messages, by the receiver's full name. Messages with any other `to` go through the
dispatcher. It is empty while instruments are to be notified of every message."""


_NOBODY: Routes = {}


class Deadline:
    """The timeout of a behaviour's waits for messages; one timer serves many waits.

    Each wait only sets its length and the turn of the scheduler in which it began, from whose end it counts.
    The timer is left as it is; if it goes off before the wait is over, it is set again. So a message that
    arrives in time needs neither a timer nor a look at the clock.

    Args:
        strand: the strand that waits.
        scheduler: its scheduler.
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
        self.messages: deque[Message] | None = None  # created for the first message that has to wait
        self.matches: Callable[[Message], bool] | None = None
        self.performative: str | None = None  # the only one accepted; replaces `matches`
        self.address: str | None = None  # the agent's, which is the sender of the behaviour's messages
        self.routes = _NOBODY
        self.limit = 0
        self.scheduler: Scheduler
        self.strand: Strand | None = None
        self.burst = 0
        self.greedy = GREEDY
        self.receives = False  # whether it has ever looked for a message
        self.copies: Copies | None = None  # until then: messages that other behaviours got as well
        self.deadline: Deadline | None = None  # created for the first wait that has one
        self._senders: deque[asyncio.Future[None]] | None = None  # waiting for room
        self._takers: deque[asyncio.Future[None]] | None = None  # tasks of the behaviour that are receiving

    def open(self, coroutine: Coroutine[Any, Any, None], scheduler: Scheduler, limit: int) -> None:
        """Start the strand that runs `coroutine`; at most `limit` messages wait."""
        agent = self.owner.agent
        self.address = agent.address
        self.routes = agent.container.dispatcher.routes
        self.scheduler = scheduler
        self.greedy = scheduler.greedy
        self.limit = limit
        self.strand = Strand(coroutine, scheduler, self)

    # -- delivering -----------------------------------------------------------------------------------------

    def accept(self, message: Message) -> Sequence[MessageSink] | None:
        """Accept a message for an agent with only this behaviour; the fast path."""
        wanted = self.performative
        if wanted is not None:  # most templates, without a call
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
        """Put back the oldest message: the strand was cancelled or held just before it got it."""
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
        """Set how many messages may wait; 0 for any number, which wakes all that wait for room."""
        self.limit = limit
        while not limit and self._senders:
            _wake_first(self._senders)

    def leave(self, tombstone: Any) -> None:
        """Accept, send and receive nothing more: the agent continues elsewhere.

        Args:
            tombstone: replaces the scheduler.
        """
        self.limit = -1
        self.routes = _NOBODY
        self.scheduler = tombstone

    # -- receiving ------------------------------------------------------------------------------------------

    def next(self) -> Message | None:
        """Return the next message, None if there is none; wake a sender that waits for room."""
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
        if strand is None or self.scheduler.current is not strand:  # in a task that the behaviour has created
            return (yield from self._receive_in_task(timeout).__await__())
        yield  # a loop that polls must not starve senders
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
            found = self._take_matching(matches)  # more may have arrived in the same turn
        return found

    def _check_room(self) -> int:
        """Return how many messages wait; MailboxFullError if there is no room for another one."""
        count = len(self.messages or ())
        if self.limit and count >= self.limit:
            raise MailboxFullError(f"{self} is full of {count} messages, none of which the template matches")
        return count

    def _put_behind(self, before: int, message: Message) -> None:
        """Put a message in its order of arrival: behind `before` others."""
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
        """Whether tasks that the behaviour has created wait for messages."""
        return bool(self._takers) and any(not taker.done() for taker in self._takers or ())

    def empty(self) -> Sequence[Message]:
        """Return unreceived messages; wake all senders that wait for room, and cancel tasks that receive."""
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
        """Return the waiting messages; if it never receives, only those that no other behaviour got."""
        messages = self.messages or ()
        return messages if self.receives or self.copies is None else self.copies.others(messages)

    def __str__(self) -> str:
        return f"the mailbox of {self.owner}"


def check_timeout(timeout: object) -> None:
    """Check a timeout of `receive`.

    Raises:
        UsageError: it is not a number of seconds.
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
            _wake_first(line)  # it was woken just when it was cancelled, so wake the next
        raise


def _wake_first(line: deque[asyncio.Future[None]]) -> None:
    while line:
        future = line.popleft()
        if not future.done():
            future.set_result(None)
            return
