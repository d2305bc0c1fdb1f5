"""Limit how many agents set out in one turn of the loop, so that others have their turn in between."""

from __future__ import annotations

import asyncio
from collections import deque


class Limiter:
    """Admits a few agents in each turn of the loop, first come, first served.

    Between two turns the loop writes what was sent: other containers can work on the first of many agents
    while the next ones begin here.

    Args:
        most: how many begin in one turn.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._entered = 0  # in this turn
        self._waiting: deque[asyncio.Future[None]] = deque()

    def enters(self) -> bool:
        """Begin in this turn if there is room; return whether there is: otherwise `wait`."""
        if self._entered >= self._most:
            return False
        self._entered += 1
        return True

    async def wait(self) -> None:
        """Wait for a turn with room, and begin."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._next_turn)
        self._waiting.append(future := loop.create_future())
        await future

    def turn_ended(self) -> None:
        """Called at the end of a turn in which an agent has begun; not needed while others wait."""
        if not self._waiting:
            self._entered = 0

    def _next_turn(self) -> None:
        """Admit the next ones; those that wait come first."""
        self._entered = 0
        while self._waiting and self._entered < self._most:
            future = self._waiting.popleft()
            if not future.done():  # otherwise it was cancelled
                future.set_result(None)
                self._entered += 1
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._next_turn)
