"""How long a test searches whose examples take long: for a shorter time in the first tier."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# As conftest.py has registered them; those of the second tier search for longer.
IS_FIRST_TIER = settings.get_current_profile_name() in {"ci", "default"}
_PLAIN = settings(suppress_health_check=[HealthCheck.too_slow])  # which a busy machine is


def at_first(examples: int, later: int | None = None, *, like: settings = _PLAIN, **more: int) -> settings:
    """Return settings with so many examples in the first tier.

    Args:
        examples: at most so many.
        later: how many in the second tier; None for as many as the profile has.
        like: what the other settings are like.
        more: settings that differ from that.
    """
    many = later or settings.default.max_examples
    return settings(like, max_examples=examples if IS_FIRST_TIER else many, **more)
