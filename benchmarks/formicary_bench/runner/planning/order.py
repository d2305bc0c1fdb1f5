"""The order in which what is planned is measured. Pure."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.vocabulary.configuration import Configuration


def schedule(
    plan: Sequence[Configuration], repeats: Sequence[int], seed: int
) -> list[tuple[Configuration, int, int]]:
    """Return the order of the measurements: configuration, number of the repetition, seed.

    Each configuration comes once before any comes again, in an order that is drawn anew each time, so that
    what changes on the machine meanwhile does not fall on the same ones.

    Args:
        plan: what is measured.
        repeats: how often, of each.
        seed: determines all of it.
    """
    generator = random.Random(seed)
    order = []
    for number in range(1, max(repeats, default=0) + 1):
        members = [one for one, many in zip(plan, repeats, strict=True) if number <= many]
        generator.shuffle(members)
        order += [(configuration, number, generator.getrandbits(32)) for configuration in members]
    return order
