"""Who drives the behaviours: the container's own run queue, faster than asyncio's tasks and as fair.

A `Strand` is to asyncio a task: it is the current task while it runs, can be cancelled, is listed by
`asyncio.all_tasks()`, has a context of its own, and may await any future, so `asyncio.timeout`,
`asyncio.TaskGroup` and every library work inside a behaviour (it implements what Python's documentation,
"Extending asyncio", asks of third-party tasks). What it adds is a cheap way to wait for a message: the
coroutine yields `WAIT`, and whoever delivers puts the strand into the `RunQueue`, which resumes it later in
the same turn of the event loop.

Nothing but this module and `mailbox` knows of strands' insides: who drives behaviours is one small seam.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
import sys
import types
from asyncio import _register_task, _unregister_task
from collections import deque
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

# Make a task the current one, and none. Before Python 3.12 there is no function that need not be undone after
# each step, but the dictionary that such a function would change.
_become: Callable[[asyncio.AbstractEventLoop, Any], object]
_rest: Callable[[asyncio.AbstractEventLoop, None], object]
if sys.version_info >= (3, 12):
    _become = _rest = asyncio.tasks._swap_current_task
else:
    _become = asyncio.tasks._current_tasks.__setitem__  # type: ignore[attr-defined]  # not in the stubs
    _rest = asyncio.tasks._current_tasks.pop  # type: ignore[attr-defined]  # as above

WAIT: Any = object()
"""What a strand's coroutine yields to be resumed by the next message."""


def coroutine_function(generator_function: Callable[..., Any]) -> Callable[..., Any]:
    """Make coroutines, instead of generators, of a function that yields `WAIT` or None.

    `types.coroutine` makes generators that can be awaited, but `asyncio.create_task` takes no generator from
    Python 3.12 on, and nobody is warned of one that was never awaited. An `async def` can yield only by
    awaiting another object, which would cost more than anything else that `receive` does.
    """
    code = generator_function.__code__
    flags = code.co_flags & ~inspect.CO_GENERATOR | inspect.CO_COROUTINE
    function = types.FunctionType(
        code.replace(co_flags=flags),
        generator_function.__globals__,
        generator_function.__name__,
        generator_function.__defaults__,
        generator_function.__closure__,
    )
    return functools.update_wrapper(function, generator_function)


_TURN = range(256)  # how many strands and messages run before the loop sees to sockets and timers again


class RunQueue:
    """What is ready to run in one container: strands to resume, and messages for micro-agents.

    Both are handled first in, first out, a bounded number of each per turn of the loop, so none starves
    another and none starves the loop.

    Args:
        limit: how many messages for micro-agents may wait here.
        failed: called with a micro-agent and what its `handle` raised.
        unfinished: called with a micro-agent, what its `handle` returned, if not None, and the message.
    """

    __slots__ = (
        "_context",
        "_ends",
        "_handle",
        "_roomy",
        "awake",
        "current",
        "failed",
        "limit",
        "loop",
        "micro",
        "ready",
        "unfinished",
    )

    def __init__(
        self,
        limit: int,
        failed: Callable[[Any, BaseException], None],
        unfinished: Callable[[Any, Any, Any], None],
    ) -> None:
        self.loop = asyncio.get_running_loop()
        # Both queues are flat (strand, value, strand, value, ...): a pair costs no tuple.
        self.ready: deque[Any] = deque()
        self.micro: deque[Any] = deque()
        self.limit = 2 * limit
        self.failed = failed
        self.unfinished = unfinished
        self.awake = False
        self.current: Strand | None = None  # the strand that runs now
        self._roomy: list[asyncio.Future[None]] = []
        self._ends: list[Callable[[], None]] = []
        self._handle: asyncio.Handle | None = None
        self._context = contextvars.copy_context()  # micro-agents run in it, whoever has written to them

    def wake(self) -> None:
        """Have the queue run in the next turn of the loop; callers test `awake` first."""
        self.awake = True
        self._handle = self.loop.call_soon(self._run, context=self._context)

    def run_now(self) -> None:
        """Run at once, where a turn of the loop is nearly over; never inside a strand or a handler."""
        if self.awake and self._handle is not None:
            self._handle.cancel()
            self._context.run(self._run)

    def at_turn_end(self, callback: Callable[[], None]) -> None:
        """Call back when the queue has run in this turn of the loop, or in the next."""
        if self.awake:
            self._ends.append(callback)
        else:
            self.loop.call_soon(callback)

    def schedule(self, strand: Strand, value: object = None) -> None:
        """Resume `strand` with `value` soon, after all that is ready already."""
        self.ready.append(strand)
        self.ready.append(value)
        if not self.awake:
            self.wake()

    def withdraw(self, agent: object) -> list[tuple[Any, Any]]:
        """Take out and return, with receivers, what waits for a micro-agent, or for all if None."""
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
        """Wait until micro-agents' messages have room again; several waiters go on at once."""
        future = self.loop.create_future()
        self._roomy.append(future)
        await future

    def _run(self) -> None:
        try:
            if self.ready:
                self._run_strands()
            if self.micro:
                self._run_micro()
        finally:
            # Also after a KeyboardInterrupt: what is ready stays ready.
            if self.ready or self.micro:
                self.wake()
            else:
                self.awake = False
                self._handle = None
        while self._ends:
            self._ends.pop()()

    def _run_strands(self) -> None:
        ready = self.ready
        take = ready.popleft
        loop = self.loop
        try:
            for _ in _TURN:
                strand = take()
                value = take()
                resume = strand.send
                if strand.attention and (resume := strand.attend(value)) is None:
                    if ready:
                        continue
                    break
                self.current = strand
                _become(loop, strand)
                try:
                    yielded = strand.run_in_context(resume, value)
                except BaseException as error:  # noqa: BLE001 -- however it ends, whoever joins is told
                    strand.end(error)
                else:
                    if yielded is WAIT and not strand.attention:
                        strand.waiting = True
                    else:
                        strand.wait_for(yielded)
                if not ready:
                    break
        finally:
            if self.current is not None:
                self.current = None
                _rest(loop, None)

    def _run_micro(self) -> None:
        micro = self.micro
        take = micro.popleft
        for _ in _TURN:
            handle = take()
            message = take()
            try:
                unfinished = handle(message)
            except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 -- the container logs it
                self.failed(handle.__self__, error)
            else:
                if unfinished is not None:
                    self.unfinished(handle.__self__, unfinished, message)
            if not micro:
                break
        if self._roomy:
            self._make_room()

    def _make_room(self) -> None:
        if len(self.micro) <= self.limit >> 1:
            for future in self._roomy:
                if not future.done():
                    future.set_result(None)
            self._roomy.clear()


class Owner(Protocol):
    """Whose coroutine a strand runs."""

    def give_back(self, message: Any) -> None:
        """Take back the oldest message: it was not received after all."""

    def strand_name(self) -> str:
        """Return a name for logs and debuggers."""

    def ended(self, strand: Strand) -> None:
        """Learn that the coroutine has ended; the strand holds its result or exception."""


class Strand(asyncio.Future[Any]):
    """A coroutine that a `RunQueue` drives; to asyncio a task. Its result is the coroutine's.

    Args:
        coroutine: what to run; it starts when the queue comes to it.
        queue: the queue of the container that it belongs to.
        owner: told when the coroutine has ended, and given back a message with which it was about to be
            resumed when it was cancelled or held instead.
    """

    __slots__ = (
        "_cancel_message",
        "_cancels",
        "_context",
        "_coroutine",
        "_error",
        "_future",
        "_held",
        "_must_cancel",
        "_name",
        "_owner",
        "_queue",
        "attention",
        "run_in_context",
        "send",
        "waiting",
    )

    def __init__(self, coroutine: Coroutine[Any, Any, Any], queue: RunQueue, owner: Owner) -> None:
        super().__init__(loop=queue.loop)
        self.waiting = False  # for a message: whoever delivers clears it and schedules the strand
        self.attention = False  # cancelled, held, or with an error to raise: it must not simply go on
        self.send = coroutine.send  # made once: a bound method per message would cost as much as a call
        self._context = contextvars.copy_context()
        self.run_in_context = self._context.run
        self._coroutine = coroutine
        self._queue = queue
        self._name: str | None = None  # asked of the owner when somebody wants to know
        self._owner = owner
        self._future: asyncio.Future[Any] | None = None
        self._error: BaseException | None = None
        self._must_cancel = False
        self._cancel_message: Any = None
        self._cancels = 0
        self._held = _FREE
        _register_task(self)  # type: ignore[arg-type]  # third-party tasks are what it is for
        queue.schedule(self)

    @property
    def running(self) -> bool:
        """Whether the coroutine runs right now: whether who asks is inside it."""
        return self._queue.current is self

    # -- what the queue asks for --------------------------------------------------------------------------

    def attend(self, value: object) -> Callable[[Any], Any] | None:
        """Say how to resume where `attention` is set: None for not at all, as the strand is held."""
        if value is not None:
            self._owner.give_back(value)
        if self._held:
            self._held = _PENDING if value is None or self._is_disturbed() else _PARKED
            return None
        self.attention = False
        if self._must_cancel:
            self._must_cancel = False
            if not isinstance(self._error, asyncio.CancelledError):
                message = self._cancel_message
                self._error = asyncio.CancelledError() if message is None else asyncio.CancelledError(message)
        if self._error is None:
            return self.send
        return self._throw

    def _throw(self, _: object) -> Any:
        error, self._error = self._error, None
        return self._coroutine.throw(error)  # type: ignore[arg-type]  # `attend` has seen that there is one

    def wait_for(self, yielded: Any) -> None:
        """Have the strand go on after what its coroutine yielded, if it is not a mere wait for a message."""
        if yielded is None:  # asyncio.sleep(0): let the others go first
            self._queue.schedule(self)
        elif yielded is WAIT:
            if self._held and not self._is_disturbed():
                self._held = _PARKED
            else:
                self._queue.schedule(self)
        elif getattr(yielded, "_asyncio_future_blocking", None) and yielded is not self:
            if yielded.get_loop() is not self._loop:
                self._raise(
                    RuntimeError(f"{self.get_name()} awaited {yielded!r}, which belongs to another loop")
                )
                return
            yielded._asyncio_future_blocking = False
            self._future = yielded
            yielded.add_done_callback(self._wake_up)
            if self._must_cancel and yielded.cancel(msg=self._cancel_message):
                self._must_cancel = False
                self.attention = bool(self._held)
        else:
            self._raise(RuntimeError(f"{self.get_name()} awaited {yielded!r}, which asyncio cannot wait for"))

    def _wake_up(self, future: asyncio.Future[Any]) -> None:
        self._future = None
        if not future.cancelled() and future.exception() is None:
            self._queue.schedule(self)
        else:
            try:
                future.result()
            except BaseException as error:  # noqa: BLE001 -- it belongs to the coroutine that awaits it
                self._raise(error)

    def _raise(self, error: BaseException) -> None:
        self._error = error
        self.attention = True
        self._queue.schedule(self)

    def end(self, error: BaseException) -> None:
        """Take what the coroutine ended with as the strand's result, and tell the owner."""
        _unregister_task(self)  # type: ignore[arg-type]  # as above
        if isinstance(error, StopIteration) and not self._must_cancel:
            super().set_result(error.value)
        elif isinstance(error, StopIteration):
            super().cancel(msg=self._cancel_message)
        elif isinstance(error, asyncio.CancelledError):
            super().cancel(msg=error.args[0] if error.args else None)
        else:
            super().set_exception(error)
            self._log_traceback = False  # the owner logs it
        self._owner.ended(self)
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise error

    # -- cancellation, as asyncio.Task has it -------------------------------------------------------------

    def cancel(self, msg: Any | None = None) -> bool:
        """Have `asyncio.CancelledError` raised in the coroutine at its next chance: not while it is held."""
        if self.done():
            return False
        self._cancels += 1
        if self._future is not None and self._future.cancel(msg=msg):
            return True
        self._must_cancel = self.attention = True
        self._cancel_message = msg
        if self.waiting:
            self.waiting = False
            self._queue.schedule(self)
        elif self._held is _PARKED:
            self._held = _PENDING
        return True

    def cancelling(self) -> int:
        """Return how many cancellations are under way, as `asyncio.Task.cancelling`."""
        return self._cancels

    def uncancel(self) -> int:
        """Take one cancellation back, as `asyncio.Task.uncancel`."""
        self._cancels = max(0, self._cancels - 1)
        if not self._cancels and self._must_cancel:
            self._must_cancel = False
            self.attention = bool(self._held) or self._is_disturbed()
        return self._cancels

    def _is_disturbed(self) -> bool:
        """Tell whether an exception is to be raised in the coroutine."""
        return self._must_cancel or self._error is not None

    # -- holding, for suspended agents --------------------------------------------------------------------

    def hold(self) -> None:
        """Keep the coroutine from being resumed until `release`."""
        if self.done() or self._held:
            return
        self.attention = True
        self._held = _PARKED if self.waiting else _HELD
        self.waiting = False

    def release(self, next_message: Callable[[], Any]) -> None:
        """Let the coroutine go on.

        Args:
            next_message: returns the message to go on with if it waits for one, None if there is none yet.
        """
        held, self._held = self._held, _FREE
        self.attention = self._is_disturbed()
        if held is _PENDING:
            self._queue.schedule(self)
        elif held is _PARKED:
            message = next_message()
            if message is None:
                self.waiting = True
            else:
                self._queue.schedule(self, message)

    def expire(self) -> None:
        """End a wait for a message without one: its time is over."""
        if self.waiting:
            self.waiting = False
            self._queue.schedule(self)
        elif self._held is _PARKED:
            self._held = _PENDING

    # -- what debuggers ask of a task ---------------------------------------------------------------------

    def get_coro(self) -> Coroutine[Any, Any, Any]:
        """Return the coroutine."""
        return self._coroutine

    def get_context(self) -> contextvars.Context:
        """Return the context that the coroutine runs in."""
        return self._context

    def get_name(self) -> str:
        """Return the name."""
        return self._owner.strand_name() if self._name is None else self._name

    def set_name(self, value: object) -> None:
        """Change the name."""
        self._name = str(value)

    def set_result(self, result: Any) -> None:
        """Refuse: a strand's result is its coroutine's."""
        raise RuntimeError(f"a strand's result is its coroutine's, so it cannot be set to {result!r}")

    def set_exception(self, exception: Any) -> None:
        """Refuse: a strand's exception is its coroutine's."""
        raise RuntimeError(f"a strand's exception is its coroutine's, so it cannot be set to {exception!r}")


# How a strand is held: not; while it runs, is ready or awaits a future; at a message; or with a resume due.
_FREE, _HELD, _PARKED, _PENDING = "", "held", "parked", "pending"
