"""Futures whose results strands get in the same turn of the event loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from formicary.core.task_like import TaskLike

if TYPE_CHECKING:
    from collections.abc import Callable


class Answer(asyncio.Future[Any]):
    """A future that one strand or task waits for. A strand resumes in the same turn of the loop."""

    _strand: TaskLike | None = None

    def add_done_callback(self, callback: Callable[[Any], object], *, context: Any = None) -> None:
        """Call back when it is done; for whoever awaits it."""
        waiter = getattr(callback, "__self__", None)
        if isinstance(waiter, TaskLike) and not self.done():
            self._strand = waiter
        else:
            super().add_done_callback(callback, context=context)

    def settle(self, result: Any) -> None:
        """Set the result, and resume the strand at once: the loop would do so two turns later."""
        strand, self._strand = self._strand, None
        self.set_result(result)
        if strand is not None:
            strand.wake_up(self)

    def fail(self, error: BaseException) -> None:
        """Raise `error` where it is awaited."""
        strand, self._strand = self._strand, None
        self.set_exception(error)
        self.exception()  # whoever asked may have failed for another reason first
        if strand is not None:
            strand.wake_up(self)

    def desert(self) -> None:
        """Cancel it without notifying the strand, which no longer waits for it."""
        self._strand = None
        super().cancel()

    def cancel(self, msg: Any | None = None) -> bool:
        """Cancel it, and notify the strand."""
        strand, self._strand = self._strand, None
        is_cancelled = super().cancel(msg=msg)
        if strand is not None:
            strand.wake_up(self)
        return is_cancelled
