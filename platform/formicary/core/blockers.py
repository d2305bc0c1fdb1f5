"""Counts and logs agents that block a container's event loop."""

from __future__ import annotations

import heapq

import msgspec

from formicary.core.logs import get_logger

logger = get_logger("formicary")

_KEPT = 1000  # names that are counted
_SAY_AGAIN = 60.0  # s between two log entries about the same place


class Blocker(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that has blocked the event loop for longer than 0.1 s.

    Args:
        name: `name/Behaviour`, `name/handle` for a micro-agent, or another name, such as `main()`.
        times: how often it has.
        longest_s: the longest time in seconds, as measured: up to 0.1 s less than the true one.
        where: the latest place, such as `shop.py:12, in run`; empty if it is not known.
    """

    name: str
    times: int
    longest_s: float
    where: str


class Blockers:
    """Everything that has blocked a container's event loop. Another thread adds to it.

    Args:
        container: the container's name.
    """

    def __init__(self, container: str) -> None:
        self.total = 0
        self._container = container
        self._by_name: dict[str, Blocker] = {}
        self._silent_until: dict[str, float] = {}  # by place, or by name if that is not known

    def add(self, name: str, where: str, seconds: float, now: float) -> None:
        """Count something that has been blocking the loop for `seconds`; log it if it is new."""
        self.total += 1
        known = self._by_name.get(name)
        if known is not None:
            longest = max(known.longest_s, seconds)
            self._by_name[name] = Blocker(name, known.times + 1, longest, where or known.where)
        elif len(self._by_name) < _KEPT:
            self._by_name[name] = Blocker(name, 1, seconds, where)
        self.say(name, where, seconds, now)

    def lengthen(self, name: str, seconds: float) -> None:
        """Update the duration of what was last counted by this name: `seconds` in total."""
        known = self._by_name.get(name)
        if known is not None and seconds > known.longest_s:
            self._by_name[name] = Blocker(name, known.times, seconds, known.where)

    def say(self, name: str, where: str, seconds: float, now: float) -> None:
        """Log what blocks the loop, at most once a minute for each place."""
        place = where or name
        if now < self._silent_until.get(place, 0.0):
            return
        if len(self._silent_until) >= _KEPT:
            self._silent_until.clear()
        self._silent_until[place] = now + _SAY_AGAIN
        logger.warning(
            "%s blocked the event loop of container %s for %.1f s%s, which stops all its other "
            "agents; compute with `await self.compute(function, ...)`, and wait in a "
            "ThreadBehaviour or with an asynchronous library",
            name,
            self._container,
            seconds,
            f" ({where})" if where else "",
        )

    def most(self, count: int) -> tuple[Blocker, ...]:
        """Return the most frequent ones."""
        return tuple(heapq.nlargest(count, tuple(self._by_name.values()), key=lambda each: each.times))
