"""Shortens a failing schedule: as few acts as still break a guarantee."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.simulation.simulate import STEPS, Played, simulate

if TYPE_CHECKING:
    from collections.abc import Callable

_TRIES = 200


def shorten(
    seed: int,
    *,
    steps: int = STEPS,
    tries: int = _TRIES,
    play: Callable[..., Played] = simulate,
) -> Played:
    """Return what is broken with as few of the acts of a seed as some tries find.

    Halves of the acts are left out, then quarters and so on to single ones, as long as anything is broken.

    Args:
        seed: one that fails.
        steps: as of `simulate`.
        tries: how often it is played at most.
        play: plays it; for tests.
    """
    best = play(seed, steps=steps)
    if not best.broken:
        return best
    size = max(1, len(best.acts) // 2)
    while tries:
        start = 0
        before = best
        while start < len(best.acts) and tries:
            tries -= 1
            found = play(seed, only=best.acts[:start] + best.acts[start + size :])
            if found.broken:
                best = found
            else:
                start += size
        if size == 1 and best is before:
            break
        size = max(1, size // 2)
    return best
