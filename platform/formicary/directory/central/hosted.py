"""Which agents live in a container that have moved, and whether the directory's agent knows of them."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from formicary.directory.language import Host

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from formicary.directory.language import Request

    Ask = Callable[[Request], Awaitable[object]]

_BATCH = 1000  # agents in a message


class HostedAgents:
    """The agents of a container that have moved.

    Args:
        ask: asks the directory something.
    """

    def __init__(self, ask: Ask) -> None:
        self.moves: dict[str, int] = {}
        """How often each has moved."""
        self._ask = ask
        self._news: dict[str, int | None] = {}  # what the directory may not know; None: the agent has ended

    @property
    def is_settled(self) -> bool:
        """Whether the directory knows of all."""
        return not self._news

    def arrive(self, agent: str, moves: int) -> None:
        """Take note that an agent lives here now, which has moved so often."""
        self.moves[agent] = self._news[agent] = moves

    def depart(self, agent: str) -> None:
        """Take note that an agent lives elsewhere now, where that is told to the directory."""
        self.moves.pop(agent, None)
        self._news.pop(agent, None)

    def end(self, agent: str) -> bool:
        """Take note that an agent has ended; return whether it is one of these."""
        if self.moves.pop(agent, None) is None:
            return False
        self._news[agent] = None
        return True

    def doubt_all(self) -> None:
        """Take note that the directory may have missed everything."""
        self._news.update(self.moves)

    async def settle(self, agent: str) -> None:
        """Tell the directory of an agent, if it may not know.

        Raises:
            FormicaryError: it cannot be told.
        """
        if agent in self._news:
            await self._tell({agent: self._news[agent]})

    async def settle_all(self) -> None:
        """Tell the directory of all; errors as of `settle`."""
        while self._news:
            await self._tell(dict(islice(self._news.items(), _BATCH)))

    async def _tell(self, news: dict[str, int | None]) -> None:
        await self._ask(Host(news))
        for agent, moves in news.items():
            if agent in self._news and self._news[agent] == moves:
                del self._news[agent]
