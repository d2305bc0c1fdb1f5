"""The typical repetition: a median that was measured, an interval that fits a logarithmic axis, and modes."""

import numpy as np
import pytest

from formicary_bench.statistics.typical import modes, skewed, typical


def test_the_median_with_an_interval_that_is_longer_upwards():
    found = typical([4.0, 5.0, 7.0])
    assert (found.value, found.values) == (5.0, (4.0, 5.0, 7.0))
    low, high = found.bounds
    assert 0 < low < 5.0 < high
    assert high - 5.0 > 5.0 - low


@pytest.mark.parametrize("values", [[3.0], [3.0, 4.0], [0.0, 1.0, 2.0], [-1.0, 1.0, 2.0]])
def test_what_has_no_interval_has_none(values):
    assert typical(values).bounds is None
    assert typical([]) is None


def test_the_interval_has_the_median_in_it_whatever_was_measured():
    low, high = typical([1.0] * 9 + [1000.0] * 3).bounds
    assert low <= 1.0 <= high


def test_two_modes_are_said_and_not_pooled():
    found = typical([5.0, 13.0, 5.1, 12.9, 5.05, 13.2])
    assert found.modes == pytest.approx((5.05, 13.0), rel=0.01)


@pytest.mark.parametrize(
    "values",
    [
        [5.0, 13.0, 5.1],
        [5.0, 5.01, 5.02, 5.2, 5.21, 5.22],
        [5.0, 6.0, 7.0, 8.0, 9.0, 10.0],
        [5.0] * 5 + [50.0],
    ],
)
def test_few_values_small_gaps_and_single_ones_are_no_modes(values):
    assert modes(values) == ()


def test_scatter_is_seldom_taken_for_modes():
    random = np.random.default_rng(5)
    found = sum(bool(modes(list(np.exp(random.normal(0, 0.3, 6))))) for _ in range(500))
    assert found <= 15


def test_a_symmetric_interval_becomes_one_of_factors_above_zero():
    low, high = skewed(10.0, (-5.0, 25.0))
    assert 0 < low < 10 < high
    assert 10 / low == pytest.approx(high / 10)
    assert skewed(0.0, (-1.0, 1.0)) == (-1.0, 1.0)
