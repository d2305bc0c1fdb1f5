"""Limits the number of examples in the first tier, for property tests whose examples are slow."""

from __future__ import annotations

from hypothesis import settings

IS_FIRST_TIER = settings.get_current_profile_name() != "full"


def at_first(
    examples: int, later: int | None = None, *, like: settings | None = None, **more: int
) -> settings:
    """Return settings with a limit on examples in the first tier.

    Args:
        examples: the most examples in the first tier.
        later: the most in the second tier; None for the profile's number.
        like: settings to start from; the profile's if None.
        more: settings to change.
    """
    many = later or settings.default.max_examples
    return settings(like, max_examples=examples if IS_FIRST_TIER else many, **more)
