"""Runs a command until it ends or is interrupted."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine


def run_until_signal(
    work: Coroutine[Any, Any, None], loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None
) -> None:
    """Run a coroutine in an event loop; Ctrl-C and SIGTERM cancel it.

    Raises:
        KeyboardInterrupt: a signal cancelled it.
    """

    async def until_terminated() -> None:
        task = asyncio.current_task()
        assert task is not None
        # Not by raising SIGINT, which shells ignore for background jobs of a script.
        with suppress(NotImplementedError):  # Windows has no such handlers
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        await work

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        try:
            runner.run(until_terminated())
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None
