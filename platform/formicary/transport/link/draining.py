"""Waiting until what a link has sent has arrived: when its container stops, or an agent is to leave it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formicary.transport.link.outbox import Outbox
    from formicary.transport.link.session import Session


class Draining:
    """The wait for what was sent up to now.

    Args:
        session: the link's.
        outbox: what is in it goes out, too.
    """

    def __init__(self, session: Session, outbox: Outbox) -> None:
        self._session = session
        self._outbox = outbox
        self._done = asyncio.Event()
        self._goal: tuple[tuple[int, int], int] | None = None  # in which session, so many acknowledged frames
        self._aim()

    async def wait(self) -> None:
        """Wait until a `check` finds that the other end has all of it, or was given up."""
        await self._done.wait()

    def check(self) -> None:
        """See how far it is; to be called every now and then."""
        session = self._session
        if not session.unacknowledged and self._outbox.is_empty:
            self._done.set()
        elif self._goal is None or self._goal[0] != session.incarnations:
            self._aim()
        elif session.acknowledged >= self._goal[1]:
            self._done.set()

    def _aim(self) -> None:
        """Settle for what is there now: what others make this container send later shall not keep it open."""
        session = self._session
        if session.is_open:
            self._outbox.push()
            self._goal = session.incarnations, session.acknowledged + session.unacknowledged
