"""Handles `sys.exit()` and KeyboardInterrupt in an agent: the container closes in order first."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from formicary.core.errors import ContainerClosedError
from formicary.core.logs import get_logger
from formicary.core.quoting import shorten
from formicary.core.tracebacks import raised_at

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from formicary.delivery.dispatcher import Dispatcher

logger = get_logger("formicary")

_LONGEST = 200  # characters of an exception


class ProgramExit:
    """The exception with which an agent of a container wants to end the whole program.

    It must not simply go on its way, since asyncio would leave its loop with it at once: it is kept, whoever
    is inside the container's `async with` block is cancelled, and the block raises it when all is closed.

    Args:
        dispatcher: the container's.
        close: closes the container.
    """

    def __init__(self, dispatcher: Dispatcher, close: Callable[[], Coroutine[object, None, None]]) -> None:
        self._dispatcher = dispatcher
        self._close = close
        self._error: BaseException | None = None
        self._block: asyncio.Task[object] | None = None
        self._is_leaving = False
        self._is_cancelled = False
        self._closing: asyncio.Task[None] | None = None

    def enter_block(self) -> None:
        """Remember the current task as the one in the container's block."""
        self._block = asyncio.current_task()

    def request(self, who: str, error: BaseException) -> None:
        """End the program with `error` once the container has closed; only the first counts.

        Args:
            who: has raised it, as `alice/Ask`, for the log.
            error: a SystemExit or KeyboardInterrupt.

        Raises:
            KeyboardInterrupt: `error` itself, if the container closes already: it is a second Ctrl-C.
        """
        block = self._block
        is_ending = self._dispatcher.is_closing or (block is not None and block.cancelling() > 0)
        if is_ending and isinstance(error, KeyboardInterrupt):
            raise error
        if self._error is not None:
            return
        self._error = error
        name, what, where = self._dispatcher.name, shorten(error, _LONGEST), raised_at(error)
        logger.warning("closing container %s: %s raised %s at %s", name, who, what, where)
        if block is None or block.done():
            if not is_ending:  # nobody is inside a block: what was kept comes out of this task, into the loop
                self._closing = asyncio.get_running_loop().create_task(self._close())
                self._closing.add_done_callback(lambda task: task.cancelled() or task.exception())
        elif not self._is_leaving:
            self._is_cancelled = block.cancel()

    def refusal(self) -> ContainerClosedError:
        """Return the error for whoever starts an agent, which may be a task of the user's."""
        what = shorten(self._error, _LONGEST)
        return ContainerClosedError(f"container {self._dispatcher.name} is closing because {what} was raised")

    async def leave_block(self, error: BaseException | None) -> None:
        """Withdraw the cancellation of the task that leaves the block with `error`."""
        self._is_leaving = True
        block = self._block
        if self._is_cancelled and block is asyncio.current_task() and block is not None:
            self._is_cancelled = False
            if not isinstance(error, asyncio.CancelledError):
                with suppress(asyncio.CancelledError):  # it may still be on its way
                    await asyncio.sleep(0)
            block.uncancel()
        if self._error is not None and isinstance(error, Exception | BaseExceptionGroup):
            name = self._dispatcher.name
            logger.error(
                "the `async with` block of container %s also raised an exception", name, exc_info=error
            )

    def end(self) -> None:
        """Raise the stored exit, if any, once all is closed, in the task that was in the block."""
        block, error = self._block, self._error
        if error is not None and (block is None or block.done() or block is asyncio.current_task()):
            self._error = None
            raise error from error.__cause__
