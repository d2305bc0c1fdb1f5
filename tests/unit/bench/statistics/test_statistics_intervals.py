import math

import numpy as np
import pytest
from scipy.signal import lfilter

from formicary_bench.statistics.intervals import (
    BATCHES,
    Interval,
    batch_means,
    batch_rates,
    mean_interval,
    ratio_interval,
    student_t,
)
from formicary_bench.statistics.percentiles import percentiles, tail_probabilities
from formicary_bench.statistics.ratios import ratio

# Cushny and Peebles 1905, as in Student 1908: hours of sleep gained, drug 2 over drug 1.
SLEEP = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]


def covered(intervals, truth):
    return sum(interval.low <= truth <= interval.high for interval in intervals) / len(intervals)


@pytest.mark.parametrize(("degrees", "quantile"), [(1, 12.706), (2, 4.303), (9, 2.262), (19, 2.093)])
def test_quantiles_are_those_of_the_printed_table(degrees, quantile):
    assert student_t(degrees) == pytest.approx(quantile, abs=5e-4)


def test_interval_of_students_own_example():
    interval = mean_interval(SLEEP)
    assert interval.mean == pytest.approx(1.58)
    # What R's t.test prints for the paired data.
    assert (interval.low, interval.high) == pytest.approx((0.7001142, 2.4598858), abs=1e-7)


@pytest.mark.parametrize("values", [[], [3.0]])
def test_too_few_values_have_no_interval(values):
    assert mean_interval(values) is None


def test_equal_values_have_an_interval_without_width():
    assert mean_interval([2.0, 2.0, 2.0]) == Interval(2.0, 2.0, 2.0)


@pytest.mark.parametrize("n", [2, 3, 10])
def test_interval_over_repetitions_covers_the_mean_in_95_of_100(n):
    random = np.random.default_rng(n)
    samples = random.normal(7, 2, (6000, n))
    assert 0.94 <= covered([mean_interval(list(sample)) for sample in samples], 7) <= 0.96


def test_ratio_of_equal_batches_is_the_interval_of_their_means():
    sums = [10.0, 14.0, 9.0, 11.0]
    expected = mean_interval([value / 5 for value in sums])
    found = ratio_interval(sums, [5, 5, 5, 5])
    assert (found.mean, found.low, found.high) == pytest.approx((expected.mean, expected.low, expected.high))


def test_batches_of_nothing_are_left_out():
    assert ratio_interval([4.0, 0.0, 8.0], [2, 0, 2]) == ratio_interval([4.0, 8.0], [2, 2])
    assert ratio_interval([4.0, 0.0], [2, 0]) is None


def test_ratio_of_unequal_batches_covers_in_95_of_100():
    random = np.random.default_rng(5)
    found = []
    for _ in range(4000):
        seconds = random.uniform(0.5, 1.5, 20)
        agents = seconds * random.normal(100, 8, 20)
        found.append(ratio_interval(list(agents), list(seconds)))
    assert 0.94 <= covered(found, 100) <= 0.96


def correlated(runs, n, phi, seed):
    """Stationary series in which each value remembers part of the one before."""
    random = np.random.default_rng(seed)
    first = random.normal(0, 1 / math.sqrt(1 - phi**2), (runs, 1))
    noise = np.concatenate([first, random.normal(size=(runs, n - 1))], axis=1)
    return lfilter([1], [1, -phi], noise, axis=1)


@pytest.mark.parametrize(
    ("runs", "near"), [(1000, 0.02), pytest.param(3000, 0.01, marks=pytest.mark.full("more runs"))]
)
def test_batch_means_cover_where_a_plain_interval_does_not(runs, near):
    series = 5000 + 100 * correlated(runs, 6000, 0.8, seed=11)
    times = np.arange(6000)
    held = covered([batch_means([(times, values)], 0, 5999) for values in series], 5000)
    assert held == pytest.approx(0.95, abs=near)
    assert covered([mean_interval(values.tolist()) for values in series[:200]], 5000) < 0.6


def test_batch_means_weigh_by_count_not_by_batch():
    times = np.array([0, 1, 2, 3, 1000])
    values = np.array([1, 1, 1, 1, 6])
    assert batch_means([(times, values)], 0, 1000).mean == pytest.approx(2.0)
    parts = [(times[:2], values[:2]), (times[2:], values[2:])]
    assert batch_means(parts, 0, 1000) == batch_means([(times, values)], 0, 1000)


def test_values_at_one_instant_have_no_interval():
    assert batch_means([(np.array([5, 5, 5]), np.array([1, 2, 3]))], 5, 5) is None
    assert batch_means([], 0, 0) is None


def test_batch_rates_cover_a_poisson_rate_in_95_of_100():
    random = np.random.default_rng(3)
    found = []
    for _ in range(3000):
        events = np.sort(random.integers(1, 10**9, random.poisson(2000)))
        found.append(batch_rates([events[:700], events[700:]], 0, 10**9))
    assert 0.94 <= covered(found, 2000) <= 0.96


def test_a_rate_needs_a_window_and_events():
    events = np.arange(1, 1000)
    assert batch_rates([events], 1000, 1000) is None
    assert batch_rates([events[: BATCHES - 1]], 0, 1000) is None


def test_ratio_of_two_figures():
    found = ratio(Interval(30, 27, 33), Interval(40, 36, 44))
    assert found.mean == 0.75
    assert found.half_width == pytest.approx(0.75 * math.hypot(0.1, 0.1))
    assert ratio(Interval(1, 1, 1), Interval(0, 0, 0)) is None


def test_ratio_of_measured_means_covers():
    random = np.random.default_rng(8)
    found = [
        ratio(mean_interval(list(random.normal(50, 2, 30))), mean_interval(list(random.normal(80, 3, 30))))
        for _ in range(4000)
    ]
    assert 0.94 <= covered(found, 50 / 80) <= 0.97


def test_percentiles_lie_between_neighbours():
    assert percentiles(np.array([4, 1, 3, 2]), [0, 0.5, 1]) == [1, 2.5, 4]


def test_percentiles_of_an_exponential_distribution():
    values = np.random.default_rng(1).exponential(1e6, 400_000).astype(np.int64)
    for p, found in zip((0.5, 0.9, 0.99), percentiles(values, (0.5, 0.9, 0.99)), strict=True):
        assert found == pytest.approx(-1e6 * math.log(1 - p), rel=0.02)


def test_tail_ends_where_the_values_do():
    few, many = tail_probabilities(100), tail_probabilities(1_000_000)
    assert few[0] == 0
    assert few[-1] == pytest.approx(0.99)
    assert many[-1] == pytest.approx(1 - 1e-6)
    assert 0.5 in few
    assert few == sorted(set(few))
    assert len(many) < 150
