"""Agents that block a container's event loop: counted, and logged once in a while."""

from __future__ import annotations

import heapq

import msgspec

from formicary.core.logs import get_logger

logger = get_logger("formicary")

_KEPT = 1000  # names that are counted
_SAY_AGAIN = 60.0  # s for which nothing more is said of what blocks at the same place


class Blocker(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that has blocked the event loop for longer than 0.1 s.

    Args:
        name: `name/Behaviour`, `name/handle` of a micro-agent, or what else it was, such as `main()`.
        times: how often.
        longest_s: seconds of the longest, as far as it was seen: up to 0.1 s less than it really was.
        where: the latest place, as `shop.py:12, in run`; empty where it is not known.
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
        self._silent_until: dict[str, float] = {}  # by place, or by name where that is not known

    def add(self, name: str, where: str, seconds: float, now: float) -> None:
        """Count something that has blocked the loop for `seconds` and still does; log it if it is new."""
        self.total += 1
        known = self._by_name.get(name)
        if known is not None:
            longest = max(known.longest_s, seconds)
            self._by_name[name] = Blocker(name, known.times + 1, longest, where or known.where)
        elif len(self._by_name) < _KEPT:
            self._by_name[name] = Blocker(name, 1, seconds, where)
        self.say(name, where, seconds, now)

    def lengthen(self, name: str, seconds: float) -> None:
        """Update the duration of what was counted before: `seconds` in all."""
        known = self._by_name.get(name)
        if known is not None and seconds > known.longest_s:
            self._by_name[name] = Blocker(name, known.times, seconds, known.where)

    def say(self, name: str, where: str, seconds: float, now: float) -> None:
        """Log who blocks the loop, unless that was said of this place within the last minute."""
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
        """Return those that have blocked it most often."""
        return tuple(heapq.nlargest(count, tuple(self._by_name.values()), key=lambda each: each.times))
