"""The feed of a recording: forwards and backwards, at any speed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from formicary.live.feed import MOST_EVENTS, Feed
from formicary.live.view import lets_through
from formicary.observe.events import Begun, LeftOut, MessageSeen
from formicary.observe.recording import Recording

if TYPE_CHECKING:
    from pathlib import Path

    from formicary.observe.events import Event

_STEP: Final = 0.1  # s between two batches
_CONTEXT: Final = 500  # earlier events shown when starting from a time


class PlayedFeed(Feed):
    """The feed of a recording.

    Args:
        path: the file.
        speed: seconds of it per second.

    Raises:
        StoreError: it is not a recording, or it is corrupt.
    """

    is_live = False

    def __init__(self, path: Path, speed: float = 1.0) -> None:
        super().__init__()
        self._path = path
        self.speed = speed
        with Recording(path) as recording:  # to raise errors now
            self.span = recording.span
        self.position = self.span[0]
        self._recording: Recording | None = None
        self._begins_anew = True
        self._matched = self.filters  # the filters of the last batch

    async def _open(self) -> None:
        self._recording = Recording(self._path)
        self._begins_anew = True

    async def _close(self) -> None:
        if self._recording is not None:
            self._recording.close()
            self._recording = None

    async def __anext__(self) -> list[Event]:
        await asyncio.sleep(_STEP)
        assert self._recording is not None  # it is open
        assert self.span is not None
        first, last = self.span
        step = 0.0 if self.is_paused else _STEP * self.speed
        before = self.position
        self.position = min(max(before + step, first), last)
        if self._begins_anew or self.position < before or self._matched is not self.filters:
            return self._begin_anew(self._recording)
        events = self._recording.read(before, self.position, MOST_EVENTS)
        if len(events) == MOST_EVENTS:  # the rest comes next
            self.position = events[-1].at
        return self._matching(events)

    def _begin_anew(self, recording: Recording) -> list[Event]:
        self._begins_anew = False
        self._matched = self.filters
        at = self.position
        context = self._matching(recording.before(at, _CONTEXT))
        told = [event for event in context if isinstance(event, MessageSeen | LeftOut)]
        return [Begun(at), recording.state(at), *told]

    def _matching(self, events: list[Event]) -> list[Event]:
        return [
            each for each in events if not isinstance(each, MessageSeen) or lets_through(self.filters, each)
        ]

    def seek(self, at: float) -> None:
        """Continue from another time; as `Feed.seek`."""
        assert self.span is not None
        self.position = min(max(at, self.span[0]), self.span[1])
        self._begins_anew = True
