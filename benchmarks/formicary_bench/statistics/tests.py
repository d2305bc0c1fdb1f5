"""Tests of whether two figures differ: Student's t-test, Welch's, and a rank test."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from formicary_bench.statistics.intervals import Interval, student_t

if TYPE_CHECKING:
    from collections.abc import Sequence


def difference(values: Sequence[float], base: Sequence[float]) -> Interval:
    """Return the difference of two means of independent values, with Welch's 95% interval.

    The interval has no width where neither can have one: with one value on either side.
    """
    means = [math.fsum(each) / len(each) for each in (values, base)]
    mean = means[0] - means[1]
    known = _welch(values, base)
    half = student_t(known[1]) * known[0] if known else 0.0
    return Interval(mean, mean - half, mean + half)


def welch_p(values: Sequence[float], base: Sequence[float]) -> float | None:
    """Return the probability of a difference at least this large if there is really none.

    Returns:
        The two-sided p of Welch's t-test; None where either side has fewer than two values, or all values
        of both are equal.
    """
    return _two_sided(difference(values, base).mean, _welch(values, base))


def larger_p(values: Sequence[float], base: Sequence[float], margin: float) -> float:
    """Return the one-sided p of Welch's test for a difference of means above a margin.

    Returns:
        The chance of such values, or larger ones, where the true difference is the margin; where neither side
        scatters, 0 or 1.
    """
    from scipy.special import stdtr

    over = difference(values, base).mean - margin
    known = _welch(values, base)
    if known is None or not known[0]:
        return 0.0 if over > 0 else 1.0
    return float(stdtr(known[1], -over / known[0]))


def student_p(values: Sequence[float], base: Sequence[float]) -> float | None:
    """Return the p of Student's t-test, which assumes equal variances: the papers' test."""
    return _two_sided(difference(values, base).mean, _student(values, base))


def rank_p(values: Sequence[float], base: Sequence[float]) -> float | None:
    """Return the two-sided p of the test of Mann, Whitney and Wilcoxon, which considers only the order.

    Returns:
        The exact p with few values and no ties; None if a side has no value.
    """
    if not values or not base:
        return None
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(values, base, alternative="two-sided").pvalue)


def holm(probabilities: Sequence[float]) -> list[float]:
    """Correct a family of p for their number, by Holm's method.

    If all corrected p of 0.05 or below are accepted, the chance of a single wrong one is at most 5%, however
    many there are and however they depend on each other.

    Returns:
        The corrected p in the order of `probabilities`, at most 1.
    """
    corrected = [0.0] * len(probabilities)
    highest = 0.0
    for place, i in enumerate(sorted(range(len(probabilities)), key=probabilities.__getitem__)):
        highest = max(highest, min(1.0, probabilities[i] * (len(probabilities) - place)))
        corrected[i] = highest
    return corrected


def _two_sided(mean: float, known: tuple[float, float] | None) -> float | None:
    """Return the p of a difference from its standard error and degrees of freedom."""
    from scipy.special import stdtr

    if known is None or not known[0]:
        return None
    return float(2 * stdtr(known[1], -abs(mean) / known[0]))


def _welch(values: Sequence[float], base: Sequence[float]) -> tuple[float, float] | None:
    """Return the standard error of a difference of means, and its degrees of freedom."""
    if min(len(values), len(base)) < 2:  # noqa: PLR2004 - one value has no spread
        return None
    parts = [variance(each) / len(each) for each in (values, base)]
    total = sum(parts)
    if not total:
        return 0.0, 1.0
    freedom = sum(part**2 / (len(each) - 1) for part, each in zip(parts, (values, base), strict=True))
    return math.sqrt(total), total**2 / freedom


def _student(values: Sequence[float], base: Sequence[float]) -> tuple[float, float] | None:
    """Return the same as `_welch`, with one variance for both."""
    n, m = len(values), len(base)
    if min(n, m) < 2:  # noqa: PLR2004 - one value has no spread
        return None
    pooled = ((n - 1) * variance(values) + (m - 1) * variance(base)) / (n + m - 2)
    return math.sqrt(pooled * (1 / n + 1 / m)), n + m - 2


def variance(values: Sequence[float]) -> float:
    """Return the sample variance of two or more values."""
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
