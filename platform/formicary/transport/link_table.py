"""A container's links in use, by the domains of the other containers."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.transport.link.link import Link

_LIMIT = 10_000  # other containers
_FORGET = 120.0  # s without a session after which a link is forgotten: the other end has given up by then
_SWEEP = 30.0  # s between two searches for such links


class LinkTable(dict[str, "Link"]):
    """The links of a container; idle ones are forgotten, and created again when needed.

    Attributes:
        limit: how many links there can be.
        kept: a link that stays even if idle, if any.
    """

    def __init__(self, on_forgotten: Callable[[Sequence[Link]], None]) -> None:
        super().__init__()
        self.limit = _LIMIT
        self.kept: Link | None = None
        self._on_forgotten = on_forgotten
        self._timer: asyncio.TimerHandle | None = None
        self._is_closed = False

    def add(self, link: Link) -> None:
        """Add a new link; there must be room."""
        self[link.domain] = link
        self.sweep_later()

    def make_room(self) -> bool:
        """Return whether there is room for one more link, after forgetting idle ones if necessary."""
        if len(self) >= self.limit:
            self._forget_idle()
        return len(self) < self.limit

    def sweep_later(self) -> None:
        """Schedule a search for links without a session, repeated as long as there are any."""
        if self._timer is None and not self._is_closed:
            self._timer = asyncio.get_running_loop().call_later(_SWEEP, self._sweep)

    def _sweep(self) -> None:
        self._timer = None
        self._forget_idle(until=asyncio.get_running_loop().time() - _FORGET)
        if any(not link.session.is_open for link in self.values()):
            self.sweep_later()

    def _forget_idle(self, until: float = math.inf) -> None:
        """Forget idle links whose sessions ended before `until`."""
        idle = [
            link for link in self.values() if link.is_idle and link is not self.kept and link.ended_at < until
        ]
        for link in idle:
            del self[link.domain]
        if idle:
            self._on_forgotten(idle)

    def close(self) -> None:
        """End all links at once; they stay in the table."""
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
        for link in self.values():
            link.abandon()
