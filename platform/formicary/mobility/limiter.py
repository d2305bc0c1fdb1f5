"""Limit how many agents set out in one turn of the loop, so that others have their turn in between."""

from __future__ import annotations

import asyncio
from collections import deque


class Limiter:
    """Who may begin in this turn of the loop, first come, first served; others wait for a later one.

    Between two turns the loop writes what was sent: where many are to go, others are at work on the first of
    them while the next ones begin here.

    Args:
        most: how many begin in one turn.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._entered = 0  # in this turn
        self._waiting: deque[asyncio.Future[None]] = deque()

    def enters(self) -> bool:
        """Begin, if that may be in this turn; return whether it may: else `wait`."""
        if self._entered >= self._most:
            return False
        self._entered += 1
        return True

    async def wait(self) -> None:
        """Begin in the turn in which that may be."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._next_turn)
        self._waiting.append(future := loop.create_future())
        await future

    def turn_ended(self) -> None:
        """Called at the end of a turn in which somebody has begun; it need not be, where others wait."""
        if not self._waiting:
            self._entered = 0

    def _next_turn(self) -> None:
        """Admit the next ones, those who wait before those who come."""
        self._entered = 0
        while self._waiting and self._entered < self._most:
            future = self._waiting.popleft()
            if not future.done():  # else who has waited was cancelled
                future.set_result(None)
                self._entered += 1
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._next_turn)
