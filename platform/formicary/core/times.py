"""Checks times that users give: timeouts, deadlines and periods.

A negative timeout has already expired, and is no mistake. One of more than a century means no limit.
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
"""A timeout of this many seconds or more means no limit; any date until then can be represented."""

_SECONDS = "a number of seconds, such as 1.5"
_POSITIVE = "a number of seconds above 0, such as 0.5"
_MOMENT = "a datetime or a timedelta, such as timedelta(seconds=3)"
_DATE = "a datetime, such as datetime.now(UTC) + timedelta(hours=1)"


def check_seconds(given: object, what: str = "timeout=", *, least: float = -math.inf) -> float:
    """Return a number of seconds.

    Args:
        given: the value; a negative timeout has already expired.
        what: its name in the sentence.
        least: the lowest value allowed.

    Raises:
        UsageError: it is not a number of seconds, or is too low.
    """
    if not _is_number(given) or given < least:  # type: ignore[operator]  # it is a number
        raise _error(given, what, _SECONDS)
    return given  # type: ignore[return-value]  # as was just seen


def check_duration(given: object, what: str) -> float:
    """Return a positive, finite number of seconds; arguments and errors as of `check_seconds`."""
    if not _is_number(given) or not 0 < given < math.inf:  # type: ignore[operator]  # it is a number
        raise _error(given, what, _POSITIVE)
    return given  # type: ignore[return-value]  # as above


def time_limit(given: object, what: str = "timeout=") -> float | None:
    """Return a timeout in seconds, None for no limit; arguments and errors as of `check_seconds`."""
    if given is None or check_seconds(given, what) >= ENDLESS:
        return None
    return given  # type: ignore[return-value]  # as above


def check_moment(given: Moment, what: str = "a time") -> Moment:
    """Return a moment, as a date or as the time until then; arguments and errors as of `check_seconds`."""
    if not _is_moment(given):
        raise _error(given, what, _MOMENT)
    return given


def check_limit(timeout: float | None, deadline: object) -> float | datetime | None:
    """Return whichever of a timeout and a deadline is given, for `seconds_left`; None for no limit.

    Raises:
        UsageError: both are given, or the one that is given is not a time.
    """
    if deadline is None:
        return time_limit(timeout)
    if timeout is not None:
        raise UsageError("timeout= and deadline= cannot both be given; omit one of them")
    if isinstance(deadline, datetime) and _is_moment(deadline):
        return deadline
    raise _error(deadline, "deadline=", _DATE)


def seconds_left(limit: float | datetime | None) -> float | None:
    """Return the seconds left until a limit, as returned by `check_limit`; None for no limit."""
    return time_limit(seconds_until(limit)) if isinstance(limit, datetime) else limit


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
    return UsageError(f"{what} must be {wanted}, not {shorten(given)}")
