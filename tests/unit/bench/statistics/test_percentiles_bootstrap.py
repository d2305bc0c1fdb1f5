"""Bootstrap intervals: a published example, the same by brute force, and how often they hold the truth."""

import numpy as np
import pytest
from hypothesis import settings

from formicary_bench.statistics.percentiles import bounds, interval, percentile_intervals, widened

# Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 14: the test A of spatial perception
# of 26 children. Its variance is 171.5, with the 90% interval 115.8 to 259.6 by BCa.
SPATIAL = np.array(
    [48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41.0]
)


def median_interval(values, seed=1):
    return interval(np.asarray(values), np.median, seed, widened(len(values)))


def test_the_published_variance_of_spatial_perception():
    found = [interval(SPATIAL, np.var, seed, 0.90) for seed in range(10)]
    assert {round(one.mean, 1) for one in found} == {171.5}
    means = np.mean([(one.low, one.high) for one in found], axis=0)
    assert means == pytest.approx((115.8, 259.6), rel=0.02)  # one of 2000 draws may be off by as much


def test_the_interval_of_a_median_holds_it_in_95_of_100():
    many = min(4000, 10 * settings.default.max_examples)  # 1000 in the first tier
    runs = np.random.default_rng(21).lognormal(0, 0.3, (many, 20))
    low, high = bounds(runs, np.median, 1, widened(20))
    assert 0.94 <= np.mean((low <= 1) & (high >= 1)) <= 0.96
    one = median_interval(runs[0])
    assert (one.low, one.high) == pytest.approx((low[0], high[0]), rel=0.02)


def test_few_values_get_a_wider_level():
    assert widened(5) > widened(10) > widened(100) > 0.95
    assert widened(100_000) == pytest.approx(0.95, abs=1e-4)


def test_the_same_seed_gives_the_same_and_another_nearly():
    values = np.random.default_rng(1).lognormal(0, 0.3, 20)
    assert median_interval(values, 3) == median_interval(values, 3)
    assert median_interval(values, 3).half_width == pytest.approx(
        median_interval(values, 4).half_width, rel=0.2
    )


def test_too_few_have_none_and_equal_ones_no_width():
    assert median_interval([1.0, 2.0, 3.0, 4.0]) is None
    assert percentile_interval([np.arange(1, 9)] * 4, 0.5) is None
    found = median_interval([2.0] * 6)
    assert (found.low, found.mean, found.high) == (2, 2, 2)


def test_where_leaving_one_out_changes_nothing_there_is_an_interval_still():
    found = median_interval([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 9.0])
    assert (found.low, found.mean) == (1, 1)
    assert np.isfinite(found.high)


def percentile_interval(data, probability, seed=1):
    known = {probability: float(np.quantile(np.concatenate(data), probability))}
    found = percentile_intervals(data, known, seed)
    return found and found[0]


def repetitions(random, many=12, each=400, scatter=0.05):
    """Make round trips whose repetitions differ by more than chance."""
    return [
        (random.lognormal(np.log(1e5), 0.3, each) * random.lognormal(0, scatter)).astype(np.int64)
        for _ in range(many)
    ]


@pytest.mark.parametrize("probability", [0.5, 0.9, 0.99])
def test_whole_repetitions_are_drawn(probability):
    data = repetitions(np.random.default_rng(22))
    found = percentile_interval(data, probability, seed=5)
    assert found.mean == np.quantile(np.concatenate(data), probability)

    def slowly(drawn, axis=-1):
        return np.apply_along_axis(
            lambda row: np.quantile(np.concatenate([data[i] for i in row]), probability), axis, drawn
        )

    brute = interval(np.arange(len(data)), slowly, 5, widened(len(data)))
    assert (found.low, found.high) == pytest.approx((brute.low, brute.high), rel=0.003)
    # Drawn one by one, as if they were independent, the round trips would look several times more certain.
    pooled = np.concatenate(data)
    alone = [
        np.quantile(np.random.default_rng(i).choice(pooled, len(pooled)), probability) for i in range(200)
    ]
    if probability < 0.99:
        assert found.half_width > 2 * 1.96 * np.std(alone)


def test_times_of_nothing_have_an_interval():
    found = percentile_interval([np.array([0, 0, 1])] * 6, 0.5)
    assert (found.low, found.mean) == (0, 0)


def test_the_interval_of_a_percentile_holds_it():
    random = np.random.default_rng(23)
    truth = np.exp(np.log(1e5) + 1.2815516 * np.hypot(0.3, 0.05))  # the 90th of such a lognormal mixture
    found = [percentile_interval(repetitions(random, 25, 200), 0.9, seed) for seed in range(100)]
    held = np.mean([one.low <= truth <= one.high for one in found])
    assert held == pytest.approx(0.95, abs=4 * (0.95 * 0.05 / 100) ** 0.5)
