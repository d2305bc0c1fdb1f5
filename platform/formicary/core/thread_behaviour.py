"""Behaviours in threads of their own, for code that blocks."""

from __future__ import annotations

import asyncio
import sys
import threading
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, overload

from formicary.core.behaviour import Behaviour, Phase
from formicary.core.errors import AgentStateError
from formicary.core.logs import get_logger
from formicary.core.message import answer_to
from formicary.core.tracebacks import is_of_users, place

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from formicary.core.message import Message

logger = get_logger("formicary")


class ThreadBehaviour(Behaviour):
    """Calls `run` once, in its own thread; for code that blocks, such as a database driver.

    `on_start`, `run` and `on_end` are plain functions that run in that thread, and may block. There, call
    `receive`, `send` and `reply` without `await`; they block until they are done, for example while a mailbox
    is full. Apart from these, the thread may only call `kill`.

    A thread cannot be stopped from outside. After `kill`, a waiting or the next `receive` or `send` in `run`
    raises `asyncio.CancelledError`, and then `on_end` is called. A thread that calls neither within 10 s of
    the end of its container is abandoned, and its position is logged; the program can still exit.
    """

    __slots__ = ("_side",)

    # For `core.definitions`.
    _awaited_methods: ClassVar[tuple[str, ...]] = ()
    _plain_methods: ClassVar[tuple[str, ...]] = ("on_start", "run", "on_end")

    _side: _ThreadSide

    # -- what a user writes ---------------------------------------------------------------------------------

    def on_start(self) -> None:  # type: ignore[override]  # a plain function here, as are the others
        """Called once before `run`; for subclasses."""

    def run(self) -> None:  # type: ignore[override]
        """Perform the behaviour's work; for subclasses. To keep running, call `receive` in a loop."""
        raise NotImplementedError(f"{type(self).__name__} has no run()")

    def on_end(self) -> None:  # type: ignore[override]
        """Called once at the end, also after `kill`, but not after an exception; for subclasses."""

    # -- what a user calls ----------------------------------------------------------------------------------

    def send(self, message: Message) -> None:  # type: ignore[override]
        """Send a message, in the thread; as of `Behaviour.send`.

        Raises:
            asyncio.CancelledError: the behaviour was killed.
        """
        self._ask(lambda: Behaviour.send(self, message))

    def reply(  # type: ignore[override]
        self, message: Message, *, body: str | bytes = "", performative: str = "inform"
    ) -> None:
        """Send an answer to `message`, in the thread; as of `Behaviour.reply`."""
        self.send(answer_to(message, self.mailbox.address, body, performative))

    @overload  # type: ignore[override]
    def receive(self, timeout: None = None) -> Message: ...
    @overload
    def receive(self, timeout: float) -> Message | None: ...
    def receive(self, timeout: float | None = None) -> Any:
        """Receive the next message of the mailbox, in the thread; as of `Behaviour.receive`.

        Raises:
            asyncio.CancelledError: the behaviour was killed.
        """
        return self._ask(lambda: Behaviour.receive(self, timeout))

    def kill(self, exit_code: Any = None) -> None:
        """End the behaviour at its next `receive` or `send`; as of `Behaviour.kill`, also in the thread."""
        side = getattr(self, "_side", None)
        if side is not None and side.is_here():
            side.loop.call_soon_threadsafe(super().kill, exit_code)
        else:
            super().kill(exit_code)

    def _ask(self, call: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        side = getattr(self, "_side", None)  # created when it starts
        if side is None or not side.is_here():
            raise AgentStateError(
                f"{self} can only send and receive in its own thread: in on_start, run and on_end"
            )
        return side.ask(call)

    # -- its life -------------------------------------------------------------------------------------------

    async def main_coroutine(self) -> None:
        """Run the thread, and serve its requests."""
        side = self._side = _ThreadSide(self)
        try:
            await self._serve()
        except asyncio.CancelledError:
            if not self._killed or self.mailbox.strand is None or self.strand_phase == Phase.LEFT:
                side.abandon()
                raise
            self.mailbox.strand.uncancel()
        else:
            return
        side.is_killed = True
        try:
            await self._serve()
        except asyncio.CancelledError:
            if not side.is_over and (where := side.where()):
                logger.error(  # noqa: TRY400 -- the traceback would be the loop's
                    "the thread of %s was abandoned (%s)",
                    self,
                    where,
                )
            side.abandon()
            raise

    async def _serve(self) -> None:
        """Serve the thread's requests until it has ended; raise its exception."""
        side = self._side
        while (asked := await side.proceed()) is not None:
            self.strand_phase = max(self.strand_phase, Phase.ENDING if asked.is_ending else Phase.RUNNING)
            if side.is_killed and not asked.is_ending:  # it has asked just when it was killed
                side.answer = _Answer(None, asyncio.CancelledError())
                continue
            try:
                side.answer = _Answer(await asked.call(), None)
            except asyncio.CancelledError as error:
                side.answer = _Answer(None, error)
                raise
            except Exception as error:  # noqa: BLE001 -- it is raised in the thread
                side.answer = _Answer(None, error)


class _Asked(NamedTuple):
    """A thread's request to its loop, and whether it comes from `on_end`."""

    call: Callable[[], Coroutine[Any, Any, Any]]
    is_ending: bool


class _Answer(NamedTuple):
    """The answer to a thread: a result or an exception."""

    result: Any
    error: BaseException | None


class _ThreadSide(Executor):
    """The thread of a behaviour, as an executor: each job lasts until the thread's next request.

    So the event loop knows when the thread is working, and when it waits for the loop.

    Args:
        behaviour: its behaviour.
    """

    def __init__(self, behaviour: ThreadBehaviour) -> None:
        self.loop = asyncio.get_running_loop()
        self.answer = _Answer(None, None)
        self.is_killed = False
        self.is_over = False
        self._behaviour = behaviour
        self._is_ending = False  # in `on_end`, which is not interrupted
        self._is_abandoned = False
        self._answers: SimpleQueue[_Answer] = SimpleQueue()
        self._job: Future[_Asked | None] = Future()
        self._pending: asyncio.Future[_Asked | None] | None = None
        self._thread: threading.Thread | None = None

    # -- in the loop ----------------------------------------------------------------------------------------

    async def proceed(self) -> _Asked | None:
        """Resume the thread with `answer`; return its next request, None at its end.

        After cancellation, call it again: requests of the thread are not lost.
        """
        if self._pending is None:
            self._pending = self.loop.run_in_executor(self, _nothing)
        with self._behaviour.mailbox.scheduler.busy(self._what_blocks):
            asked = await asyncio.shield(self._pending)
        self._pending = None
        return asked

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Resume the thread; the job is done at its next request."""
        del function, arguments, named
        job: Future[Any] = Future()
        job.set_running_or_notify_cancel()
        self._job = job
        if self._thread is None:
            name = self._behaviour.mailbox.strand_name()
            self._thread = threading.Thread(target=self._run, name=name, daemon=True)
            self._thread.start()
        else:
            self._answers.put(self.answer)
        return job

    def abandon(self) -> None:
        """Make the thread end by itself: all further requests raise."""
        self._is_abandoned = self.is_killed = True
        self._answers.put(_Answer(None, asyncio.CancelledError()))
        if self._pending is not None:
            self._pending.cancel()

    def _what_blocks(self) -> str:
        where = self.where()
        return f"its thread{where and f' ({where})'}, which has to reach `receive` or end"

    def where(self) -> str:
        """Return the thread's position in the user's code; empty if it is not known."""
        ident = None if self._thread is None else self._thread.ident
        frame = None if ident is None else sys._current_frames().get(ident)  # noqa: SLF001 -- for its place
        while frame is not None:
            if is_of_users(frame.f_code):
                return place(frame.f_code, frame.f_lineno)
            frame = frame.f_back
        return ""

    # -- in the thread --------------------------------------------------------------------------------------

    def is_here(self) -> bool:
        """Return whether this is the thread."""
        return self._thread is threading.current_thread()

    def ask(self, call: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Run something in the loop; return its result, or raise its exception."""
        if self._is_abandoned or (self.is_killed and not self._is_ending):
            raise asyncio.CancelledError(f"{self._behaviour} was killed")
        self._job.set_result(_Asked(call, self._is_ending))
        result, error = self._answers.get()
        if error is not None:
            raise error
        return result

    def _run(self) -> None:
        behaviour = self._behaviour
        error: BaseException | None = None
        try:
            behaviour.on_start()
            try:
                if not self.is_killed:
                    behaviour.run()
            except asyncio.CancelledError:
                if not self.is_killed:
                    raise
            self._is_ending = True
            if not self._is_abandoned:
                behaviour.on_end()
        except BaseException as caught:  # noqa: BLE001 -- it is raised in the loop
            error = caught
        self.is_over = True
        if self._is_abandoned:
            return  # nobody waits for it
        if isinstance(error, StopIteration):  # which no future can have
            error = RuntimeError(f"{behaviour} raised StopIteration")
        if error is None:
            self._job.set_result(None)
        else:
            self._job.set_exception(error)


def _nothing() -> None:
    """Do nothing: the thread does the work."""
