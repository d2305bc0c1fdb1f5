"""Times that users give: for how long something is waited for, how often it is done, and when it is due.

What is over is due now, so a number below 0 is no mistake where somebody waits. What lasts longer than a
century has no end.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from numbers import Real  # also numpy's
from typing import TypeVar

from formicary.core.clock import seconds_until
from formicary.core.errors import UsageError
from formicary.core.quoting import shorten

Moment = TypeVar("Moment", datetime, timedelta, "datetime | timedelta")

ENDLESS = 100 * 366 * 86_400.0
"""From so many seconds on, nothing has an end: also the times of day that follow can be written."""

_SECONDS = "a number of seconds, such as 1.5"
_POSITIVE = "a number of seconds above 0, such as 0.5"
_MOMENT = "a datetime or a timedelta, such as timedelta(seconds=3)"
_EITHER = "a number of seconds, a timedelta or a datetime"


def check_seconds(given: object, what: str = "timeout=", *, least: float = -math.inf) -> float:
    """Return a number of seconds.

    Args:
        given: what is to be one; below 0 it is over already.
        what: how the sentence names it.
        least: the lowest that there may be.

    Raises:
        UsageError: it is none.
    """
    if not _is_number(given) or given < least:  # type: ignore[operator]  # it is a number
        raise _error(given, what, _SECONDS)
    return given  # type: ignore[return-value]  # as was just seen


def check_duration(given: object, what: str) -> float:
    """Return a number of seconds above 0 that has an end; arguments and errors as of `check_seconds`."""
    if not _is_number(given) or not 0 < given < math.inf:  # type: ignore[operator]  # it is a number
        raise _error(given, what, _POSITIVE)
    return given  # type: ignore[return-value]  # as above


def time_limit(given: object, what: str = "timeout=") -> float | None:
    """Return after how many seconds something is over, None for never; as of `check_seconds`."""
    if given is None or check_seconds(given, what) >= ENDLESS:
        return None
    return given  # type: ignore[return-value]  # as above


def check_moment(given: Moment, what: str = "a time") -> Moment:
    """Return when something is due: a time, or how long until then; else as `check_seconds`."""
    if not _is_moment(given):
        raise _error(given, what, _MOMENT)
    return given


def check_until(given: object, what: str) -> None:
    """Check until when something is waited for, as `seconds_left` takes it; else as `check_seconds`."""
    if given is not None and not _is_number(given) and not _is_moment(given):
        raise _error(given, what, _EITHER)


def seconds_left(until: float | timedelta | datetime | None) -> float | None:
    """Return how many seconds there are until what `check_until` has passed; None where there is no end."""
    return time_limit(seconds_until(until) if isinstance(until, datetime | timedelta) else until)


def _is_number(given: object) -> bool:
    return not isinstance(given, bool) and isinstance(given, Real) and not math.isnan(given)


def _is_moment(given: object) -> bool:
    if isinstance(given, datetime):
        try:
            given.astimezone(UTC)
        except (OverflowError, ValueError, OSError):  # the first or last day of all, without a zone
            return False
    return isinstance(given, datetime | timedelta)


def _error(given: object, what: str, wanted: str) -> UsageError:
    return UsageError(f"{what} is {wanted}, not {shorten(given)}")
