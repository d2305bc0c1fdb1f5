"""Describe an agent on its way from one container to another."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec


class Transit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An agent that is stopped in one container, and has not started in the other.

    Args:
        to: the full domain of the container that it goes to.
        since: when it was stopped, with a time zone.
        waits_for: what the move waits for, as part of a sentence.
    """

    to: str
    since: datetime
    waits_for: str

    def __str__(self) -> str:
        since = self.since.astimezone().strftime("%H:%M:%S")
        return f"to {self.to.partition('.')[0]} since {since}, waits for {self.waits_for}"


def transit_of(place: str, since: float, waits_for: str) -> Transit:
    """Return a `Transit`; arguments as there, but `since` in seconds since 1970."""
    return Transit(place, datetime.fromtimestamp(since, UTC), waits_for)
