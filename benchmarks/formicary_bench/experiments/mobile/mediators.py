"""How many requests are left to be made through a mediator: the same for agents and for what is by hand."""

from __future__ import annotations

import asyncio
from typing import Any

from formicary_bench.experiments.mobile.loops import Countdown

SERVERS = 3
"""How many servers there are, as in the paper."""


class Requests:
    """How many requests are to be made of a loop, by all clients together."""

    def __init__(self) -> None:
        self.left = 0
        self.begin = asyncio.Event()
        self._unanswered = Countdown()
        self.end = self._unanswered.count
        """Notes that one is answered."""

    def start(self, count: int) -> asyncio.Future[Any]:
        """Have the clients make so many; return what is done when all are answered."""
        self.left = count
        self.begin.set()
        return self._unanswered.expect(count)

    def take(self) -> int | None:
        """Return the number of a request that is to be made; None if all are, until the next loop."""
        if not self.left:
            self.begin.clear()
            return None
        self.left -= 1
        return self.left
