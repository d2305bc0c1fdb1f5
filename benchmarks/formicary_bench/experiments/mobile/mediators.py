"""Requests that are left to be made through a mediator, for agents and by hand alike."""

from __future__ import annotations

import asyncio
from typing import Any

from formicary_bench.experiments.mobile.loops import Countdown

SERVERS = 3
"""How many servers there are, as in the paper."""


class Requests:
    """The requests of a loop, which all clients make together."""

    def __init__(self) -> None:
        self.left = 0
        self.begin = asyncio.Event()
        self._unanswered = Countdown()
        self.end = self._unanswered.count
        """Counts an answered request."""

    def start(self, count: int) -> asyncio.Future[Any]:
        """Let the clients make `count` requests; return a future for the last answer."""
        self.left = count
        self.begin.set()
        return self._unanswered.expect(count)

    def take(self) -> int | None:
        """Return the number of the next request to make; None until the next loop if all have been made."""
        if not self.left:
            self.begin.clear()
            return None
        self.left -= 1
        return self.left
