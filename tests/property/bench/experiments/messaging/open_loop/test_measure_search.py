"""The search for the highest rate: made-up systems whose capacity is known, sure of themselves or not."""

from collections import Counter
from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formicary_bench.experiments.messaging.open_loop.measure import (
    FIRST,
    HIGHEST,
    MOST_TRIES,
    NARROW,
    Search,
    drawn_first,
)

CAPACITIES = st.one_of(st.integers(0, 50), st.integers(0, 2 * HIGHEST))
SEEDS = st.integers(0, 2**32 - 1)


def searched(is_kept, first=FIRST):
    """Search to the end; return the search, and the rates in the order in which they were tried."""
    search, tried = Search(first), []
    while (rate := search.next()) is not None:
        tried.append(rate)
        assert len(tried) <= MOST_TRIES
        search.tell(rate, kept=is_kept(rate))
    return search, tried


@given(CAPACITIES, SEEDS)
def test_the_capacity_of_a_system_lies_between_what_was_kept_and_what_was_not(capacity, seed):
    search, tried = searched(lambda rate: rate <= capacity, drawn_first(seed))
    assert tried[0] == drawn_first(seed)
    assert search.kept <= capacity
    if search.missed:
        assert capacity < search.missed
        assert search.missed <= max(search.kept * NARROW, search.kept + 1)
    else:
        assert search.kept == HIGHEST <= capacity


@given(st.integers(20, HIGHEST // 2), SEEDS)
def test_one_that_wavers_near_its_capacity_is_found_near_it(capacity, seed):
    random = Random(seed)
    low, high = capacity * 0.8, capacity * 1.25
    search, _ = searched(lambda rate: rate <= low or (rate < high and random.random() < 0.5))
    assert low / NARROW - 1 <= search.kept < high
    assert low < search.missed <= high * NARROW + 1


@given(SEEDS, st.floats(0, 1))
def test_whatever_it_is_told_it_ends_and_where_it_ends_it_has_looked_twice(seed, part):
    random = Random(seed)
    search, tried = searched(lambda _: random.random() < part)
    assert max(Counter(tried).values()) <= 2
    assert all(1 <= rate <= HIGHEST for rate in tried)
    assert {rate: len(verdicts) for rate, verdicts in search.tries.items()} == Counter(tried)
    assert not search.missed or search.kept < search.missed
    if search.missed and len(tried) < MOST_TRIES:
        assert search.tries[search.missed] == [False, False]
    assert search.next() is None


@given(CAPACITIES, st.integers(0, 8), st.integers(1, 3), SEEDS)
def test_a_disturbance_of_some_tries_changes_nothing(capacity, begin, tries, seed):
    first, count = drawn_first(seed), iter(range(MOST_TRIES + 1))
    search, tried = searched(
        lambda rate: not begin <= next(count) < begin + tries and rate <= capacity, first
    )
    if len(tried) == MOST_TRIES or len(tried) <= begin + tries:
        return  # it lasted until the end
    assert search.kept <= capacity
    assert not search.missed or capacity < search.missed <= max(search.kept * NARROW, search.kept + 1)


@given(SEEDS, st.floats(0, 1))
def test_a_rate_that_is_kept_counts_only_below_all_that_are_missed(seed, part):
    random = Random(seed)
    tries = {random.randrange(1, 10_000): [random.random() < part] for _ in range(10)}
    search = Search(tries=tries)
    below = [rate for rate, kept in tries.items() if kept[0] and all(tries[o][0] for o in tries if o < rate)]
    assert search.kept == max(below, default=0)


def test_searches_do_not_all_find_the_same_and_are_right_in_the_mean():
    found = [searched(lambda rate: rate <= 60_000, drawn_first(seed))[0].kept for seed in range(500)]
    assert len(set(found)) > 100
    assert 60_000 / NARROW < min(found) <= max(found) <= 60_000
    # As likely at any place in the gap, so half of it below in the mean.
    assert fmean(found) == pytest.approx(60_000 / NARROW**0.5, rel=0.01)
