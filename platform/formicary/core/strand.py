"""Strands, which run behaviours' coroutines in place of asyncio's tasks.

To asyncio, a `Strand` is a task: it is the current task while it runs, can be cancelled, is listed by
`asyncio.all_tasks()`, has its own context, and may await any future, so `asyncio.timeout`,
`asyncio.TaskGroup` and every library work inside a behaviour (it implements third-party tasks as described
in Python's documentation, "Extending asyncio"). In addition, it waits cheaply for a message: the coroutine
yields `WAIT`, and on delivery, the `Scheduler` resumes it later in the same turn of the event loop.

The interface that asyncio expects of any task is in `task_like`. Only these two, `scheduler` and `mailbox`
depend on the internals of strands.
"""

from __future__ import annotations

import asyncio
import contextvars
from asyncio import _unregister_task
from typing import TYPE_CHECKING, Any
from weakref import getweakrefcount

from formicary.core.answer import Answer
from formicary.core.coroutines import SEND, WAIT
from formicary.core.errors import AgentStateError
from formicary.core.task_like import TaskLike

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from formicary.core.scheduler import Scheduler
    from formicary.core.task_like import Owner


PROGRAM_EXITS = (KeyboardInterrupt, SystemExit)
"""Exceptions that end a program, and the event loop at once if they reach it."""


class Halt:
    """A request to hold a strand as soon as its coroutine is at rest; until then it continues.

    Args:
        is_at_rest: returns whether it is, while it is not running.
        tell: called when it is held.
    """

    __slots__ = ("is_at_rest", "tell")

    def __init__(self, is_at_rest: Callable[[], bool], tell: Callable[[], None]) -> None:
        self.is_at_rest = is_at_rest
        self.tell = tell


class Strand(asyncio.Future[Any], TaskLike):
    """A coroutine that a `Scheduler` drives; to asyncio a task. Its result is the coroutine's.

    Args:
        coroutine: the coroutine, which starts when its turn comes; None for a spare strand of
            `Scheduler.begin`.
        scheduler: the container's.
        owner: notified when the coroutine has ended, and given back a message with which it was about to be
            resumed when it was cancelled or held instead.
    """

    __slots__ = (
        "_cancels",
        "_context",
        "_error",
        "_future",
        "_held",
        "_must_cancel",
        "_name",
        "_scheduler",
        "attention",
        "coroutine",
        "owner",
        "runner",
        "waiting",
    )

    _held: str | Halt

    def __init__(
        self, coroutine: Coroutine[Any, Any, Any] | None, scheduler: Scheduler, owner: Owner | None
    ) -> None:
        super().__init__(loop=scheduler.loop)
        self.waiting = False  # for a message: a delivery clears it and schedules the strand
        self.attention = False  # cancelled, held, or with an error to raise: it must not simply be resumed
        self._scheduler = scheduler
        self._name = None
        self._future: asyncio.Future[Any] | Pending | None = None
        self._error: BaseException | None = None
        self._must_cancel = False
        self._cancels = 0
        self._held = _FREE
        if coroutine is not None and owner is not None:
            self.adopt(coroutine, contextvars.copy_context(), owner)
            scheduler.schedule(self)

    def is_untouched(self) -> bool:
        """Return whether a spare strand is unchanged: nobody has cancelled, named or watched it."""
        return not (self._cancels or self._name or self._callbacks or getweakrefcount(self))

    @property
    def running(self) -> bool:
        """Whether the coroutine is running, that is, whether the caller is inside it."""
        return self._scheduler.current is self

    # -- for the scheduler --------------------------------------------------------------------------------

    def attend(self, value: object) -> Callable[[Any, Any], Any] | None:
        """Return how to resume a strand that needs `attention`; None if it is held."""
        held = self._held
        if isinstance(held, Halt) and (self._is_disturbed() or not held.is_at_rest()):
            if not self._is_disturbed():
                return SEND
            held = _FREE  # the error first
        if value is not None:
            self.owner.give_back(value)
        if held:
            self._held = _PENDING if value is None or self._is_disturbed() else _PARKED
            if isinstance(held, Halt):
                held.tell()
            return None
        self.attention = bool(self._held)
        if self._must_cancel:
            self._must_cancel = False
            if not isinstance(self._error, asyncio.CancelledError):
                message = self._cancel_message
                self._error = asyncio.CancelledError() if message is None else asyncio.CancelledError(message)
        if self._error is None:
            return SEND
        return self._throw

    def _throw(self, coroutine: Coroutine[Any, Any, Any], _: object) -> Any:
        error, self._error = self._error, None
        return coroutine.throw(error)  # type: ignore[arg-type]  # `attend` has seen that there is one

    def wait_for(self, yielded: Any) -> None:
        """Arrange for the strand to be resumed, unless its coroutine simply waits for a message."""
        if isinstance(yielded, Pending):
            if self.attention and self._is_disturbed():
                self._scheduler.schedule(self)
            else:
                self._future = yielded
                yielded.waiter = self
        elif yielded is None:  # asyncio.sleep(0): others go first
            self._scheduler.schedule(self)
        elif yielded is WAIT:
            held = self._held
            if not held or self._is_disturbed():
                self._scheduler.schedule(self)
            elif isinstance(held, Halt) and not held.is_at_rest():
                self.waiting = True
            else:
                self._held = _PARKED
                if isinstance(held, Halt):
                    held.tell()
        else:
            self._wait_for_future(yielded)

    def _wait_for_future(self, yielded: Any) -> None:
        if getattr(yielded, "_asyncio_future_blocking", None) and yielded is not self:
            if yielded.get_loop() is not self._loop:
                self._raise(
                    RuntimeError(f"{self.get_name()} awaited {yielded!r}, which belongs to another loop")
                )
                return
            yielded._asyncio_future_blocking = False  # noqa: SLF001 -- asyncio's protocol for tasks
            self._future = yielded
            yielded.add_done_callback(self.wake_up)
            if self._must_cancel and yielded.cancel(msg=self._cancel_message):
                self._must_cancel = False
                self.attention = bool(self._held)
        else:
            self._raise(RuntimeError(f"{self.get_name()} awaited {yielded!r}, which asyncio cannot wait for"))

    def wake_up(self, future: asyncio.Future[Any]) -> None:
        """Called when the future that the coroutine awaits is done."""
        self._future = None
        if not future.cancelled() and future.exception() is None:
            self._scheduler.schedule(self)
        else:
            try:
                future.result()
            except BaseException as error:  # noqa: BLE001 -- it belongs to the coroutine that awaits it
                self._raise(error)

    def interrupt(self, error: BaseException) -> None:
        """Raise an error in the coroutine where it waits for a `Pending`."""
        self._future = None
        self._raise(error)

    def _raise(self, error: BaseException) -> None:
        self._error = error
        self.attention = True
        self._scheduler.schedule(self)

    def end(self, error: BaseException) -> None:
        """Set the strand's result or exception as the coroutine has ended, and notify the owner."""
        _unregister_task(self)  # type: ignore[arg-type]  # as `adopt` has registered it
        if isinstance(error, StopIteration) and not self._must_cancel:
            super().set_result(error.value)
        elif isinstance(error, StopIteration):
            super().cancel(msg=self._cancel_message)
        elif isinstance(error, asyncio.CancelledError):
            super().cancel(msg=error.args[0] if error.args else None)
        else:
            super().set_exception(error)
            self._log_traceback = False  # the owner logs it
        self.owner.strand_ended(self)
        if isinstance(error, PROGRAM_EXITS):
            self._scheduler.exits(self.get_name(), error)

    def set_result(self, result: Any) -> None:
        """Refuse: a strand's result is its coroutine's."""
        raise RuntimeError(f"a strand's result is its coroutine's, so it cannot be set to {result!r}")

    def set_exception(self, exception: Any) -> None:
        """Refuse: a strand's exception is its coroutine's."""
        raise RuntimeError(f"a strand's exception is its coroutine's, so it cannot be set to {exception!r}")

    def failure(self) -> BaseException | None:
        """Return its failure, if any; not a cancellation, or an exit of the program."""
        if not self.cancelled():
            error = self.exception()
            return None if isinstance(error, PROGRAM_EXITS) else error
        if not self._cancels and not isinstance(self._error, AgentStateError):
            self._error = AgentStateError(
                f"{self.get_name()} ended with CancelledError although it was not cancelled: "
                "something it awaited was"
            )
        return self._error if isinstance(self._error, AgentStateError) else None

    # -- cancellation, as of asyncio.Task -----------------------------------------------------------------

    def cancel(self, msg: Any | None = None) -> bool:
        """Raise `asyncio.CancelledError` in the coroutine when it is next resumed; not while it is held."""
        if self.done():
            return False
        self._cancels += 1
        if self._future is not None and self._future.cancel(msg=msg):
            return True
        self._must_cancel = self.attention = True
        self._cancel_message = msg
        if self.waiting:
            self.waiting = False
            self._scheduler.schedule(self)
        elif self._held is _PARKED:
            self._held = _PENDING
        return True

    def cancel_at_once(self) -> bool:
        """Cancel, even if held; return when the coroutine has unwound.

        Returns:
            Whether that was possible: no strand is running, and it waits for a message or an `Answer`, or is
            held and would resume.
        """
        future, held, scheduler = self._future, self._held, self._scheduler
        is_answer = type(future) is Answer
        is_still = self.waiting or is_answer or held is _PARKED or held is _PENDING
        if scheduler.current is not None or not is_still or self._is_disturbed():
            return False
        if is_answer:
            future.desert()  # type: ignore[union-attr]  # it is an answer
            self._future = None
        self._held, self.waiting, self.attention = _FREE, False, False
        self._cancels += 1
        if self.has_begun:
            scheduler.throw(self, asyncio.CancelledError())
        else:  # it has not started
            self.coroutine.close()
            self.end(asyncio.CancelledError())
        return True

    def cancelling(self) -> int:
        """Return the number of pending cancellations, as `asyncio.Task.cancelling`."""
        return self._cancels

    def uncancel(self) -> int:
        """Undo one cancellation, as `asyncio.Task.uncancel` of Python 3.13 does: nothing is raised."""
        self._cancels = max(0, self._cancels - 1)
        if not self._cancels and self._must_cancel:
            self._must_cancel = False
            self.attention = bool(self._held) or self._is_disturbed()
        return self._cancels

    def _is_disturbed(self) -> bool:
        """Return whether an exception is to be raised in the coroutine."""
        return self._must_cancel or self._error is not None

    # -- holding, for agents that are suspended, or about to move ------------------------------------------

    def hold(self) -> None:
        """Keep the coroutine from being resumed until `release`."""
        if self.done() or self._held:
            return
        self.attention = True
        self._held = _PARKED if self.waiting else _HELD
        self.waiting = False

    def halt(self, halt: Halt) -> bool:
        """Keep the coroutine from being resumed until `release`, as soon as it is at rest.

        Returns:
            Whether it is held now; otherwise `halt.tell` is called when it is, unless it ends before.
        """
        if self.done() or (self._held and not isinstance(self._held, Halt)):
            return True
        self.attention = True
        is_waiting, self.waiting = self.waiting, False
        # A ready strand goes through `attend` first if it has begun: it may be about to get a message.
        is_still = self._future is not None or not (self.has_begun or self._is_disturbed())
        is_held = is_waiting or (is_still and halt.is_at_rest())
        self._held = (_PARKED if is_waiting else _HELD) if is_held else halt
        return is_held

    @property
    def is_held(self) -> bool:
        """Whether the coroutine is held."""
        return bool(self._held) and not isinstance(self._held, Halt)

    @property
    def has_begun(self) -> bool:
        """Whether the coroutine has started."""
        coroutine: Any = self.coroutine
        return bool(coroutine.cr_suspended or coroutine.cr_running or coroutine.cr_frame is None)

    def release(self, next_message: Callable[[], Any]) -> None:
        """Release the coroutine.

        Args:
            next_message: returns the message to resume with if it waits for one; None if there is none yet.
        """
        held, self._held = self._held, _FREE
        self.attention = self._is_disturbed()
        if held is _PENDING:
            self._scheduler.schedule(self)
        elif held is _PARKED:
            message = next_message()
            if message is None:
                self.waiting = True
            else:
                self._scheduler.schedule(self, message)

    def expire(self) -> None:
        """End a wait for a message at its timeout."""
        if self.waiting:
            self.waiting = False
            self._scheduler.schedule(self)
        elif self._held is _PARKED:
            self._held = _PENDING


class Pending:
    """A lean future for one waiting strand or task.

    In a strand, a `coroutine_function` yields it; in a task, it awaits `wait_in_task`. Both check again when
    they resume, and repeat this if necessary.
    """

    __slots__ = ("waiter",)

    waiter: Any

    def proceed(self) -> None:
        """Wake the waiter, to check again."""
        waiter, self.waiter = self.waiter, None
        if waiter.__class__ is Strand:
            waiter._future = None  # noqa: SLF001 -- both are of this module, and this is done for each answer
            scheduler = waiter._scheduler  # noqa: SLF001 -- as above
            scheduler.ready.append(waiter)
            scheduler.ready.append(None)
            if not scheduler.awake:
                scheduler.wake()
        elif waiter is not None and not waiter.done():
            waiter.set_result(None)

    def wait_in_task(self, loop: asyncio.AbstractEventLoop) -> asyncio.Future[None]:
        """Return an awaitable for a task of asyncio."""
        self.waiter = future = loop.create_future()
        return future

    def cancel(self, msg: Any | None = None) -> bool:
        """Cancel the strand that waits; for it."""
        strand, self.waiter = self.waiter, None
        if strand.__class__ is not Strand:
            return False
        strand.interrupt(asyncio.CancelledError() if msg is None else asyncio.CancelledError(msg))
        return True


# How a strand is held: not at all; running, ready or awaiting a future; waiting for a message; due to resume.
_FREE, _HELD, _PARKED, _PENDING = "", "held", "parked", "pending"
