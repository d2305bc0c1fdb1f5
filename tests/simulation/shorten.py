"""Shortens a failing schedule to as few acts as possible."""

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
    """Return a result that is broken by as few of a seed's acts as can be found.

    Halves of the acts are left out, then quarters and so on to single ones, as long as anything is broken.

    Args:
        seed: one that fails.
        steps: as of `simulate`.
        tries: the most times to play it.
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
