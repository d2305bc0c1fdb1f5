"""The failures of agents: their number, the latest, and those not reported to anybody."""

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
    """An exception that ended a behaviour, or was raised by an agent's `setup` or `handle`.

    Args:
        name: the part that failed: `alice/Ask` for a behaviour, otherwise `alice/setup` or `alice/handle`.
        error: the exception's class, such as `ValueError`.
        text: its message on one line, cut off after 200 characters.
        place: where it was raised, such as `market.py:12, in run`.
        time: when it was raised, in UTC.
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
        """The exception, its message, and where it was raised, on one line."""
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
        first: the first exception, which `join` raises.
        latest: the record of the latest.
    """

    __slots__ = ("first", "latest", "total")

    def __init__(self, first: BaseException, latest: FailureRecord) -> None:
        self.first = first
        self.latest = latest
        self.total = 1


class FailureLog:
    """The failures of a container's agents: the latest hundred, and their total number."""

    def __init__(self) -> None:
        self._latest: deque[FailureRecord] = deque(maxlen=_KEPT)
        self._untold: list[tuple[FailureRecord, BaseException]] = []
        self._untold_total = 0
        self.total = 0

    def add(self, failure: FailureRecord, error: BaseException) -> None:
        """Count a failure; `error` is kept until it is reported, unless there are too many."""
        self._latest.append(failure)
        self.total += 1
        self._untold_total += 1
        if len(self._untold) < _UNTOLD:
            self._untold.append((failure, error))

    def told(self, error: BaseException) -> None:
        """Forget an exception that is reported to somebody."""
        before = len(self._untold)
        self._untold = [each for each in self._untold if each[1] is not error]
        self._untold_total -= before - len(self._untold)

    def take_untold(self, container: str) -> BaseException | None:
        """Return the first exception that was not reported, with a note about the others; forget them."""
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
        """Iterate over the latest failures, oldest first."""
        return iter(tuple(self._latest))

    def __len__(self) -> int:
        """Return the number of latest failures kept."""
        return len(self._latest)

    @property
    def latest(self) -> FailureRecord | None:
        """The latest failure; None if there was none."""
        return self._latest[-1] if self._latest else None
