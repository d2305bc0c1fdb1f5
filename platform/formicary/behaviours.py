"""Behaviours: what agents do, each on its own, in the shapes that SPADE gave them."""

from __future__ import annotations

import asyncio
import types
from collections import deque
from typing import TYPE_CHECKING, Any, overload

from formicary.clock import seconds_until
from formicary.errors import AgentStateError
from formicary.strand import WAIT, Strand

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator
    from datetime import datetime, timedelta

    from formicary.agent import Agent
    from formicary.message import Message
    from formicary.strand import RunQueue
    from formicary.template import Template

_GREEDY = 32  # messages or runs that a behaviour may take in a row before the others get their turn


class Behaviour:
    """What the kinds of behaviours have in common. Subclass one of those, not this.

    A behaviour has a mailbox of its own. It receives what its template matches, everything if it has none.
    `agent` is the agent that it belongs to, from `add_behaviour` on.
    """

    __slots__ = (
        "_burst",
        "_exit_code",
        "_killed",
        "_limit",
        "_mailbox",
        "_matches",
        "_queue",
        "_senders",
        "_strand",
        "_takers",
        "agent",
        "template",
    )

    agent: Agent
    template: Template | None

    def __init__(self) -> None:
        self.template = None
        self._matches: Callable[[Message], bool] | None = None
        self._strand: Strand | None = None
        self._mailbox: deque[Message] | None = None  # made by the first message that has to wait
        self._senders: deque[asyncio.Future[None]] | None = None  # who waits for room in the mailbox
        self._takers: deque[asyncio.Future[None]] | None = None  # tasks of the behaviour that receive
        self._killed = False
        self._exit_code: Any = None
        self._burst = 0

    # -- what a user writes ---------------------------------------------------------------------------------

    async def on_start(self) -> None:
        """Run once before anything else; for subclasses."""

    async def run(self) -> None:
        """Do what the behaviour does; for subclasses."""
        raise NotImplementedError(f"{type(self).__name__} has no run()")

    async def on_end(self) -> None:
        """Run once at the end, also after `kill`, but not after an exception; for subclasses."""

    # -- what a user calls ----------------------------------------------------------------------------------

    async def send(self, message: Message) -> None:
        """Send a message from this behaviour's agent.

        Inside a container the message is in the receiver's mailbox when this returns; to other containers it
        is on its way. A full mailbox or a busy link makes this wait. What cannot be delivered comes back as a
        message with performative `failure` from the container's `ams`, and is among the dead letters.

        Args:
            message: with at least one receiver.

        Raises:
            MailboxFullError: a mailbox had no room for the whole of the container's `send_timeout`.
            ContainerClosedError: the agent is not in a running container.
            asyncio.CancelledError: when cancelled; the message was then not sent to receivers whose mailbox
                it was still waiting for.
        """
        agent = self.agent
        if message.sender != agent.address:
            message = agent._stamped(message)
        container = agent._container
        receiver = container._agents.get(message.to)
        if receiver is None or container.instruments:
            await container._send(message)
        elif full := receiver._deliver(message):
            await container._wait_for_room(message, full)

    async def reply(self, message: Message, *, body: str | bytes = "", **parameters: Any) -> None:
        """Send an answer to `message`; arguments and errors as of `Message.make_reply` and `send`."""
        await self.send(message.make_reply(body=body, **parameters))

    @overload
    def receive(self, timeout: None = None) -> Awaitable[Message]: ...
    @overload
    def receive(self, timeout: float) -> Awaitable[Message | None]: ...
    @types.coroutine
    def receive(self, timeout: float | None = None) -> Generator[Any, Any, Message | None]:
        """Take the next message out of the mailbox; await it.

        Args:
            timeout: how many seconds to wait for one; 0 only looks; None, unlike in SPADE, waits.

        Returns:
            The message; None if there was none in time.

        Raises:
            asyncio.CancelledError: when cancelled; no message is lost by it.
        """
        if self._mailbox:
            self._burst += 1
            if self._burst > _GREEDY:
                self._burst = 0
                yield
            return self._take()
        self._burst = 0
        strand = self._strand
        if strand is None or not strand.running:  # called in a task that the behaviour has started
            return (yield from self._receive_in_task(timeout).__await__())
        if timeout is None:
            while (message := (yield WAIT)) is None:
                if self._mailbox:
                    return self._take()
            return message  # type: ignore[no-any-return]  # it is what `_put` resumes with
        if timeout <= 0:
            yield  # a loop that only looks must not starve those who would send
            return self._next()
        timer = strand.get_loop().call_later(timeout, strand.expire)
        try:
            return (yield WAIT)  # type: ignore[no-any-return]  # as above
        finally:
            timer.cancel()

    def kill(self, exit_code: Any = None) -> None:
        """End the behaviour: after this `run` when it calls that itself, else at what it waits for now.

        Args:
            exit_code: anything that `exit_code` shall give to others.
        """
        self._killed = True
        if exit_code is not None:
            self._exit_code = exit_code
        strand = self._strand
        if strand is not None and not strand.running:
            strand.cancel()

    async def join(self, timeout: float | None = None) -> None:
        """Wait until the behaviour has ended.

        Args:
            timeout: how many seconds at most; None for any time.

        Raises:
            AgentStateError: its agent has not started, or a behaviour waits for itself.
            TimeoutError: it has not ended in time.
            Exception: what the behaviour has ended with, if it was an exception.
        """
        strand = self._strand
        if strand is None:
            raise AgentStateError(f"{self} has not started: start its agent first")
        if strand.running:
            raise AgentStateError(f"{self} cannot wait for its own end")
        await asyncio.wait([strand], timeout=timeout)
        if not strand.done():
            raise TimeoutError(f"{self} has not ended within {timeout} s")
        if not strand.cancelled():
            strand.result()

    @property
    def exit_code(self) -> Any:
        """What `kill` was given.

        Raises:
            AgentStateError: the behaviour has not ended yet.
        """
        if not self.is_done():
            raise AgentStateError(f"{self} has not ended yet; join it first")
        return self._exit_code

    def is_done(self) -> bool:
        """Tell whether the behaviour has ended."""
        return self._strand is not None and self._strand.done()

    def is_killed(self) -> bool:
        """Tell whether `kill` was called."""
        return self._killed

    def mailbox_size(self) -> int:
        """Return how many messages wait to be received."""
        return len(self._mailbox) if self._mailbox else 0

    def get(self, name: str) -> Any:
        """Return the agent's knowledge of `name`, None if it has none."""
        return self.agent.get(name)

    def set(self, name: str, value: Any) -> None:
        """Set the agent's knowledge of `name`."""
        self.agent.set(name, value)

    def __str__(self) -> str:
        agent = getattr(self, "agent", None)
        return f"behaviour {type(self).__name__} of agent {agent.name if agent else '(none)'}"

    # -- its life -------------------------------------------------------------------------------------------

    _timed = False
    _repeats = True

    def _start(self, queue: RunQueue, limit: int) -> None:
        self._queue = queue
        self._limit = limit
        self._strand = Strand(self._main(), queue, f"{self.agent.name}/{type(self).__name__}", self)

    async def _main(self) -> None:
        try:
            await self.on_start()
            while not self._killed:
                if self._timed:
                    await self._wait_for_time()
                await self.run()
                if not self._repeats:
                    break
                self._burst += 1
                if self._burst > _GREEDY:  # a run that never waits must not starve the others
                    self._burst = 0
                    await asyncio.sleep(0)
        except asyncio.CancelledError:
            if not self._killed or self._strand is None:
                raise
            self._strand.uncancel()
        await self.on_end()

    async def _wait_for_time(self) -> None:
        """Wait until `run` is due; for the kinds that are `_timed`."""

    def ended(self, strand: Strand) -> None:
        """Tell the agent; for the strand."""
        error = None if strand.cancelled() else strand.exception()
        self.agent._behaviour_ended(self, error)

    # -- its mailbox ----------------------------------------------------------------------------------------

    def _put(self, message: Message) -> bool:
        """Hand a message over; return False if the mailbox is full."""
        strand = self._strand
        if strand is not None and strand.waiting:
            strand.waiting = False
            queue = self._queue
            queue.ready.append(strand.resume)
            queue.ready.append(message)
            if not queue.awake:
                queue.wake()
            return True
        mailbox = self._mailbox
        if mailbox is None:
            mailbox = self._mailbox = deque()
        elif len(mailbox) >= self._limit:
            return False
        mailbox.append(message)
        if self._takers:
            _wake_first(self._takers)
        return True

    def _take(self) -> Message:
        mailbox = self._mailbox
        assert mailbox
        if self._senders:
            _wake_first(self._senders)
        return mailbox.popleft()

    def _next(self) -> Message | None:
        return self._take() if self._mailbox else None

    def give_back(self, message: Message) -> None:
        """Put the oldest message back; for the strand."""
        if self._mailbox is None:
            self._mailbox = deque()
        self._mailbox.appendleft(message)

    async def _receive_in_task(self, timeout: float | None) -> Message | None:
        if self._takers is None:
            self._takers = deque()
        try:
            async with asyncio.timeout(timeout):
                while not self._mailbox:
                    await _wait_in(self._takers)
        except TimeoutError:
            return None
        return self._take()

    async def _room(self) -> None:
        """Wait for a place in the mailbox; it may be taken again by the time the caller runs."""
        if self._senders is None:
            self._senders = deque()
        await _wait_in(self._senders)

    def _empty(self) -> deque[Message]:
        """Return what was never received, and let those go on who wait for room."""
        left, self._mailbox = self._mailbox or deque(), None
        while self._senders:
            _wake_first(self._senders)
        return left


async def _wait_in(line: deque[asyncio.Future[None]]) -> None:
    future = asyncio.get_running_loop().create_future()
    line.append(future)
    try:
        await future
    except asyncio.CancelledError:
        if future.done() and not future.cancelled():
            _wake_first(line)  # its turn came just when it was cancelled: the next one's now
        raise


def _wake_first(line: deque[asyncio.Future[None]]) -> None:
    while line:
        future = line.popleft()
        if not future.done():
            future.set_result(None)
            return


class CyclicBehaviour(Behaviour):
    """Runs `run` again and again until it is killed."""

    __slots__ = ()


class OneShotBehaviour(Behaviour):
    """Runs `run` once."""

    __slots__ = ()
    _repeats = False


class PeriodicBehaviour(Behaviour):
    """Runs `run` at fixed times, one `period` apart; times that pass while `run` still runs are left out.

    Args:
        period: seconds from the start of one run to the start of the next.
        start_at: the time of the first run (without a zone: local time), or how long until then; None for
            at once.
    """

    __slots__ = ("_next", "_start_at", "period")
    _timed = True

    def __init__(self, period: float, start_at: datetime | timedelta | None = None) -> None:
        super().__init__()
        if period < 0:
            raise AgentStateError(f"a period is a number of seconds from 0 on, not {period}")
        self.period = period
        self._start_at = start_at
        self._next: float | None = None

    async def _wait_for_time(self) -> None:
        time = asyncio.get_running_loop().time
        if self._next is None:
            self._next = time() + (seconds_until(self._start_at) if self._start_at else 0.0)
        else:
            late = time() - self._next
            self._next += self.period * (1 + late // self.period) if self.period else late
        await asyncio.sleep(max(0.0, self._next - time()))


class TimeoutBehaviour(Behaviour):
    """Runs `run` once, at a given time.

    Args:
        start_at: the time (without a zone: local time), or how long until then.
    """

    __slots__ = ("_start_at",)
    _timed = True
    _repeats = False

    def __init__(self, start_at: datetime | timedelta) -> None:
        super().__init__()
        self._start_at = start_at

    async def _wait_for_time(self) -> None:
        await asyncio.sleep(seconds_until(self._start_at))
