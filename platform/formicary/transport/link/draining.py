"""Waits until what a link has sent has arrived: before its container stops, or an agent leaves it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formicary.transport.link.outbox import Outbox
    from formicary.transport.link.session import Session

    _Goal = tuple[tuple[int, int], int] | None  # the session, and how many frames it must acknowledge


class Draining:
    """Waits for what one link has sent; the arguments are the link's."""

    def __init__(self, session: Session, outbox: Outbox) -> None:
        self._session = session
        self._outbox = outbox
        self._waits: dict[asyncio.Event, _Goal] = {}

    async def wait(self) -> None:
        """Wait until the other end has acknowledged everything sent until now, or was given up."""
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
        """End the waits that are over; call this now and then."""
        session = self._session
        for done, goal in self._waits.items():
            if not session.unacknowledged and self._outbox.is_empty:
                done.set()
            elif goal is None or goal[0] != session.incarnations:
                self._waits[done] = self._goal()
            elif session.sending.acknowledged >= goal[1]:
                done.set()

    def _goal(self) -> _Goal:
        """Return what to wait for: everything until now, as others may cause more to be sent without end."""
        session = self._session
        if not session.is_open:
            return None
        self._outbox.push()
        return session.incarnations, session.sending.acknowledged + session.unacknowledged
