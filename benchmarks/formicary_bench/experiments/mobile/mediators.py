"""How many requests are left to be made through a mediator: the same for agents and for what is by hand."""

from __future__ import annotations

import asyncio

SERVERS = 3
"""How many servers there are, as in the paper."""


class Requests:
    """How many requests are to be made of a loop, by all clients together."""

    def __init__(self) -> None:
        self.left = 0
        self.missing = 0
        self.begin = asyncio.Event()
        self.answered = asyncio.Event()

    def start(self, count: int) -> None:
        """Have the clients make so many."""
        self.left = self.missing = count
        self.answered.clear()
        self.begin.set()

    def take(self) -> int | None:
        """Return the number of a request that is to be made; None if all are, until the next loop."""
        if not self.left:
            self.begin.clear()
            return None
        self.left -= 1
        return self.left

    def end(self) -> None:
        """Note that one is answered."""
        self.missing -= 1
        if not self.missing:
            self.answered.set()

    async def make(self, count: int) -> None:
        """Have the clients make so many, and wait until all are answered."""
        self.start(count)
        await self.answered.wait()
