"""What repetitions typically give: their estimate, an interval that is never below zero, and modes."""

import numpy as np
import pytest

from formicary_bench.statistics.estimates import Estimate, mean_estimate, modes, typical


def test_the_estimate_is_that_of_the_mean_with_its_interval():
    found = typical([4.0, 5.0, 7.0])
    known = mean_estimate([4.0, 5.0, 7.0])
    assert (found.value, found.bounds, found.values) == (known.mean, known.ci95, (4.0, 5.0, 7.0))


def test_an_estimate_that_is_known_is_taken_as_it_is():
    assert typical([4.0, 5.0, 7.0], Estimate(4.5, (4.2, 4.9))).value == 4.5
    assert typical([], Estimate(4.5)).bounds is None


def test_one_repetition_or_two_have_no_interval_and_none_has_no_figure():
    assert typical([3.0]).bounds is typical([3.0, 4.0]).bounds is None
    assert typical([]) is None


def test_no_interval_of_what_is_above_zero_reaches_below_it():
    low, high = typical([1.0, 9.0, 1.0]).bounds
    assert (low, high > 5.0) == (0.0, True)


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
