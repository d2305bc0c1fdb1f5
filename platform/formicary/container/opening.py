"""Opens and closes a container once, and warns if nobody closes it."""

from __future__ import annotations

import asyncio
import sys
import weakref
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from formicary.container.following import FOLLOWERS
from formicary.container.loop_watch import LOOP_WATCH
from formicary.core.errors import ContainerClosedError
from formicary.core.logs import get_logger
from formicary.core.micro import MicroAgent
from formicary.core.scheduler import Scheduler

if TYPE_CHECKING:
    from formicary.container.container import Container
    from formicary.container.facilities import Facilities

logger = get_logger("formicary")


class Opening:
    """Opens a container, and closes it.

    Args:
        container: the container.
        facilities: what it has beside its agents.
        queue_limit: how many messages all its micro-agents may have waiting.
    """

    def __init__(self, container: Container, facilities: Facilities, queue_limit: int) -> None:
        self._container = container
        self._facilities = facilities
        self._queue_limit = queue_limit
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
        try:
            for opened, _ in FOLLOWERS:
                await opened(self._container)
        except BaseException:
            await self.close()
            raise

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
            try:
                for _, closing in FOLLOWERS:
                    await closing(self._container)
            finally:
                await self._close_all()

    async def _open_all(self) -> None:
        """Open all that the container has, or leave nothing open behind."""
        container, dispatcher = self._container, self._container.dispatcher
        dispatcher.scheduler = scheduler = self._make_scheduler()
        LOOP_WATCH.add(scheduler, container.blockers)
        try:
            await self._facilities.open()
        except BaseException:
            LOOP_WATCH.remove(scheduler)
            dispatcher.is_closing = True
            raise

    def _make_scheduler(self) -> Scheduler:
        container = self._container
        arguments = (
            self._queue_limit,
            container.lifecycle.handle_failed,
            MicroAgent.refuse_returned,
            container.program_exit.request,
        )
        scheduler = Scheduler(*arguments)
        if container.mode == "asynchronous":
            return scheduler
        from formicary.core.cycles import CycleScheduler

        return CycleScheduler(scheduler, *arguments)

    async def _close_all(self) -> None:
        """Stop the agents, and close all that the container has."""
        container, facilities = self._container, self._facilities
        container.dispatcher.is_closing = True
        container.scheduler.end_cycles()
        async with AsyncExitStack() as stack:  # so that all of it happens even where this is cancelled
            stack.callback(container.program_exit.end)
            stack.callback(LOOP_WATCH.remove, container.scheduler)
            stack.push_async_callback(facilities.close_services)
            stack.push_async_callback(container.dispatcher.overflow.close)
            stack.push_async_callback(facilities.close_work)
            stack.push_async_callback(container.lifecycle.stop_all)
            if facilities.conversations is not None:
                stack.push_async_callback(facilities.conversations.tell_ends)

    def check_new(self) -> None:
        """Check that it was never opened, and that this is no worker process that imports a program.

        Raises:
            ContainerClosedError: it was.
            SystemExit: this is one.
        """
        _refuse_in_worker()
        if self._container.dispatcher.scheduler is not None:
            raise ContainerClosedError(
                f"container {self._container.name} has already been opened; create a new one"
            )

    def _check_loop(self) -> None:
        if asyncio.get_running_loop() is not self._container.scheduler.loop:
            raise self._container.other_loop_error()


def _refuse_in_worker() -> None:
    """End a worker process whose program opens a container on import."""
    multiprocessing = sys.modules.get("multiprocessing.process")
    if multiprocessing is not None and getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SystemExit(
            "this program opens a container when it is imported, as each worker process does: put "
            '`if __name__ == "__main__":` above the line that starts it, such as '
            "asyncio.run(main())"
        )


def _remind(name: str) -> None:
    logger.warning(
        "container %s was not closed: its agents did not shut down, and other containers consider "
        "it lost; use `async with`, or `await container.close()`",
        name,
    )
