"""That a container opens and closes once, whoever asks and how often; and a word if nobody closes it."""

from __future__ import annotations

import asyncio
import sys
import weakref
from typing import TYPE_CHECKING

from formicary.core.errors import ContainerClosedError
from formicary.core.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from formicary.container.container import Container

logger = get_logger("formicary")


class Opening:
    """Opens a container, and closes it.

    Args:
        container: the container.
        open_all: opens all that it has, or leaves nothing open behind.
        close_all: stops its agents, and closes all that it has.
    """

    def __init__(
        self,
        container: Container,
        open_all: Callable[[], Awaitable[None]],
        close_all: Callable[[], Awaitable[None]],
    ) -> None:
        self._container = container
        self._open_all = open_all
        self._close_all = close_all
        self._one_at_a_time = asyncio.Lock()
        self._is_over = False
        self._closing: asyncio.Task[None] | None = None  # if one of its own agents has begun it
        self.reminder: weakref.finalize[[str], Container] | None = None
        """Warns if the container is forgotten, or the program ends, while it is open."""

    async def open(self) -> None:
        """Open it; errors as of `Container.open`."""
        async with self._one_at_a_time:
            if self._container.is_open:
                self._check_loop()
                return
            self.check_new()
            try:
                await self._open_all()
            except BaseException:
                self._is_over = True
                raise
            self.reminder = weakref.finalize(self._container, _remind, self._container.name)

    async def close(self) -> None:
        """Close it; errors as of `Container.close`."""
        scheduler = self._container.dispatcher.scheduler
        if scheduler is None or (self._is_over and not self._one_at_a_time.locked()):
            return
        self._check_loop()
        if scheduler.current is None:
            await self._close()
            if self._closing is not None:
                await asyncio.wait([self._closing])
        elif not self._is_over and self._closing is None:  # for its end, the agent that asks has to end
            self._closing = scheduler.loop.create_task(self._close(), name=f"closes {self._container.name}")

    async def _close(self) -> None:
        async with self._one_at_a_time:
            if self._is_over:
                return
            self._is_over = True
            if self.reminder is not None:
                self.reminder.detach()
            await self._close_all()

    def check_new(self) -> None:
        """Make sure that it was never opened, and that this is no worker process that only imports a program.

        Raises:
            ContainerClosedError: it was.
            SystemExit: this is one.
        """
        _refuse_in_worker()
        if self._container.dispatcher.scheduler is not None:
            raise ContainerClosedError(f"container {self._container.name} was opened before; make a new one")

    def _check_loop(self) -> None:
        if asyncio.get_running_loop() is not self._container.scheduler.loop:
            raise self._container.other_loop_error()


def _refuse_in_worker() -> None:
    """End a worker process whose program would start over: it does not say what is for the first process."""
    multiprocessing = sys.modules.get("multiprocessing.process")
    if multiprocessing is not None and getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SystemExit(
            "this program opens a container wherever it is imported, as each worker process does: write "
            '`if __name__ == "__main__":` above the line that starts it, such as asyncio.run(main())'
        )


def _remind(name: str) -> None:
    logger.warning(
        "container %s was not closed: its agents have not ended in order, and other containers take it for "
        "lost; use `async with`, or `await container.close()`",
        name,
    )
