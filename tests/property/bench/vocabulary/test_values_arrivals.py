"""Schedules of open loops: any rate, any number of messages, any seed."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from formicary_bench.vocabulary.values import ARRIVALS, CONSTANT, POISSON, schedule

RATES = st.integers(1, 1_000_000)
COUNTS = st.integers(0, 400)
SEEDS = st.integers(0, 2**32 - 1)


@given(st.sampled_from(ARRIVALS), RATES, COUNTS, SEEDS)
def test_a_schedule_has_every_message_in_order_and_is_the_same_for_the_same_seed(arrivals, rate, count, seed):
    times = schedule(arrivals, rate, count, seed)
    assert len(times) == count
    assert all(first <= second for first, second in pairwise(times))
    assert all(at >= 0 for at in times)
    assert times == schedule(arrivals, rate, count, seed)


@given(RATES, st.integers(1, 400), SEEDS)
def test_constant_arrivals_are_never_off_by_more_than_the_rounding(rate, count, seed):
    times = schedule(CONSTANT, rate, count, seed)
    assert all(abs(at - number * 1e9 / rate) <= 1 for number, at in enumerate(times))


@given(RATES, SEEDS)
def test_poisson_arrivals_have_the_rate_and_the_spread_of_a_poisson_process(rate, seed):
    times = schedule(POISSON, rate, 4000, seed)
    gaps = [(second - first) * rate / 1e9 for first, second in pairwise([0, *times])]
    mean = sum(gaps) / len(gaps)
    deviation = (sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) ** 0.5
    # Eight standard errors: no seed that anybody finds is that far off by chance.
    assert abs(mean - 1) < 8 / 4000**0.5
    assert 0.7 < deviation < 1.3


@given(RATES, SEEDS)
def test_other_seeds_make_other_schedules(rate, seed):
    assert schedule(POISSON, rate, 50, seed) != schedule(POISSON, rate, 50, seed + 1)
