"""One feed and all pages that show it."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

from formicary.core.errors import FormicaryError, UsageError
from formicary.live.view import View
from formicary.live.web.outbox import Outbox
from formicary.live.web.wire import Playing
from formicary.observe.events import Filters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary.live.feed import Feed
    from formicary.live.web.wire import Parcel, Play

_MOST_PAGES = 16


class Seat:
    """One page's subscription to the feed."""

    def __init__(self, hub: Hub, outbox: Outbox) -> None:
        self._hub = hub
        self.outbox = outbox
        self._changed = asyncio.Event()
        self._playing: Playing | None = None  # as last sent to the page
        self.ended: str | None = None

    async def next(self) -> Parcel | None:
        """Wait for the next parcel; None at the end, with the reason in `ended`."""
        while True:
            playing = self._hub.playing()
            parcel = self.outbox.take(None if playing == self._playing else playing)
            if parcel is not None:
                self._playing = playing
                return parcel
            if self.ended is not None:
                return None
            self._changed.clear()
            await self._changed.wait()

    def wake(self) -> None:
        """Make `next` check again."""
        self._changed.set()


class Hub:
    """Reads batches from the feed while there is a page, and passes them to all pages.

    Args:
        feed: the feed, open only while a page shows it, so that nothing is collected needlessly.
        is_kept_open: whether it is open from the start, as when it is being recorded. A recording always is,
            since it would start again with each page.
    """

    def __init__(self, feed: Feed, *, is_kept_open: bool = False) -> None:
        self.feed = feed
        self._is_kept_open = is_kept_open or not feed.is_live
        self._view = View()
        self._seats: set[Seat] = set()
        self._somebody = asyncio.Event()
        self._nobody = asyncio.Event()

    async def run(self) -> None:
        """Send batches to pages until the feed ends.

        Raises:
            FormicaryError: the feed cannot continue; all pages were told why.
        """
        reason = "The recording has ended."
        try:
            while await self._is_looked_at():
                self._view.begin_again()
                async with self.feed:
                    if await self._pass_on():
                        return
        except FormicaryError as error:
            reason = str(error)
            raise
        except asyncio.CancelledError:
            reason = "The live view was closed."
            raise
        finally:
            for seat in self._seats:
                seat.ended = reason
                seat.wake()

    @contextmanager
    def seat(self) -> Iterator[Seat]:
        """Register a page while it is connected.

        Raises:
            UsageError: too many pages are open.
        """
        if len(self._seats) >= _MOST_PAGES:
            raise UsageError(f"{_MOST_PAGES} pages are already open: close one of them")
        seat = Seat(self, Outbox(self._view))
        self._seats.add(seat)
        self._somebody.set()
        self._nobody.clear()
        try:
            yield seat
        finally:
            self._seats.remove(seat)
            if not self._seats:
                self._somebody.clear()
                self._nobody.set()
            self._narrow()

    def narrow(self, seat: Seat, filters: Filters) -> None:
        """Change which messages a page is sent."""
        seat.outbox.filters = filters
        self._narrow()
        seat.outbox.begin_again()
        seat.wake()

    def play(self, said: Play) -> None:
        """Change speed or time of a recording, for all pages, which share the feed.

        Raises:
            UsageError: this is not a recording.
        """
        match said.action:
            case "pause":
                self.feed.pause()
            case "resume":
                self.feed.resume()
            case "speed":
                self.feed.speed = min(max(said.value, -1000.0), 1000.0)
            case "seek":
                self.feed.seek(said.value)

    def playing(self) -> Playing | None:
        """Return the position in a recording; None for a running platform."""
        feed = self.feed
        if feed.span is None:
            return None
        return Playing(*feed.span, feed.position, feed.speed, feed.is_paused)

    async def _is_looked_at(self) -> bool:
        """Wait until a page is connected."""
        return self._is_kept_open or await self._somebody.wait()

    async def _pass_on(self) -> bool:
        """Send batches while there are pages; return whether the feed has ended."""
        giving = asyncio.create_task(self._give())
        tasks = {giving} if self._is_kept_open else {giving, asyncio.create_task(self._left())}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        if giving.cancelled():
            return False
        giving.result()
        return True

    async def _give(self) -> None:
        async for batch in self.feed:
            self._view.take(batch)
            for seat in self._seats:
                seat.outbox.offer(batch)
                seat.wake()

    async def _left(self) -> None:
        await self._nobody.wait()

    def _narrow(self) -> None:
        """Set the feed's filters to those of all pages, or to none if they differ."""
        wanted = {seat.outbox.filters for seat in self._seats}
        filters = wanted.pop() if len(wanted) == 1 else Filters()
        if filters != self.feed.filters:
            self.feed.filters = filters
