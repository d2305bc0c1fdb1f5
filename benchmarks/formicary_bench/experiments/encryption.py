"""The parts of `messaging/encryption`: one pair with messages of many sizes, many pairs with those of one."""

from __future__ import annotations

from formicary_bench.experiments.catalogue import ENCRYPTION, SINGLE_PAIR_SIZE, Part

BY_SIZE = Part(
    ENCRYPTION,
    loads=SINGLE_PAIR_SIZE.loads,
    payloads=SINGLE_PAIR_SIZE.payloads,
    placements=ENCRYPTION.placements,
)
BY_PAIRS = Part(
    ENCRYPTION, loads=ENCRYPTION.loads, payloads=ENCRYPTION.payloads, placements=ENCRYPTION.placements
)


PARTS = (BY_SIZE, BY_PAIRS)


def chosen(parts: tuple[Part, ...], *, has_pairs: bool, has_payloads: bool) -> tuple[Part, ...]:
    """Give the parts that a run takes: where one thing alone was asked for, that which varies it.

    Args:
        parts: the one that varies sizes, and the one that varies pairs.
        has_pairs: whether numbers of pairs were asked for.
        has_payloads: whether sizes were.
    """
    if has_pairs is has_payloads:
        return parts
    by_size, by_pairs = parts
    return (by_pairs,) if has_pairs else (by_size,)
