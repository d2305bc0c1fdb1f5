"""Warm-up, stability, and the papers' way of making intervals."""

import numpy as np
import pytest

from formicary_bench.statistics.intervals import mean_interval, papers_interval
from formicary_bench.statistics.stability import FEWEST, Stability, assess, drift, repetitions_for
from formicary_bench.statistics.warmup import PAPERS, across, detect, fixed

RUNS = 300


def noise(random, n=1500, late=0.004):
    """Make round trips: skewed, some of them late."""
    values = random.lognormal(0, 0.1, n)
    return values + (random.random(n) < late) * random.exponential(12, n)


def correlated(random, n=1500, hangs=0.7):
    values = random.normal(size=n)
    for i in range(1, n):
        values[i] += hangs * values[i - 1]
    return 20 + values


# Warm-up


@pytest.mark.parametrize("make", [noise, correlated])
def test_what_is_settled_from_the_start_loses_next_to_nothing(make):
    random = np.random.default_rng(31)
    found = [detect(make(random)).index for _ in range(RUNS)]
    assert found.count(None) <= 0.03 * RUNS
    assert np.quantile([index for index in found if index is not None], 0.9) <= 60


@pytest.mark.parametrize("length", [50, 100])
def test_a_slow_beginning_is_found(length):
    random = np.random.default_rng(32)
    decay = 1 + np.exp(-np.arange(1500) / length)
    found = [detect(noise(random) * decay).index for _ in range(RUNS)]
    settled = [index for index in found if index is not None]
    assert len(settled) >= 0.97 * RUNS
    # What is left in at the cut is at most a tenth of what there was, and not much is thrown away.
    assert np.quantile(settled, 0.05) >= np.log(10) * length - 15
    assert np.quantile(settled, 0.95) <= 6 * length


def test_a_step_is_found_where_it_is():
    random = np.random.default_rng(33)
    step = np.where(np.arange(1500) < 300, 1.5, 1.0)
    found = [detect(noise(random) * step).index for _ in range(100)]
    assert 300 <= min(found) <= np.median(found) <= 315
    assert max(found) <= 450


@pytest.mark.parametrize("many", [100, 135, 190])
def test_a_step_in_a_short_series_is_found_though_little_is_left_after_it(many):
    random = np.random.default_rng(36)
    begin = many // 3
    step = np.where(np.arange(many) < begin, 9.0, 1.0)
    found = [detect(random.normal(1, 0.01, many) * step).index for _ in range(50)]
    settled = [index for index in found if index is not None]
    assert len(settled) >= 35  # of others too little is left to be sure
    assert min(settled) >= begin - begin % 5


@pytest.mark.parametrize("change", [2.0, 1.2, 0.8])
def test_what_grows_or_falls_all_the_time_never_settles(change):
    random = np.random.default_rng(34)
    found = [detect(noise(random) * np.linspace(1, change, 1500)) for _ in range(50)]
    assert [one.index for one in found] == [None] * 50
    assert all("it does not settle" in one.sentence for one in found)


def test_a_step_near_the_end_never_settles():
    random = np.random.default_rng(35)
    late = np.where(np.arange(1500) < 1200, 2.0, 1.0)
    assert "use 3000 or more" in detect(noise(random) * late).sentence


def test_too_few_values_are_said_and_constant_ones_are_settled():
    assert "99 values are too few" in detect(np.ones(99)).sentence
    assert detect(np.ones(100)).index == 0


def test_pairs_make_one_series_in_which_a_late_one_does_not_show():
    random = np.random.default_rng(36)
    pairs = np.stack([noise(random, late=0.05) for _ in range(30)]) * (1 + np.exp(-np.arange(1500) / 100))
    assert across(pairs).shape == (1500,)
    assert across(pairs)[500:].max() < 1.2
    assert 200 <= detect(across(pairs)).index <= 700


def test_the_papers_number_can_be_taken_instead():
    assert fixed().index == PAPERS == 500
    assert fixed(20).index == 20


# Stability


def test_a_steady_figure_is_stable():
    found = assess([100.0, 100.1, 99.9, 100.05, 99.95, 100.0])
    assert found.stability is Stability.STABLE
    assert found.sentence == "stable: the mean of 6 repetitions is known to 0.1%"


def test_a_wide_one_says_how_many_would_do():
    values = np.random.default_rng(41).normal(100, 4, 10)
    found = assess(values)
    assert found.stability is Stability.WIDE
    assert found.sentence.endswith(f"; about {found.repetitions} would make it 1%")
    # Known scatter of 4%: (1.96 * 4)^2 is 61; ten values know their scatter to a factor of 1.8 at worst.
    assert 61 / 1.8**2 < found.repetitions < 61 * 1.8**2


def test_as_many_as_it_says_do():
    random = np.random.default_rng(42)
    widths = []
    for _ in range(200):
        first = mean_interval(random.normal(100, 2, 40))
        many = repetitions_for(first, 40, 0.01)
        after = mean_interval(random.normal(100, 2, many))
        widths.append(after.half_width / after.mean)
    assert np.median(widths) == pytest.approx(0.01, rel=0.05)


def test_the_number_is_the_least_that_does():
    interval = mean_interval([95.0, 100.0, 105.0, 98.0, 102.0])
    exact = repetitions_for(interval, 5, interval.half_width / interval.mean)
    assert exact == 5
    assert repetitions_for(mean_interval([1.0, 1.0, 1.0]), 3, 0.01) == 2
    assert repetitions_for(mean_interval([1.0, 1e6, 1.0]), 3, 1e-6) is None


def test_a_drift_is_said_before_all_else():
    values = [100 + i + (i % 2) for i in range(12)]
    found = assess(values)
    assert found.stability is Stability.DRIFTS
    assert found.drift == pytest.approx(11 / 106, rel=0.2)
    assert "use a quieter machine" in found.sentence


def test_where_there_is_no_drift_one_is_seldom_seen():
    random = np.random.default_rng(43)
    runs = 2000
    seen = np.mean([drift(random.normal(100, 3, 10)) is not None for _ in range(runs)])
    assert seen <= 0.01 + 4 * (0.01 * 0.99 / runs) ** 0.5
    assert seen > 0


def test_what_is_nothing_each_time_is_known_and_what_cannot_be_told_from_it_is_not():
    assert assess([0.0] * 6).sentence == "stable: the mean of 6 repetitions is known to 0.0%"
    around = assess([-1.0, 1.0, -2.0, 2.0])
    assert around.stability is Stability.WIDE
    assert around.sentence.endswith("cannot be distinguished from zero")
    assert around.repetitions is None


def test_what_is_below_zero_is_judged_by_its_size():
    values = [-100.0, -101.0, -99.0, -100.5]
    below, above = assess(values), assess([-value for value in values])
    assert (below.stability, below.half_width) == (above.stability, pytest.approx(above.half_width))
    assert drift([-106.0, -105.0, -104.0, -103.0, -102.0, -101.0]) > 0  # it rises


def test_hopeless_scatter_is_given_no_number_of_repetitions():
    found = assess([1.0, 1e6, 1.0, 1e-6, 1.0, -1e6])
    assert found.repetitions is None
    assert "use a quieter machine" in found.sentence


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0]])
def test_too_few_say_nothing(values):
    found = assess(values)
    assert found.stability is Stability.TOO_FEW
    assert found.half_width is None
    assert FEWEST == 3


def test_few_or_equal_values_have_no_drift():
    assert drift([1.0, 2.0, 3.0, 4.0, 5.0]) is None
    assert drift([2.0] * 20) is None


# The papers' way


def test_the_papers_interval_is_that_of_the_textbook():
    values = np.array([12, 15, 11, 18, 14, 13])
    theirs, ours = papers_interval(values), mean_interval(values.tolist())
    assert (theirs.mean, theirs.low, theirs.high) == pytest.approx((ours.mean, ours.low, ours.high))
    assert papers_interval(np.array([3])) is None


def test_the_papers_interval_is_good_for_independent_values_and_far_too_narrow_for_real_ones():
    random = np.random.default_rng(44)
    independent = [papers_interval(random.normal(20, 1, 50)) for _ in range(4000)]
    assert 0.94 <= np.mean([one.low <= 20 <= one.high for one in independent]) <= 0.96
    real = [papers_interval(correlated(random, 500, 0.9)) for _ in range(300)]
    assert np.mean([one.low <= 20 <= one.high for one in real]) < 0.6
