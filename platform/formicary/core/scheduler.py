"""A container's own run queue, faster than asyncio's and as fair."""

from __future__ import annotations

import asyncio
import contextvars
import sys
from collections import deque
from contextlib import nullcontext
from itertools import chain
from types import CoroutineType
from typing import TYPE_CHECKING, Any

from formicary.core.clock import exact_time
from formicary.core.coroutines import SEND, THROW, WAIT
from formicary.core.strand import PROGRAM_EXITS, Strand

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable
    from contextlib import AbstractContextManager

# Each step makes its strand the current task. Setting an item of a dictionary takes a third of the time of a
# function call.
_current_tasks: Any
if sys.version_info >= (3, 14):

    class _CurrentTasks:
        """The current task of each loop, since asyncio keeps no dictionary of them any more."""

        def __setitem__(self, loop: asyncio.AbstractEventLoop, task: Any) -> None:
            asyncio.tasks._swap_current_task(loop, task)  # noqa: SLF001 -- for third-party loops

        def __delitem__(self, loop: asyncio.AbstractEventLoop) -> None:
            asyncio.tasks._swap_current_task(loop, None)  # noqa: SLF001 -- as above

    _current_tasks = _CurrentTasks()
else:
    _current_tasks = asyncio.tasks._current_tasks  # type: ignore[attr-defined]  # noqa: SLF001 -- as above

GREEDY = 32
"""How many messages or runs a behaviour may take in a row before others have their turn."""

# How many strands and messages run before the loop handles sockets and timers again, and how many of each
# alternately: so a strand that has asked a micro-agent resumes in the same turn of the loop.
MOST = 256
BATCH = 64
_TURN = range(BATCH)

WAITS: Any = object()
"""Returned by `Scheduler.step` if there is no result yet, or ever."""


def _count_of_one() -> int:
    local = object()
    return sys.getrefcount(local)


_ALONE = _count_of_one()  # references to what one local variable holds


class Scheduler:
    """The run queue of a container: strands to resume, and messages for micro-agents.

    Both are handled first in, first out, a bounded number of each per turn of the loop, so none starves
    another and none starves the loop.

    Args:
        limit: how many messages for micro-agents may wait.
        failed: called with a micro-agent and the exception that its `handle` raised.
        refuse: called with a micro-agent and the result of its `handle`, if it is useless.
        exits: called with a name and the SystemExit or KeyboardInterrupt that was raised there, which must
            not reach the event loop, as it would end at once.
    """

    __slots__ = (
        "__weakref__",
        "_context",
        "_ends",
        "_roomy",
        "_spare",
        "_waits_for_loop",
        "awake",
        "conversations",
        "current",
        "exits",
        "failed",
        "handled",
        "limit",
        "loop",
        "micro",
        "next_turn",
        "ready",
        "refuse",
        "resumed",
        "steps",
        "time",
        "turn",
        "unwatched",
    )

    greedy = GREEDY
    """How many messages or runs a behaviour may take in a row."""
    cycle = 0
    """The number of this cycle; 0 if there are none."""

    def __init__(
        self,
        limit: int,
        failed: Callable[[Any, BaseException], None],
        refuse: Callable[[Any, Any], None],
        exits: Callable[[str, BaseException], None],
    ) -> None:
        self.loop = asyncio.get_running_loop()
        self.time = exact_time(self.loop)
        # Both queues are flat (strand, value, strand, value, ...): a pair costs no tuple.
        self.ready: deque[Any] = deque()
        self.micro: deque[Any] = deque()
        self.limit = 2 * limit
        self.failed = failed
        self.refuse = refuse
        self.exits = exits
        self.awake = False
        self.turn: list[float] = []  # empty until this turn of the queue is over, then the time of its end
        self.resumed = 0  # strands, and below messages to micro-agents: counted once for each batch of them
        self.handled = 0
        self.steps = iter(_TURN)
        """The steps of the batch that runs; `operator.length_hint` tells other threads how many are left."""
        self.current: Strand | None = None  # the strand that runs now
        self.conversations: dict[str | None, Any] = {}
        """Those of its agents, by full name, where behaviours find them fastest."""
        self.unwatched: Callable[[], None] | None = None
        """Called by the next turn, if nothing watches whether it blocks the loop."""
        self._roomy: list[asyncio.Future[None]] = []
        self._ends: list[Callable[[], None]] = []
        self.next_turn: asyncio.Handle | None = None  # that of the next turn; None while a turn runs
        self._spare: Strand | None = None  # for `begin`
        self._waits_for_loop = False
        self._context = contextvars.copy_context()  # of micro-agents, whoever has written to them

    @property
    def services(self) -> Scheduler:
        """The scheduler of the container's own agents."""
        return self

    @property
    def is_running(self) -> bool:
        """Whether the queue is running; for other threads."""
        return self.awake and self.next_turn is None

    def wake(self) -> None:
        """Run the queue in the next turn of the loop; callers test `awake` first."""
        self.awake = True
        self.next_turn = self.loop.call_soon(self.run, context=self._context)

    def run_now(self) -> None:
        """Run at once, near the end of a turn of the loop; never inside a strand or a handler."""
        if self._waits_for_loop:
            self._waits_for_loop = False
        elif self.awake and self.next_turn is not None:
            self.next_turn.cancel()
            self._context.run(self.run)

    def run_inside(self) -> None:
        """Run at once what is ready, in the task that would wait for it; not in a strand."""
        handle = self.next_turn
        if handle is None:  # nothing is ready, or the queue is running
            return
        task = asyncio.current_task(self.loop)
        if task is None or isinstance(task, Strand):
            return
        del _current_tasks[self.loop]
        self.next_turn = None
        try:
            self._context.run(self._run_ready)
        finally:
            self.next_turn = handle  # the loop calls it anyway, once for many calls of this
            _current_tasks[self.loop] = task

    def wait_for_loop(self) -> None:
        """Skip the next `run_now`, so that the loop writes its output first."""
        self._waits_for_loop = True

    def at_turn_end(self, callback: Callable[[], None]) -> None:
        """Call back when the queue has run in this turn of the loop, or in the next."""
        if self.awake:
            self._ends.append(callback)
        else:
            self.loop.call_soon(callback)

    def schedule(self, strand: Strand, value: object = None) -> None:
        """Resume `strand` with `value` soon, after everything that is ready already."""
        self.ready.append(strand)
        self.ready.append(value)
        if not self.awake:
            self.wake()

    def throw(self, strand: Strand, error: BaseException) -> None:
        """Raise an error in the coroutine of a strand at once, where it waits; not inside a strand."""
        loop = self.loop
        task = asyncio.current_task(loop)
        self.current = strand
        _current_tasks[loop] = strand
        try:
            yielded = strand.runner.run(THROW, strand.coroutine, error)
        except BaseException as end:  # noqa: BLE001 -- `join` raises it
            strand.end(end)
        else:
            if yielded is WAIT and not strand.attention:
                strand.waiting = True
            else:
                strand.wait_for(yielded)
        finally:
            del error  # its traceback holds this frame and its callers
            self.resumed += 1
            self.current = None
            if task is None:
                del _current_tasks[loop]
            else:
                _current_tasks[loop] = task

    def begin(self, coroutine: CoroutineType[Any, Any, Any], agent: Any) -> None:
        """Run the coroutine of a micro-agent's asynchronous `handle` up to where it first waits.

        Most end without waiting. One strand serves as the current task of all of these; a coroutine that
        waits keeps it, and resumes as a behaviour's coroutine does.
        """
        strand = Strand(None, self, None) if self._spare is None else self._spare
        self._spare = None
        context = contextvars.copy_context()
        strand.stand_for(coroutine, context, agent)
        loop = self.loop
        self.current = strand
        _current_tasks[loop] = strand
        try:
            yielded = context.run(coroutine.send, None)
        except BaseException as error:  # noqa: BLE001 -- the agent's `join` raises it
            self.current = None
            del _current_tasks[loop]
            if type(error) is StopIteration and sys.getrefcount(strand) == _ALONE and strand.is_untouched():
                self._spare = strand
            else:
                strand.adopt(coroutine, context, agent)
                strand.end(error)
            return
        self.current = None
        del _current_tasks[loop]
        strand.adopt(coroutine, context, agent)
        agent.strand_waits(strand)
        strand.wait_for(yielded)

    def step(self, awaited: Any, owner: Any, rest: Callable[[Any, Any], Coroutine[Any, Any, Any]]) -> Any:
        """Run an awaitable of an agent's code up to where it first waits, as `begin` does.

        Args:
            awaited: a coroutine, or a step of an asynchronous generator, that has not begun.
            owner: its owner.
            rest: called where it waits, with it and the value that it yielded; returns the coroutine that
                continues with `rest_of` them, and keeps the strand.

        Returns:
            Its result; `WAITS` if it waits, or has ended with an exception that is no `Exception`, of which
            the owner was notified.

        Raises:
            Exception: its exception.
        """
        strand = Strand(None, self, None) if self._spare is None else self._spare
        self._spare = None
        context = contextvars.copy_context()
        strand.stand_for(awaited, context, owner)
        loop = self.loop
        self.current = strand
        _current_tasks[loop] = strand
        try:
            goes_on = rest(awaited, context.run(awaited.send, None))
            yielded = context.run(goes_on.send, None)
        except BaseException as error:
            self.current = None
            del _current_tasks[loop]
            is_result = isinstance(error, Exception)
            if is_result and sys.getrefcount(strand) == _ALONE and strand.is_untouched():
                self._spare = strand
            else:
                strand.adopt(awaited, context, owner)
                strand.end(StopIteration() if is_result else error)
            if type(error) is StopIteration:
                return error.value
            if is_result:
                raise
            return WAITS
        self.current = None
        del _current_tasks[loop]
        strand.adopt(goes_on, context, owner)
        owner.strand_waits(strand)
        strand.wait_for(yielded)
        return WAITS

    def busy(self, what: Callable[[], str]) -> AbstractContextManager[None]:
        """Keep the cycle open while the caller awaits something in this block, if there are cycles.

        Args:
            what: returns what is awaited, and what to do about it, for the log if it takes too long.
        """
        del what
        return nullcontext()

    def keep(self, waiter: asyncio.Future[Any], what: Callable[[], str]) -> None:
        """Keep the next cycle from beginning until `let_go`, if there are cycles."""

    def let_go(self, waiter: asyncio.Future[Any]) -> None:
        """Stop waiting for `waiter`."""

    def end_cycles(self) -> None:
        """Release everything that waits, as the container closes."""

    def queued(self) -> Iterable[object]:
        """Return the contents of the queues: messages, among other things."""
        return chain(self.ready, self.micro)

    def withdraw(self, agent: object) -> list[tuple[Any, Any]]:
        """Remove and return the messages waiting for a micro-agent, or all if None, with receivers."""
        pairs = list(zip(*[iter(self.micro)] * 2, strict=True))
        self.micro.clear()
        taken = []
        for handle, message in pairs:
            if agent is None or handle.__self__ is agent:
                taken.append((handle.__self__, message))
            else:
                self.micro += (handle, message)
        self._make_room()
        return taken

    async def room(self) -> None:
        """Wait until there is room for micro-agents' messages; all waiters resume at once."""
        future = self.loop.create_future()
        self._roomy.append(future)
        await future

    def run(self) -> None:
        """Run what is ready, as much as a turn of the loop allows; called by the loop."""
        self.next_turn = None
        if self.unwatched is not None:
            self.unwatched()
        try:
            self._run_ready()
        finally:
            # All waits that began in this turn count from now: one look at the clock for all of them.
            self.turn.append(self.time())
            self.turn = []
            # Also after a KeyboardInterrupt, when strands may still be ready.
            if self.ready or self.micro:
                self.wake()
            else:
                self.awake = False
        while self._ends:
            self._ends.pop()()

    def _run_ready(self) -> None:
        most = self.resumed + self.handled + MOST
        while True:
            if self.ready:
                self._run_strands(self.ready)
            if self.micro:
                self._run_micro(self.micro)
            if not self.ready or self.resumed + self.handled >= most:
                break

    def _run_strands(self, ready: deque[Any]) -> None:
        current_tasks = _current_tasks
        loop = self.loop
        try:
            self.steps = steps = iter(_TURN)
            for number in steps:  # noqa: B007 -- it is used after the loop
                # Methods are faster if looked up where they are called than if bound before.
                strand = ready.popleft()
                value = ready.popleft()
                resume = SEND
                if strand.attention and (resume := strand.attend(value)) is None:
                    if ready:
                        continue
                    break
                self.current = strand
                current_tasks[loop] = strand
                try:
                    yielded = strand.runner.run(resume, strand.coroutine, value)
                except BaseException as error:  # noqa: BLE001 -- `join` raises it
                    strand.end(error)
                else:
                    if yielded is WAIT and not strand.attention:
                        strand.waiting = True
                    else:
                        strand.wait_for(yielded)
                if not ready:
                    break
        finally:
            self.resumed += number + 1
            if self.current is not None:
                self.current = None
                del current_tasks[loop]

    def _run_micro(self, micro: deque[Any]) -> None:
        self.steps = steps = iter(_TURN)
        for number in steps:  # noqa: B007 -- as above
            handle = micro.popleft()
            message = micro.popleft()
            try:
                returned = handle(message)
            except PROGRAM_EXITS as error:
                self.exits(f"{handle.__self__.name}/handle", error)
            except BaseException as error:  # noqa: BLE001 -- the container logs it
                self.failed(handle.__self__, error)
            else:
                if type(returned) is CoroutineType:
                    self.begin(returned, handle.__self__)
                elif returned is not None:
                    self.refuse(handle.__self__, returned)
            if not micro:
                break
        self.handled += number + 1
        if self._roomy:
            self._make_room()

    def _make_room(self) -> None:
        if len(self.micro) <= self.limit >> 1:
            for future in self._roomy:
                if not future.done():
                    future.set_result(None)
            self._roomy.clear()
