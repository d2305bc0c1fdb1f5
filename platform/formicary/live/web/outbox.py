"""The queue of one page: bounded, whatever the platform does and however slow the page is."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from formicary.live.view import lets_through
from formicary.live.web.wire import Parcel
from formicary.observe.events import Begun, Figures, Filters, LeftOut, MessageSeen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary.live.view import View
    from formicary.live.web.wire import Playing
    from formicary.observe.events import Event

_UNANSWERED = 2  # parcels that a page may have unacknowledged
_WAITING = 600  # events waiting for a page; a screen shows some thirty messages
_GONE = 20_000  # agents that ended meanwhile


class Outbox:
    """Events not yet sent to one page.

    A slow page gets only the latest messages, and the number of those left out. Of agents and containers it
    gets the current state, without intermediate ones, so it misses nothing for good.

    Args:
        view: the current state, sent to a page first.
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
