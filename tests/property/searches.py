"""How long a test searches whose examples take long: for a shorter time in the first tier."""

from __future__ import annotations

from hypothesis import settings

IS_FIRST_TIER = settings.get_current_profile_name() != "full"


def at_first(
    examples: int, later: int | None = None, *, like: settings | None = None, **more: int
) -> settings:
    """Return settings with so many examples in the first tier.

    Args:
        examples: at most so many.
        later: how many in the second tier; None for as many as the profile has.
        like: what the other settings are like; those of the profile if None.
        more: settings that differ from that.
    """
    many = later or settings.default.max_examples
    return settings(like, max_examples=examples if IS_FIRST_TIER else many, **more)
