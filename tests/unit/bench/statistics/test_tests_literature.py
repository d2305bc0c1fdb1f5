"""Each method against an example that was published with its result; which one is said at each."""

import numpy as np
import pytest

from formicary_bench.statistics.intervals import median_slope
from formicary_bench.statistics.percentiles import percentiles
from formicary_bench.statistics.stability import trend_p
from formicary_bench.statistics.tests import holm, rank_p, student_p, welch_p
from formicary_bench.statistics.warmup import detect

# Hollander and Wolfe, Nonparametric Statistical Methods, 1973, p. 69: permeability of a membrane at term and
# at 12 to 26 weeks. The documentation of R's wilcox.test has W = 35, and 0.1272 for one side.
AT_TERM = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
BEFORE = [1.15, 0.88, 0.90, 0.74, 1.21]

# The same, p. 185: colour and quality of canned tuna. R's documentation of cor.test: T = 26, p 0.1194.
COLOUR = [44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1]
QUALITY = [2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8]


def test_ranks_of_mann_and_whitney():
    assert rank_p(AT_TERM, BEFORE) == pytest.approx(2 * 0.1272, abs=1e-4)


def test_kendalls_test_of_a_trend():
    in_order = [quality for _, quality in sorted(zip(COLOUR, QUALITY, strict=True))]
    assert trend_p(in_order) == pytest.approx(0.1194, abs=5e-5)
    assert trend_p(in_order[::-1]) == pytest.approx(0.1194, abs=5e-5)


def test_students_and_welchs_tests():
    # The first example of the encyclopaedia Wikipedia for Welch's test, with the p that it gives for both.
    first = [27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4]
    other = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4]
    assert (student_p(first, other), welch_p(first, other)) == pytest.approx((0.021, 0.021), abs=5e-4)


def test_percentiles_between_two_values():
    # The encyclopaedia Wikipedia has 29 for the 40th percentile of these, by the way that spreadsheets take.
    assert percentiles(np.array([15, 20, 35, 40, 50]), [0.4]) == pytest.approx([29])


def test_holms_correction_stops_at_the_first_that_is_not_believed():
    # Holm 1979, section 3: step by step, p(i) against 0.05 / (n - i + 1); no further than the first failure.
    random = np.random.default_rng(51)
    for _ in range(200):
        bare = (random.random(6) ** 3).tolist()
        believed, going = set(), True
        for step, place in enumerate(sorted(range(6), key=bare.__getitem__)):
            going = going and bare[place] <= 0.05 / (6 - step)
            believed |= {place} if going else set()
        assert {place for place, p in enumerate(holm(bare)) if p <= 0.05} == believed


def test_warm_up_by_the_formula_of_white_cobb_and_spratt():
    # MSER(d) = sum of (y - mean)^2 after d, by the square of how many these are; the cut is at the least.
    random = np.random.default_rng(52)
    series = random.normal(100, 1, 600) + 30 * np.exp(-np.arange(600) / 40)
    batches = np.median(series.reshape(-1, 5), axis=1)
    scores = [np.sum((batches[d:] - batches[d:].mean()) ** 2) / len(batches[d:]) ** 2 for d in range(115)]
    assert detect(series).index == 5 * int(np.argmin(scores)) > 0


def test_a_slope_as_sen_has_it():
    # Sen, Journal of the American Statistical Association 63, 1968, section 6: slope 4, from 26/7 to 35/8.
    found = median_slope(np.array([1.0, 2, 3, 4, 10, 12, 18]), np.array([9.0, 15, 19, 20, 45, 55, 78]))
    assert (found.mean, found.low, found.high) == pytest.approx((4, 26 / 7, 35 / 8))
