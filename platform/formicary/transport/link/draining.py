"""Waiting until what a link has sent has arrived: when its container stops, or an agent is to leave it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formicary.transport.link.outbox import Outbox
    from formicary.transport.link.session import Session


class Drainings:
    """The waits for what one link has sent.

    Args:
        session: the link's.
        outbox: the link's.
    """

    def __init__(self, session: Session, outbox: Outbox) -> None:
        self._session = session
        self._outbox = outbox
        self._drainings: list[_Draining] = []

    async def wait(self) -> None:
        """Wait until a `check` finds that the other end has all that was sent up to now, or was given up."""
        draining = _Draining(self._session, self._outbox)
        self._drainings.append(draining)
        try:
            await draining.done.wait()
        finally:
            self._drainings.remove(draining)

    def check(self) -> None:
        """See how far they are; to be called every now and then."""
        for draining in self._drainings:
            draining.check()


class _Draining:
    """The wait for what was sent up to now.

    Args:
        session: the link's.
        outbox: what is in it goes out, too.
    """

    def __init__(self, session: Session, outbox: Outbox) -> None:
        self._session = session
        self._outbox = outbox
        self.done = asyncio.Event()
        self._goal: tuple[tuple[int, int], int] | None = None  # in which session, so many acknowledged frames
        self._aim()

    def check(self) -> None:
        """See how far it is."""
        session = self._session
        if not session.unacknowledged and self._outbox.is_empty:
            self.done.set()
        elif self._goal is None or self._goal[0] != session.incarnations:
            self._aim()
        elif session.acknowledged >= self._goal[1]:
            self.done.set()

    def _aim(self) -> None:
        """Settle for what is there now: what others make this container send later shall not keep it open."""
        session = self._session
        if session.is_open:
            self._outbox.push()
            self._goal = session.incarnations, session.acknowledged + session.unacknowledged
