"""One feed and all pages that show it."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING

from formicary.core.errors import FormicaryError, UsageError
from formicary.live.view import View, lets_through
from formicary.live.web.wire import Parcel, Playing
from formicary.observe.events import Begun, Figures, Filters, LeftOut, MessageSeen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from formicary.live.feed import Feed
    from formicary.live.web.wire import Play
    from formicary.observe.events import Event

_MOST_PAGES = 16
_UNANSWERED = 2  # parcels that a page may have unacknowledged
_WAITING = 600  # events waiting for a page; a screen shows some thirty messages
_GONE = 20_000  # agents that ended meanwhile


class Outbox:
    """Events not yet sent to one page.

    A slow page gets only the latest messages, and the number of those left out. Of agents and containers it
    gets the current state, without intermediate ones, so it misses nothing for good.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._events: deque[Event] = deque(maxlen=_WAITING)
        self.filters = Filters()
        """Which messages the page wants; those that already wait are kept."""
        self._number = 0
        self._taken = 0
        self._figures: Figures | None = None
        self._left_out = 0
        self._begins_again = True
        self.begin_again()

    def begin_again(self) -> None:
        """Drop what waits, and send the page the whole state again."""
        self._clear()
        self._events.extend(filter(self._is_wanted, self._view.messages.values()))
        self._events.extend(self._view.dead)
        # Between the messages it reports on, not before them.
        begin = next((event.at for event in self._events if isinstance(event, MessageSeen)), float("-inf"))
        self._left_out = sum(gap.left_out for gap in self._view.gaps if gap.at >= begin)
        self._figures = self._view.figures()

    @property
    def waiting(self) -> int:
        """The number of messages and other single events that wait."""
        return len(self._events)

    def offer(self, batch: Iterable[Event]) -> None:
        """Add a batch of the feed."""
        for event in batch:
            if isinstance(event, Begun):
                self._clear()
            elif isinstance(event, LeftOut):
                self._left_out += event.left_out
            elif isinstance(event, Figures):
                self._figures = event if self._figures is None else _merge(self._figures, event)
            elif self._is_wanted(event):
                if len(self._events) == _WAITING and isinstance(self._events[0], MessageSeen):
                    self._left_out += 1
                self._events.append(event)

    def taken(self, number: int) -> None:
        """Record that the page has acknowledged all parcels up to this one."""
        if self._taken < number <= self._number:
            self._taken = number

    def take(self, playing: Playing | None = None) -> Parcel | None:
        """Return the next parcel; None if nothing waits, or the page has two unacknowledged.

        Args:
            playing: of a recording, its position.
        """
        is_empty = not (self._events or self._figures or self._left_out or playing)
        if is_empty or self._number - self._taken >= _UNANSWERED:
            return None
        self._number += 1
        events: list[Event] = list(self._events)
        if self._figures is not None:  # last: they are newer
            events.append(self._figures)
        parcel = Parcel(self._number, events, self._left_out, self._begins_again, playing)
        self._events.clear()
        self._figures, self._left_out, self._begins_again = None, 0, False
        return parcel

    def _clear(self) -> None:
        self._events.clear()
        self._figures = None
        self._left_out = 0
        self._begins_again = True

    def _is_wanted(self, event: Event) -> bool:
        return not isinstance(event, MessageSeen) or lets_through(self.filters, event)


def _merge(before: Figures, after: Figures) -> Figures:
    """Merge two successive figures into one."""
    agents = {each.name: each for each in before.agents}
    gone = dict.fromkeys(before.gone)
    for each in after.agents:
        agents[each.name] = each
        gone.pop(each.name, None)
    for name in after.gone:
        agents.pop(name, None)
        gone[name] = None
    return Figures(
        after.at,
        after.containers,
        tuple(agents.values()),
        tuple(gone)[-_GONE:],
        after.links,
        before.directory if after.directory is None else after.directory,
        before.groups if after.groups is None else after.groups,
        after.missing,
    )


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
