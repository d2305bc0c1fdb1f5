"""Dialling other containers, as long as it takes: for the first time, and when a connection was lost."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from formicary.core import randomness
from formicary.core.errors import FormicaryError
from formicary.transport.addresses import JoinAddress

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.transport.direct import DirectConnection, DirectEndpoint, Offer

_PATIENCE = 1.0  # s that the container whose name comes second waits for the other one to dial
_AGAIN = 0.1  # s before a lost connection is made again
_LONGEST = 30.0  # s between tries
_LONGEST_NEEDED = 1.0  # the same where messages have no other path, or without which no others are found


class Dialling:
    """Dials containers by their domains.

    Args:
        direct: makes the connections.
        connected: called with each.
        failed: called with a domain and why it could not be reached, after each try.
        is_cut: returns whether messages to a domain have no other path now.
    """

    def __init__(
        self,
        direct: DirectEndpoint,
        connected: Callable[[DirectConnection], None],
        failed: Callable[[str, FormicaryError], None],
        *,
        is_cut: Callable[[str], bool],
    ) -> None:
        self._direct = direct
        self._is_cut = is_cut
        self._connected = connected
        self._failed = failed
        self._offers: dict[str, Offer | JoinAddress] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def remember(self, domain: str, offer: Offer | JoinAddress) -> None:
        """Keep where a container can be dialled."""
        self._offers[domain] = offer

    def forget(self, domain: str) -> None:
        """Dial a container no more."""
        self._offers.pop(domain, None)
        if (task := self._tasks.pop(domain, None)) is not None:
            task.cancel()

    def begin(self, domain: str, *, is_first: bool, again: bool = False) -> None:
        """Dial a container until it is reached; the one whose name `is_first` does so at once."""
        if domain in self._tasks or domain not in self._offers:
            return
        wait = (0.0 if is_first else _PATIENCE) + (_AGAIN if again else 0.0)
        task = asyncio.get_running_loop().create_task(self._dial(domain, wait), name=f"dials {domain}")
        self._tasks[domain] = task
        task.add_done_callback(
            lambda _: self._tasks.pop(domain, None) if self._tasks.get(domain) is task else None
        )

    def stop(self, domain: str) -> None:
        """Dial a container no more for now: it is connected."""
        if (task := self._tasks.pop(domain, None)) is not None and task is not asyncio.current_task():
            task.cancel()

    async def _dial(self, domain: str, wait: float) -> None:
        pause = _AGAIN
        while True:
            await self._rest(domain, wait)
            try:
                connection = await self._direct.dial(domain, self._offers[domain])
            except FormicaryError as error:
                self._failed(domain, error)
                wait = pause * randomness.source().uniform(0.5, 1.0)
                pause = min(_LONGEST, pause * 2)
            else:
                self._connected(connection)
                return

    async def _rest(self, domain: str, seconds: float) -> None:
        """Wait before the next try, but not for long where, or from when on, it is needed."""
        while seconds > 0:
            step = min(seconds, _LONGEST_NEEDED * randomness.source().uniform(0.5, 1.0))
            await asyncio.sleep(step)
            seconds -= step
            if seconds > _AGAIN and (isinstance(self._offers[domain], JoinAddress) or self._is_cut(domain)):
                return

    async def close(self) -> None:
        """Stop dialling."""
        tasks = tuple(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
