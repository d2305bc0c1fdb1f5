"""Subscriptions to the players of roles."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

from formicary.core.coroutines import rest_until
from formicary.core.errors import GroupError

if TYPE_CHECKING:
    from formicary.groups.service import GroupService


class Player(NamedTuple):
    """An agent, by full name, and a role that it plays."""

    agent: str
    role: str


@dataclass(frozen=True, slots=True)
class GroupChange:
    """A change of the players in a group.

    Attributes:
        came: new players.
        left: former players.
    """

    came: tuple[Player, ...]
    left: tuple[Player, ...]


class GroupSubscription:
    """The players in a group, as they change. Use `async with`, then `async for`.

    The first change has all players at the beginning, and may be empty. A slow reader gets the net result
    of all changes since its last as one. The iteration ends when the block is left in another task, or the
    container is closed.
    """

    def __init__(self, service: GroupService, community: str, group: str, role: str | None) -> None:
        self._service = service
        self._where = community, group
        self._role = role
        self._known: set[Player] = set()  # players that were reported
        self._now: dict[Player, bool] = {}  # changes not reported yet, and whether each plays now
        self._is_open = False
        self._is_over = False
        self._is_first = True
        self._has_news = asyncio.Event()

    async def __aenter__(self) -> Self:
        await self._service.open()
        self._is_open = True
        self._service.open_subscriptions.add(self)
        self._service.listen(*self._where, self._take)
        group = self._service.find(*self._where)
        for agent, roles in {} if group is None else group.roles_of.items():
            for role in roles:
                self._take(agent, role, True)
        self._has_news.set()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._is_open = False
        self._service.ignore(*self._where, self._take)
        self.end()

    def end(self) -> None:
        """End the iteration."""
        self._service.open_subscriptions.discard(self)
        self._is_over = True
        self._has_news.set()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> GroupChange:
        if not self._is_open:
            raise GroupError("the subscription is not open; use it as: async with ... as changes")
        await rest_until(self._has_news)
        if self._is_over:
            raise StopAsyncIteration
        self._has_news.clear()
        self._is_first = False
        now, self._now = self._now, {}
        came = tuple(player for player, plays in now.items() if plays)
        left = tuple(player for player, plays in now.items() if not plays)
        self._known.update(came)
        self._known.difference_update(left)
        return GroupChange(came, left)

    def _take(self, agent: str, role: str, has_come: bool) -> None:  # noqa: FBT001 -- a callback
        if self._role is not None and role != self._role:
            return
        player = Player(agent, role)
        if has_come is (player in self._known):
            self._now.pop(player, None)  # as last reported
        else:
            self._now[player] = has_come
        if self._now or self._is_first or self._is_over:
            self._has_news.set()
        else:
            self._has_news.clear()
