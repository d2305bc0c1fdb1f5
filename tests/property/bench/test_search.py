"""The search for the highest rate: made-up systems whose capacity is known, sure of themselves or not."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from formicary_bench.engine.search import FIRST, HIGHEST, MOST_RUNS, NARROW, Search

CAPACITIES = st.one_of(st.integers(0, 50), st.integers(0, 2 * HIGHEST))
SEEDS = st.integers(0, 2**32 - 1)


def searched(is_kept):
    """Search to the end; return the search, and the rates in the order in which they were tried."""
    search, tried = Search(), []
    while (rate := search.next()) is not None:
        tried.append(rate)
        assert len(tried) <= MOST_RUNS
        search.tell(rate, kept=is_kept(rate))
    return search, tried


@given(CAPACITIES)
def test_the_capacity_of_a_system_lies_between_what_was_kept_and_what_was_not(capacity):
    search, tried = searched(lambda rate: rate <= capacity)
    assert tried[0] == FIRST
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
def test_whatever_it_is_told_it_ends_and_tries_no_rate_twice(seed, part):
    random = Random(seed)
    search, tried = searched(lambda _: random.random() < part)
    assert len(set(tried)) == len(tried)
    assert all(1 <= rate <= HIGHEST for rate in tried)
    assert search.verdicts.keys() == set(tried)
    assert not search.missed or search.kept < search.missed
    assert search.next() is None


@given(SEEDS, st.floats(0, 1))
def test_a_rate_that_is_kept_counts_only_below_all_that_are_not(seed, part):
    random = Random(seed)
    verdicts = {random.randrange(1, 10_000): random.random() < part for _ in range(10)}
    search = Search(verdicts)
    below = [
        rate for rate, kept in verdicts.items() if kept and all(verdicts[o] for o in verdicts if o < rate)
    ]
    assert search.kept == max(below, default=0)
