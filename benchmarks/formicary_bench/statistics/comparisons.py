"""Whether one set of repetitions is faster than another: a verdict in a sentence, never a bare p.

The verdict is by Welch's t-test on the logarithms, corrected by Holm's method for how many figures are
compared at once. No difference is found only if the interval is narrow enough; otherwise, it is inconclusive.
So it is if repetitions are correlated and the interval, which is then widened, includes 1. Student's test
(the papers') and the rank test are returned as well.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.statistics.intervals import Interval, widening
from formicary_bench.statistics.ratios import between, change, ratio_of_values
from formicary_bench.statistics.stability import is_advice
from formicary_bench.statistics.tests import holm, rank_p, student_p, welch_p

if TYPE_CHECKING:
    from collections.abc import Sequence


_TAILS = (0.975, 0.025)


def hedges_g(values: Sequence[float], base: Sequence[float]) -> Interval | None:
    """Return the difference of two means in standard deviations, with its 95% interval.

    It is Cohen's d with the pooled standard deviation, corrected for its bias with few values; the interval
    is exact for normal values of equal variance, by the noncentral t distribution.

    Returns:
        Positive if `values` are larger; None if either side has fewer than two, or none scatter.
    """
    from scipy.special import gammaln, nctdtrinc

    n, m = len(values), len(base)
    if min(n, m) < 2:  # noqa: PLR2004 - one value has no spread
        return None
    means = [math.fsum(each) / len(each) for each in (values, base)]
    squares = math.fsum(
        (value - mean) ** 2 for each, mean in zip((values, base), means, strict=True) for value in each
    )
    freedom = n + m - 2
    if not squares:
        return None
    unbiased = math.exp(gammaln(freedom / 2) - gammaln((freedom - 1) / 2)) / math.sqrt(freedom / 2)
    d = (means[0] - means[1]) / math.sqrt(squares / freedom)
    root = math.sqrt(n * m / (n + m))  # d times this is Student's t
    low, high = (float(nctdtrinc(freedom, tail, d * root)) / root for tail in _TAILS)
    return Interval(d * unbiased, low * unbiased, high * unbiased)


FEWEST = 5
"""Repetitions of each side below which nothing is decided, as their scatter is unknown."""

TOO_FEW = f"are too few; use at least {FEWEST} of each"

RESOLUTION = 0.05
"""The change that matters: an interval that includes a larger one is inconclusive."""

DEPENDS = "; repetitions are correlated, so the interval is widened: use a quieter machine"

_BELIEVED = 0.05
_LEAST, _MOST = 1e-100, 1e100  # what is beyond is none that was measured, and its squares overflow


class Verdict(StrEnum):
    """The verdict of a comparison."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "no difference found"
    UNDECIDED = "inconclusive"


class Contrast(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of each repetition, on both sides of a comparison.

    Attributes:
        name: What is compared.
        values: The judged figures.
        base: The figures that they are compared with.
        is_rate: Whether more is faster; if not, they are times.
        doubt: Why the two sides cannot be compared, whatever their figures, and what would help, without full
            stop; empty if they can.
        unit: What each figure is from: a repetition, or a run.
    """

    name: str
    values: tuple[float, ...]
    base: tuple[float, ...]
    is_rate: bool = False
    doubt: str = ""
    unit: str = "repetition"

    @property
    def what(self) -> str:
        """What the figures are, in a word."""
        return "rate" if self.is_rate else "time"

    @property
    def counts(self) -> str:
        """The number of figures on each side, in words."""
        many = len(self.values)
        return f"{many} {self.unit}{'' if many == 1 else 's'} against {len(self.base)}"

    @property
    def depends(self) -> str:
        """That repetitions are correlated, as the end of a sentence; empty if that is not seen."""
        values, base = logarithms(self)
        return DEPENDS if widening(values, base) > 1 else ""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a comparison.

    Attributes:
        name: What was compared.
        verdict: The verdict.
        sentence: The verdict with its figures, and with the next step if it is inconclusive.
        ratio: The multiple of the base, with its 95% interval (not corrected), if any.
        effect: Hedges' g with its 95% interval: the difference in standard deviations.
        welch_p: The p of Welch's test on the logarithms, by itself.
        corrected_p: The same, corrected for the family; it decides.
        student_p: The p of Student's test on the figures themselves.
        rank_p: The p of the test by ranks.
    """

    name: str
    verdict: Verdict
    sentence: str
    ratio: Interval | None = None
    effect: Interval | None = None
    welch_p: float | None = None
    corrected_p: float | None = None
    student_p: float | None = None
    rank_p: float | None = None

    @property
    def is_told(self) -> bool:
        """Whether it has a ratio, and is not inconclusive."""
        return self.ratio is not None and self.verdict is not Verdict.UNDECIDED


def compare(family: Sequence[Contrast], resolution: float = RESOLUTION) -> list[Comparison]:
    """Judge a family of comparisons.

    Args:
        family: All comparisons.
        resolution: The relative change that matters, such as 0.05.

    Returns:
        Their results, in the same order.
    """
    ratios = [_ratio(contrast) for contrast in family]
    bare = [_probability(contrast) if ratio else None for contrast, ratio in zip(family, ratios, strict=True)]
    known = [p for p in bare if p is not None]
    corrected = iter(holm(known))
    all_corrected = [None if p is None else next(corrected) for p in bare]
    return [
        _judge(contrast, ratio, (p, many_p, len(known)), resolution)
        for contrast, ratio, p, many_p in zip(family, ratios, bare, all_corrected, strict=True)
    ]


def too_few(contrast: Contrast) -> str | None:
    """Return why a contrast decides nothing, whatever its figures; None if it may."""
    if contrast.doubt:
        return contrast.doubt
    if min(len(contrast.values), len(contrast.base)) < FEWEST:
        return f"{contrast.counts} {TOO_FEW}"
    if not all(_LEAST < value < _MOST for value in (*contrast.values, *contrast.base)):
        return f"a {contrast.what} that is not positive and finite has no ratio; check the raw values"
    return None


def logarithms(contrast: Contrast) -> tuple[list[float], list[float]]:
    """Return both sides' logarithms, which tests use; the figures are positive."""
    return [math.log(value) for value in contrast.values], [math.log(value) for value in contrast.base]


def repetitions_for(ratio: Interval, repetitions: int, resolution: float) -> int:
    """Return about how many repetitions of each side narrow the interval to the resolution."""
    half = math.log(ratio.high / ratio.low) / 2
    return max(FEWEST, math.ceil(repetitions * (half / math.log1p(resolution)) ** 2))


def _ratio(contrast: Contrast) -> Interval | None:
    return None if too_few(contrast) else ratio_of_values(contrast.values, contrast.base)


def _probability(contrast: Contrast) -> float:
    """Return Welch's p; without scatter, any difference is certain."""
    if len({*contrast.values, *contrast.base}) == 1:
        return 1.0
    p = welch_p(*logarithms(contrast))
    return 0.0 if p is None else p


def _judge(
    contrast: Contrast,
    ratio: Interval | None,
    probabilities: tuple[float | None, float | None, int],
    resolution: float,
) -> Comparison:
    bare, corrected, family = probabilities
    if ratio is None or bare is None or corrected is None:
        sentence = f"{Verdict.UNDECIDED}: {too_few(contrast)}"
        return Comparison(name=contrast.name, verdict=Verdict.UNDECIDED, sentence=sentence)
    verdict = _verdict(contrast, ratio, corrected, resolution)
    if bare <= _BELIEVED < corrected:
        verdict = Verdict.UNDECIDED
        reason = f"; among {family} comparisons this may be chance: repeat it more often"
    else:
        reason = _reason(contrast, ratio, verdict, family, resolution)
    said = between(contrast.what, ratio) if verdict is Verdict.UNDECIDED else change(contrast.what, ratio)
    return Comparison(
        name=contrast.name,
        verdict=verdict,
        sentence=f"{verdict}: {said}, by {contrast.counts}{reason}",
        ratio=ratio,
        effect=hedges_g(contrast.values, contrast.base),
        welch_p=bare,
        corrected_p=corrected,
        student_p=student_p(contrast.values, contrast.base),
        rank_p=rank_p(contrast.values, contrast.base),
    )


def _verdict(contrast: Contrast, ratio: Interval, corrected: float, resolution: float) -> Verdict:
    if corrected <= _BELIEVED and not ratio.low <= 1 <= ratio.high:
        return Verdict.FASTER if (ratio.mean > 1) == contrast.is_rate else Verdict.SLOWER
    is_narrow = max(ratio.high, 1 / ratio.low) <= 1 + resolution
    return Verdict.SAME if is_narrow else Verdict.UNDECIDED


def _reason(contrast: Contrast, ratio: Interval, verdict: Verdict, family: int, resolution: float) -> str:
    """Return the end of a verdict's sentence."""
    depends = contrast.depends
    if verdict is Verdict.SAME:
        return f"; changes of more than {resolution:.0%} are ruled out{depends}"
    if verdict is Verdict.UNDECIDED and depends:
        return depends
    if verdict is Verdict.UNDECIDED:
        fewest = min(len(contrast.values), len(contrast.base))
        needed = max(fewest + 1, repetitions_for(ratio, fewest, resolution))
        if not is_advice(needed):
            return "; too much scatter for more repetitions to help: use a quieter machine"
        return f"; about {needed} {contrast.unit}s of each would show a change of {resolution:.0%}"
    return (f"; corrected for {family} comparisons" if family > 1 else "") + depends
