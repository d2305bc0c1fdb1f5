"""The failures of agents: how many, the latest, and those that nobody was told of."""

from __future__ import annotations

from collections import deque
from datetime import datetime  # noqa: TC003 -- msgspec reads the types
from typing import TYPE_CHECKING

import msgspec

from formicary.core.clock import now
from formicary.core.quoting import printable
from formicary.core.tracebacks import raised_at

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST = 200  # characters of what an exception says
_KEPT = 100
_UNTOLD = 16  # exceptions, with all that their tracebacks hold


class FailureRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An exception that has ended a behaviour, or came out of an agent's `setup` or `handle`.

    Args:
        name: of what has failed: `alice/Ask` of a behaviour, else `alice/setup` or `alice/handle`.
        error: the exception's class, such as `ValueError`.
        text: what it says, in one line, and cut off after 200 characters.
        place: where it was raised: `market.py:12, in run`.
        time: when, UTC.
    """

    name: str
    error: str
    text: str
    place: str
    time: datetime

    @property
    def part(self) -> str:
        """The part of the agent that failed, such as `Ask`, `setup` or `handle`."""
        return self.name.partition("/")[2]

    @property
    def what(self) -> str:
        """The exception, its text, and where it was raised, in one line."""
        what = f"{self.error}: {self.text}" if self.text else self.error
        return f"{what} ({self.place})"

    def __str__(self) -> str:
        return f"{self.name}: {self.what}"


def describe(name: str, error: BaseException) -> FailureRecord:
    """Return the record of a failure, as text that can be shown."""
    text = printable(str(error))
    if len(text) > _LONGEST:
        text = text[:_LONGEST] + "..."
    return FailureRecord(name, type(error).__name__, text, printable(raised_at(error)), now())


class AgentFailures:
    """The failures of one agent.

    Args:
        first: what those get who join.
        latest: what is known of the latest.
    """

    __slots__ = ("first", "latest", "total")

    def __init__(self, first: BaseException, latest: FailureRecord) -> None:
        self.first = first
        self.latest = latest
        self.total = 1


class FailureLog:
    """The failures of a container's agents: the latest hundred, and how many there were of all."""

    def __init__(self) -> None:
        self._latest: deque[FailureRecord] = deque(maxlen=_KEPT)
        self._untold: list[tuple[FailureRecord, BaseException]] = []
        self._untold_total = 0
        self.total = 0

    def add(self, failure: FailureRecord, error: BaseException) -> None:
        """Count a failure; `error` is kept until somebody is told, if few are."""
        self._latest.append(failure)
        self.total += 1
        self._untold_total += 1
        if len(self._untold) < _UNTOLD:
            self._untold.append((failure, error))

    def told(self, error: BaseException) -> None:
        """Forget an exception that somebody gets: nobody else needs to be told."""
        before = len(self._untold)
        self._untold = [each for each in self._untold if each[1] is not error]
        self._untold_total -= before - len(self._untold)

    def take_untold(self, container: str) -> BaseException | None:
        """Return the first exception that nobody was told of, with a note about the others; forget them."""
        if not self._untold:
            return None
        failure, error = self._untold[0]
        others = self._untold_total - 1
        more = f"; {others} more failed there, see the log" if others else ""
        error.add_note(f"raised by {failure.name} in container {container}{more}")
        self._untold.clear()
        self._untold_total = 0
        return error

    def __iter__(self) -> Iterator[FailureRecord]:
        """Iterate over the latest, the oldest of them first."""
        return iter(tuple(self._latest))

    def __len__(self) -> int:
        """Return how many of the latest there are."""
        return len(self._latest)

    @property
    def latest(self) -> FailureRecord | None:
        """The latest; None if there was none."""
        return self._latest[-1] if self._latest else None
