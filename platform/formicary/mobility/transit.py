"""What is known of an agent on its way from one container to another."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec


class Transit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where an agent goes that is stopped, and not yet started there.

    Args:
        to: the full domain of the container that it goes to.
        since: when it was stopped, with a time zone.
        waits_for: what that waits for, as a part of a sentence.
    """

    to: str
    since: datetime
    waits_for: str

    def __str__(self) -> str:
        since = self.since.astimezone().strftime("%H:%M:%S")
        return f"to {self.to.partition('.')[0]} since {since}, waits for {self.waits_for}"


def transit_of(place: str, since: float, waits_for: str) -> Transit:
    """Return what is known of an agent on its way; as of `Transit`, the time in seconds since 1970."""
    return Transit(place, datetime.fromtimestamp(since, UTC), waits_for)
