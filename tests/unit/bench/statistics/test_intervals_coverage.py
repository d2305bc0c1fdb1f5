"""How often the 95% intervals hold the truth, for the ways in which figures of repetitions scatter."""

import numpy as np
import pytest
from scipy.special import stdtrit

from formicary_bench.statistics.intervals import mean_interval
from formicary_bench.statistics.percentiles import bounds, widened
from formicary_bench.statistics.ratios import ratio_of_values

RUNS = 20_000

# How figures scatter: made from a generator and a shape; their true mean and median.
SCATTERS = {
    "normal": (lambda random, shape: random.normal(100, 5, shape), 100.0, 100.0),
    "lognormal": (lambda random, shape: 100 * random.lognormal(0, 0.1, shape), 100 * np.exp(0.005), 100.0),
    "heavy tails": (lambda random, shape: 1000 + 5 * random.standard_t(3, shape), 1000.0, 1000.0),
    "skewed": (lambda random, shape: 100 * random.lognormal(0, 0.3, shape), 100 * np.exp(0.045), 100.0),
    "rare": (
        lambda random, shape: random.normal(100, 2, shape) * np.where(random.random(shape) < 0.1, 10, 1),
        190.0,
        100.0,
    ),
    "hopeless": (lambda random, shape: 100 * random.lognormal(0, 1, shape), 100 * np.exp(0.5), 100.0),
}
SIZES = (5, 10, 30)


def mean_bounds(values):
    """Do for each row what `mean_interval` does for one."""
    n = values.shape[1]
    half = stdtrit(n - 1, 0.975) * values.std(axis=1, ddof=1) / n**0.5
    return values.mean(axis=1) - half, values.mean(axis=1) + half


def ratio_bounds(values, base):
    """Do for each row what `ratio_of_values` does for one."""
    ours, theirs = np.log(values), np.log(base)
    parts = [one.var(axis=1, ddof=1) / one.shape[1] for one in (ours, theirs)]
    counts = [one.shape[1] - 1 for one in (ours, theirs)]
    freedom = sum(parts) ** 2 / sum(part**2 / count for part, count in zip(parts, counts, strict=True))
    middle, half = ours.mean(axis=1) - theirs.mean(axis=1), stdtrit(freedom, 0.975) * np.sqrt(sum(parts))
    return np.exp(middle - half), np.exp(middle + half)


def held(found, truth):
    low, high = found
    return np.mean((low <= truth) & (truth <= high))


def test_what_is_counted_here_is_what_reports_have():
    random = np.random.default_rng(1)
    values, base = random.lognormal(0, 0.1, (3, 7)), random.lognormal(0, 0.2, (3, 5))
    for row, other, *ours in zip(
        values, base, *mean_bounds(values), *ratio_bounds(values, base), strict=True
    ):
        one, ratio = mean_interval(row.tolist()), ratio_of_values(row.tolist(), other.tolist())
        assert (one.low, one.high, ratio.low, ratio.high) == pytest.approx(tuple(ours))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("scatter", ["normal", "lognormal", "heavy tails"])
def test_means(scatter, n):
    draw, mean, _ = SCATTERS[scatter]
    part = held(mean_bounds(draw(np.random.default_rng(61), (RUNS, n))), mean)
    assert 0.94 <= part <= 0.965 if scatter == "heavy tails" else 0.94 <= part <= 0.96


@pytest.mark.parametrize(
    ("scatter", "least", "most"), [("skewed", 0.93, 0.95), ("hopeless", 0.80, 0.89), ("rare", 0.39, 0.94)]
)
def test_means_of_skewed_figures_are_held_less_often_as_the_documentation_says(scatter, least, most):
    draw, mean, _ = SCATTERS[scatter]
    parts = [held(mean_bounds(draw(np.random.default_rng(62), (RUNS, n))), mean) for n in SIZES]
    assert least <= parts[0] < parts[-1] <= most


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("scatter", ["normal", "lognormal", "heavy tails", "skewed", "hopeless"])
def test_ratios(scatter, n):
    # By their logarithms, so that skewed figures do not matter.
    draw, *_ = SCATTERS[scatter]
    random = np.random.default_rng(63)
    part = held(ratio_bounds(draw(random, (RUNS, n)), draw(random, (RUNS, 2 * n))), 1.0)
    assert 0.94 <= part <= 0.965 if scatter == "heavy tails" else 0.94 <= part <= 0.96


@pytest.mark.parametrize("n", SIZES[:2])
@pytest.mark.parametrize("scatter", ["lognormal", "heavy tails"])
def test_medians_by_the_bootstrap(scatter, n):
    # The median of few values has few places to be at: coverage goes in steps, from 94% to 97%.
    draw, _, median = SCATTERS[scatter]
    part = held(bounds(draw(np.random.default_rng(64), (1000, n)), np.median, 1, widened(n)), median)
    noise = 4 * (0.05 * 0.95 / 1000) ** 0.5
    assert 0.94 - noise <= part <= 0.97 + noise
