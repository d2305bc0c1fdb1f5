"""Whether something has become slower by more than is allowed: for checks that a change has to pass.

Unlike in `comparisons`, a slowdown that is certain but small passes, and one that is large but uncertain does
not pass.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.statistics.comparisons import logarithms, repetitions_for, too_few
from formicary_bench.statistics.intervals import Interval  # noqa: TC001 - msgspec resolves the annotations
from formicary_bench.statistics.ratios import between, change, ratio_of_values
from formicary_bench.statistics.tests import holm, larger_p

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.statistics.comparisons import Contrast

_BELIEVED = 0.025  # on either side: as the 95% interval that is shown has it


class Outcome(StrEnum):
    """The outcome of a gate."""

    NOT_SLOWER = "not slower"
    SLOWER = "slower"
    UNDECIDED = "inconclusive"


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a gate for one figure.

    Attributes:
        name: What was compared.
        outcome: The outcome.
        sentence: The outcome with its figures, and with the next step if it is inconclusive.
        ratio: The multiple of the base, with its 95% interval, if any.
    """

    name: str
    outcome: Outcome
    sentence: str
    ratio: Interval | None = None


def gate(family: Sequence[Contrast], max_slowdown: float) -> list[Passage]:
    """Judge whether figures have become worse by more than is allowed.

    A figure is slower if chance would find that at most once in 40 times in the whole family; it is not
    slower if its 95% interval ends below what is allowed.

    Args:
        family: What is compared.
        max_slowdown: How much a time may grow: 0.05 allows 1.05 times the time, or 1/1.05 of the rate.
    """
    allowed = math.log1p(max_slowdown)
    sides = [None if too_few(contrast) else _sides(contrast, allowed) for contrast in family]
    slower = iter(holm([side[0] for side in sides if side]))
    return [
        _undecided(contrast) if side is None else _passage(contrast, (next(slower), side[1]), max_slowdown)
        for contrast, side in zip(family, sides, strict=True)
    ]


def together(passages: Sequence[Passage]) -> Outcome:
    """Return the outcome for all figures: slower if one is, or inconclusive if one is."""
    outcomes = {passage.outcome for passage in passages}
    for worse in (Outcome.SLOWER, Outcome.UNDECIDED):
        if worse in outcomes:
            return worse
    return Outcome.NOT_SLOWER if passages else Outcome.UNDECIDED


def _sides(contrast: Contrast, allowed: float) -> tuple[float, float]:
    """Return the p-values of being slower than allowed, and of not being so."""
    values, base = logarithms(contrast)
    worse, better = (base, values) if contrast.is_rate else (values, base)
    return larger_p(worse, better, allowed), larger_p(better, worse, -allowed)


def _undecided(contrast: Contrast) -> Passage:
    sentence = f"{Outcome.UNDECIDED}: {too_few(contrast)}"
    return Passage(name=contrast.name, outcome=Outcome.UNDECIDED, sentence=sentence)


def _passage(contrast: Contrast, probabilities: tuple[float, float], max_slowdown: float) -> Passage:
    ratio = ratio_of_values(contrast.values, contrast.base)
    assert ratio is not None
    outcome, reason = Outcome.UNDECIDED, ""
    low, high = (1 / ratio.high, 1 / ratio.low) if contrast.is_rate else (ratio.low, ratio.high)
    depends = contrast.depends
    # Where repetitions depend on each other, the p are too small: the interval, which is wider, decides.
    if probabilities[0] <= _BELIEVED and (not depends or low > 1 + max_slowdown):
        outcome, reason = Outcome.SLOWER, f"; {max_slowdown:.0%} is allowed{depends}"
    elif probabilities[1] <= _BELIEVED and (not depends or high < 1 + max_slowdown):
        outcome, reason = Outcome.NOT_SLOWER, depends
    elif depends:
        reason = f"; {max_slowdown:.0%} is allowed{depends}"
    else:
        fewest = min(len(contrast.values), len(contrast.base))
        needed = max(fewest + 1, repetitions_for(ratio, fewest, max(max_slowdown, 0.01)))
        reason = f"; {max_slowdown:.0%} is allowed: about {needed} {contrast.unit}s of each may decide"
    said = between(contrast.what, ratio) if outcome is Outcome.UNDECIDED else change(contrast.what, ratio)
    sentence = f"{outcome}: {said}, by {contrast.counts}{reason}"
    return Passage(name=contrast.name, outcome=outcome, sentence=sentence, ratio=ratio)
