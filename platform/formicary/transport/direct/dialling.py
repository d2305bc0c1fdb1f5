"""Dials other containers until they are reached: at first, and when a connection was lost."""

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
_AGAIN = 0.1  # s before dialling again after a lost connection
_LONGEST = 30.0  # s between tries
_LONGEST_NEEDED = 1.0  # the same if messages have no other path, or others are found only through it


class Dialling:
    """Dials containers by their domains.

    Args:
        direct: makes the connections.
        connected: called with each connection.
        failed: called after each failed try, with the domain and the error.
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
        """Record where a container can be dialled."""
        self._offers[domain] = offer

    def forget(self, domain: str) -> None:
        """Stop dialling a container for good."""
        self._offers.pop(domain, None)
        if (task := self._tasks.pop(domain, None)) is not None:
            task.cancel()

    def begin(self, domain: str, *, is_first: bool, again: bool = False) -> None:
        """Dial a container until it is reached, at once if this one's name `is_first`, else after 1 s."""
        if domain in self._tasks or domain not in self._offers:
            return
        wait = (0.0 if is_first else _PATIENCE) + (_AGAIN if again else 0.0)
        task = asyncio.get_running_loop().create_task(self._dial(domain, wait), name=f"dials {domain}")
        self._tasks[domain] = task
        task.add_done_callback(
            lambda _: self._tasks.pop(domain, None) if self._tasks.get(domain) is task else None
        )

    def stop(self, domain: str) -> None:
        """Stop dialling a container that is connected now."""
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
        """Wait before the next try; not for long once a connection is needed."""
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
