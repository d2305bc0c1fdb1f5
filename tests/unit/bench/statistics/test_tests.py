"""Tests of differences, and slopes."""

import numpy as np
import pytest
from scipy.stats import ttest_ind

from formicary_bench.statistics.intervals import median_slope
from formicary_bench.statistics.tests import difference, welch_p

ONE, OTHER = [4.1, 3.9, 5.2, 4.4], [6.0, 5.1, 6.6, 7.9, 5.5]


def test_it_is_welchs_test():
    theirs = ttest_ind(ONE, OTHER, equal_var=False)
    assert welch_p(ONE, OTHER) == pytest.approx(theirs.pvalue)
    interval = theirs.confidence_interval()
    ours = difference(ONE, OTHER)
    assert (ours.low, ours.high) == pytest.approx((interval.low, interval.high))


def test_too_few_or_equal_values_have_no_p():
    assert welch_p([1.0], OTHER) is None
    assert welch_p([1.0, 1.0], [1.0, 1.0]) is None
    alone = difference([3.0], [1.0])
    assert (alone.low, alone.mean, alone.high) == (2, 2, 2)


def test_a_slope_needs_three_points_at_different_places():
    assert median_slope(np.array([1.0, 2.0]), np.array([1.0, 2.0])) is None
    assert median_slope(np.ones(5), np.arange(5.0)) is None


@pytest.mark.parametrize("runs", [1000, pytest.param(4000, marks=pytest.mark.full("more runs"))])
def test_slopes_of_noise_hold_zero_in_95_of_100(runs):
    random = np.random.default_rng(5)
    x = np.arange(10.0)
    slopes = [median_slope(x, random.normal(size=10)) for _ in range(runs)]
    held = sum(slope.low <= 0 <= slope.high for slope in slopes) / runs
    # Of ten points, Kendall's distribution has steps: 95.3% is next to 95%. Four standard errors either way.
    assert held == pytest.approx(0.9534, abs=4 * (0.9534 * 0.0466 / runs) ** 0.5)
