"""How many requests are left to be made through a mediator: the same for agents and for what is by hand."""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formicary_bench.worker.workload import Workload

CPU_GROUP = "agents"

SERVERS = 3
"""How many servers there are, as in the paper."""


def is_proxy(work: Workload) -> bool:
    """Say whether answers come back through the mediator, too."""
    return work.configuration.experiment == "mobile/proxy"


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

    async def make(self, count: int) -> float:
        """Have the clients make so many, and return the seconds until all are answered."""
        start = perf_counter()
        self.start(count)
        await self.answered.wait()
        return perf_counter() - start
