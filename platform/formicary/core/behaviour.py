"""The base of all behaviours: sending, receiving, start and end."""

from __future__ import annotations

import asyncio
from types import MethodType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, TypeVarTuple, overload

from msgspec.structs import force_setattr

from formicary.core.base_agent import AgentState
from formicary.core.conversing import Conversing
from formicary.core.coroutines import WAIT, coroutine_function, pause
from formicary.core.errors import AgentStateError
from formicary.core.mailbox import Mailbox, check_timeout
from formicary.core.message import answer_to, check_unsent, stamp
from formicary.core.reserved import reserved
from formicary.core.template import Template
from formicary.core.times import time_limit

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator

    from formicary.core.agent import Agent
    from formicary.core.message import Message
    from formicary.core.scheduler import Scheduler
    from formicary.core.strand import Strand
    from formicary.protocols.conversations import Conversations

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Phase:
    """The phases of a behaviour, in order; numbers rather than an enum's members, as they are compared."""

    STARTING = 0
    RUNNING = 1  # `on_start` is over
    ENDING = 2  # cancelled by `kill`, or in `on_end`: not to be disturbed again
    LEFT = 3  # its agent continues elsewhere, so there is no `on_end` here


# As names of this module: looking them up in a class takes longer.
_TRANSIT = AgentState.TRANSIT
_STARTING, _RUNNING, _ENDING, _LEFT = Phase.STARTING, Phase.RUNNING, Phase.ENDING, Phase.LEFT


class Behaviour(Conversing):
    """The base class of all kinds of behaviours. Subclass one of those, not this.

    A behaviour has its own mailbox, and receives the messages that its template matches; without a template,
    all of them. `agent` is the agent that it belongs to, once it has been added.
    """

    __slots__ = ("_exit_code", "_killed", "agent", "mailbox", "strand_phase", "template")

    agent: Agent
    template: Template | None

    data: Any = None
    """The data that moves with the behaviour's agent; see `Agent.data`."""
    transient: ClassVar[tuple[str, ...]] = ()
    """The names of attributes that are not carried; with any others besides `data`, the agent cannot move."""

    # For `core.definitions`: whether it needs no machine, which methods of subclasses are awaited, which are
    # not, and the class itself once it was checked.
    _stands_alone: ClassVar = True
    _awaited_methods: ClassVar[tuple[str, ...]] = ("on_start", "run", "on_end", "receive", "send")
    _plain_methods: ClassVar[tuple[str, ...]] = ()
    _checked_behaviour: ClassVar[type | None] = None

    def __init__(self) -> None:
        self.template = None
        self.mailbox = Mailbox(self)
        self._killed = False
        self.strand_phase = _STARTING
        self._exit_code: Any = None

    # -- what a user writes ---------------------------------------------------------------------------------

    async def on_start(self) -> None:
        """Called once before `run`; for subclasses."""

    async def run(self) -> None:
        """Perform the behaviour's work; for subclasses."""
        raise NotImplementedError(f"{type(self).__name__} has no run()")

    async def on_end(self) -> None:
        """Called once at the end, also after `kill`, but not after an exception; for subclasses."""

    # -- what a user calls ----------------------------------------------------------------------------------

    async def send(self, message: Message) -> None:
        """Send a message from this behaviour's agent.

        When this returns, the message is in the receiver's mailbox, or on its way to another container. This
        waits while a mailbox is full or a link is busy. A message that cannot be delivered is added to the
        dead letters, and the container's `ams` sends the agent a `failure`. The `in_reply_to` of a failure,
        or of an answer, is this message's `reply_with`.

        Args:
            message: the message, with at least one receiver.

        Raises:
            InvalidMessageError, InvalidNameError: it is not a message, or a parameter is invalid.
            MailboxFullError: a mailbox was full for as long as the container's `send_timeout`.
            ContainerClosedError: the agent is not in a running container.
            asyncio.CancelledError: when cancelled; receivers whose mailboxes are full do not get it.
        """
        mailbox = self.mailbox
        try:
            sender = message.sender
            if sender is None:
                force_setattr(message, "sender", mailbox.address)
            elif sender != mailbox.address:
                message = stamp(message, mailbox.address)
        except (AttributeError, TypeError):
            check_unsent(message)
            raise
        deliver = mailbox.routes.get(message.to)
        if deliver is None:
            await self.agent.container.dispatcher.send(message)
        elif full := deliver(message):
            await self.agent.container.dispatcher.overflow.wait_to_deliver(message, full)

    def reply(
        self, message: Message, *, body: str | bytes = "", performative: str = "inform"
    ) -> Coroutine[Any, Any, None]:
        """Send an answer to `message`; await it. Arguments, errors: as of `Message.make_reply` and `send`."""
        return self.send(answer_to(message, self.mailbox.address, body, performative))

    @overload
    def receive(
        self, timeout: None = None, template: Template | None = None
    ) -> Coroutine[Any, Any, Message]: ...
    @overload
    def receive(
        self, timeout: float, template: Template | None = None
    ) -> Coroutine[Any, Any, Message | None]: ...
    @coroutine_function
    def receive(self, timeout: Any = None, template: Template | None = None) -> Generator[Any, Any, Any]:
        """Receive the next message in the mailbox, from any sender; await it.

        `receive(template=...)` takes the next message that the template matches, and leaves the others in
        their order. If several tasks of the behaviour receive at once, as with `asyncio.gather`, each takes
        the next message, even if it answers another task's question: use `ask` instead.

        Args:
            timeout: seconds to wait for a message; 0 does not wait, and None, unlike in SPADE, has no limit.
            template: which message to take; None for any.

        Returns:
            The message; None if none arrived in time.

        Raises:
            MailboxFullError: the mailbox is full, and the template matches none of its messages.
            AgentStateError: it was called with a template in a task other than the behaviour's own.
            UsageError: the timeout is not a number of seconds.
            DefinitionError: the timeout is a template; pass it as `template=`.
            asyncio.CancelledError: when cancelled; no message is lost.
        """
        mailbox = self.mailbox
        if template is not None:
            return (yield from mailbox.receive_matching(template, timeout))
        mailbox.receives = True
        if not mailbox.messages:
            # The usual cases are here rather than in the mailbox, which saves a generator for each message.
            try:
                is_unusual = timeout is not None and not timeout > 0  # 0, or not a number
            except TypeError:
                is_unusual = True  # not a number, which the mailbox reports
            if is_unusual or mailbox.scheduler.current is not mailbox.strand:
                return (yield from mailbox.receive(timeout))
            if timeout is None:
                while (message := (yield WAIT)) is None and not mailbox.messages:
                    pass
            else:
                deadline = mailbox.deadline
                if deadline is None or timeout < deadline.armed:
                    deadline = mailbox.set_deadline(timeout)
                deadline.timeout = timeout
                deadline.turn = mailbox.scheduler.turn
                message = yield WAIT
            mailbox.burst = 0
            # While the behaviour was held, the timeout may have expired after a message had arrived.
            return mailbox.next() if message is None else message
        if timeout is not None and timeout.__class__ is Template:
            check_timeout(timeout)
        mailbox.burst += 1
        if mailbox.burst > mailbox.greedy:
            mailbox.burst = 0
            yield
        return mailbox.next()

    @reserved
    def conversations(self) -> Conversations:
        """The conversations of the behaviour's agent.

        Raises:
            ContainerClosedError: the agent has not been started in a container.
        """
        mailbox = self.mailbox
        try:
            return mailbox.scheduler.conversations[mailbox.address]  # type: ignore[no-any-return]  # of it
        except (AttributeError, KeyError):  # it has not begun, or has had none
            return self.agent.conversations

    def compute(
        self, function: Callable[[*Ts], T], *arguments: *Ts, timeout: float | None = None
    ) -> Coroutine[Any, Any, T]:
        """Run a plain function beside the event loop; await it. Arguments, errors: see `Container.compute`.

        Other agents keep running. Use it for computations of more than a few milliseconds.
        """
        return self.agent.container.compute(function, *arguments, timeout=timeout)

    def kill(self, exit_code: Any = None) -> None:
        """End the behaviour: after the present `run` if it calls this itself, otherwise where it is waiting.

        This also ends behaviours of suspended agents. `on_end` is called. Killing it again does nothing.

        Args:
            exit_code: the value of `exit_code` once it has ended.
        """
        self._killed = True
        if exit_code is not None:
            self._exit_code = exit_code
        self.abandon()

    def abandon(self) -> None:
        """End the behaviour where it is waiting, without `on_end` unless it was killed; for its agent."""
        strand = self.mailbox.strand
        if strand is not None and not strand.running:
            if self.agent.state is _TRANSIT and self.agent.is_held:
                return
            if strand.attention:
                strand.release(self.mailbox.next)
            if self.strand_phase < _ENDING:
                self.strand_phase = _ENDING
                strand.cancel()

    def leave_strand(self) -> None:
        """End without `on_end`, as the agent continues elsewhere; for mobility."""
        self._killed = True
        self.strand_phase = _LEFT
        strand = self.mailbox.strand
        if strand is not None and not strand.cancel_at_once():
            if strand.attention:
                strand.release(self.mailbox.next)
            strand.cancel()

    async def join(self, timeout: float | None = None) -> None:
        """Wait until the behaviour has ended.

        Args:
            timeout: the most seconds to wait; None for no limit.

        Raises:
            AgentStateError: its agent has not started, or the behaviour itself called this.
            UsageError: the timeout is not a number of seconds.
            TimeoutError: it did not end in time.
            Exception: the exception that ended the behaviour, if any.
        """
        strand = self.mailbox.strand
        if strand is None:
            raise AgentStateError(f"{self} has not started; start its agent first")
        if strand.running:
            raise AgentStateError(f"{self} cannot wait for its own end")
        await asyncio.wait([strand], timeout=time_limit(timeout))
        if not strand.done():
            raise TimeoutError(f"{self} has not ended within {timeout} s")
        if (error := strand.failure()) is not None:
            self.agent.container.lifecycle.failure_told(error)
            raise error

    @reserved
    def exit_code(self) -> Any:
        """The value passed to `kill`; None if there is none.

        Raises:
            AgentStateError: the behaviour has not ended yet.
        """
        if not self.is_done():
            raise AgentStateError(f"{self} has not ended yet; join it first")
        return self._exit_code

    def is_done(self) -> bool:
        """Return whether the behaviour has ended."""
        return self.mailbox.is_done()

    def is_killed(self) -> bool:
        """Return whether `kill` was called."""
        return self._killed

    def mailbox_size(self) -> int:
        """Return the number of messages waiting to be received."""
        return len(self.mailbox.messages or ())

    def get(self, name: str) -> Any:
        """Return the agent's value of `name`; None if it is not set."""
        return self.agent.get(name)

    def set(self, name: str, value: Any) -> None:
        """Set the agent's value of `name`."""
        self.agent.set(name, value)

    def __str__(self) -> str:
        agent = getattr(self, "agent", None)
        return f"behaviour {type(self).__name__} of agent {agent.name if agent else '(none)'}"

    # -- its life -------------------------------------------------------------------------------------------

    _timed = False
    _repeats = True

    def start_strand(self, scheduler: Scheduler, limit: int) -> None:
        """Start the strand that runs the behaviour; for its container."""
        self.mailbox.open(self.main_coroutine(), scheduler, limit)

    async def main_coroutine(self) -> None:
        """Run the behaviour from its start to its end."""
        mailbox, run = self.mailbox, _function_of(self.run, self)
        timed, repeats = self._timed, self._repeats
        began = mailbox.scheduler.cycle
        try:
            if self.strand_phase == _STARTING:
                await self.on_start()
                self.strand_phase = _RUNNING
            while not self._killed:
                if timed:
                    await self._wait_for_time()
                await run(self)
                if not repeats:
                    break
                mailbox.burst += 1
                if mailbox.burst > mailbox.greedy:  # a run that never waits must not starve the others
                    mailbox.burst = 0
                    if mailbox.scheduler.cycle == began:  # else it has waited since
                        await pause()
                    began = mailbox.scheduler.cycle
        except asyncio.CancelledError:
            if not self._killed or mailbox.strand is None or self.strand_phase == _LEFT:
                raise
            mailbox.strand.uncancel()
        if self.strand_phase != _LEFT:
            self.strand_phase = _ENDING
            await self.on_end()

    async def _wait_for_time(self) -> None:
        """Wait until `run` is due; for the kinds that are timed."""

    def strand_time_left(self, *, is_waiting: bool) -> float | None:
        """Return how many seconds are left until `run` is due; None for kinds that are not timed.

        Args:
            is_waiting: whether it is in `_wait_for_time`, and not in a run.
        """
        del is_waiting
        return None

    def strand_ended(self, strand: Strand) -> None:
        """Called when the behaviour has ended; for its mailbox."""
        self.agent.behaviour_ended(self, strand.failure())


def _function_of(method: Callable[[], Any], owner: Behaviour) -> Callable[[Any], Any]:
    """Return what `method` calls with its owner: kept instead of it, it needs no object for each owner."""
    if isinstance(method, MethodType) and method.__self__ is owner:
        return method.__func__
    return lambda _: method()
