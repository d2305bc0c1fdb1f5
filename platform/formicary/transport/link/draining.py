"""Waiting until what a link has sent has arrived: when its container stops, or an agent is to leave it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formicary.transport.link.outbox import Outbox
    from formicary.transport.link.session import Session

    _Goal = tuple[tuple[int, int], int] | None  # in which session, so many acknowledged frames


class Draining:
    """Waits for what one link has sent; arguments are the link's."""

    def __init__(self, session: Session, outbox: Outbox) -> None:
        self._session = session
        self._outbox = outbox
        self._waits: dict[asyncio.Event, _Goal] = {}

    async def wait(self) -> None:
        """Wait until the other end has acknowledged all that was sent up to now, or has been given up."""
        if self._outbox.is_empty and not self._session.unacknowledged:
            return
        self._outbox.flush()
        done = asyncio.Event()
        self._waits[done] = self._goal()
        try:
            await done.wait()
        finally:
            del self._waits[done]

    def check(self) -> None:
        """End the waits that are over; to be called every now and then."""
        session = self._session
        for done, goal in self._waits.items():
            if not session.unacknowledged and self._outbox.is_empty:
                done.set()
            elif goal is None or goal[0] != session.incarnations:
                self._waits[done] = self._goal()
            elif session.sending.acknowledged >= goal[1]:
                done.set()

    def _goal(self) -> _Goal:
        """Settle for what is there now: what others make this container send later shall not keep it open."""
        session = self._session
        if not session.is_open:
            return None
        self._outbox.push()
        return session.incarnations, session.sending.acknowledged + session.unacknowledged
