"""When a platform counts as warm."""

import pytest

from formicary_bench.subjects.drivers.settling import MOST_SECONDS, Round, Settling

SECONDS = 0.5
FIRST = Round(1000, SECONDS)


def after(rates, cpu_us=(), *, is_warm=True):
    """Make a round of half a second at each rate, in thousands; where it is known, with such a CPU time."""
    settling = Settling(FIRST)
    for at, rate in enumerate(rates):
        trips = round(rate * 1000 * SECONDS)
        cpu_s = cpu_us[at] * trips / 1e6 if cpu_us else 0.0
        settling.add(Round(trips, SECONDS, cpu_s, is_warm))
    return settling


@pytest.mark.parametrize(
    "rates",
    [
        [10] * 6,
        [10, 10.5, 9.8, 10.2, 9.9, 10.1],
        [1, 2, 4, 8, 10, 10, 10, 10, 10, 10],
    ],
)
def test_it_has_settled_when_the_last_rounds_are_as_fast_as_each_other(rates):
    settling = after(rates)
    assert settling.has_settled
    assert settling.is_over


@pytest.mark.parametrize(
    "rates",
    [
        [10] * 5,  # too few
        [1, 2, 4, 8, 10, 10],  # some of the last are of before
        [8.8, 9.2, 9.6, 10, 10.4, 10.8],  # all near their median, but faster and faster
        [10, 10, 10, 15, 10, 10],  # one that is far off
        [5] * 8 + [10] * 7,  # of many rounds more are looked at than of few
    ],
)
def test_it_has_not_settled_while_anything_moves(rates):
    settling = after(rates if len(rates) < 15 else rates * 2)
    assert not settling.has_settled
    assert not settling.is_over


def test_on_a_busy_machine_it_is_told_by_the_cpu_time():
    rates = [10, 3, 7, 12, 2, 9]
    assert not after(rates).has_settled
    assert after(rates, [20, 20.5, 19.6, 20, 20.3, 19.9]).has_settled
    assert not after(rates, [60, 50, 40, 30, 25, 20]).has_settled


def test_a_runtime_that_still_compiles_has_not_settled():
    assert not after([10] * 10, is_warm=False).has_settled


def test_rounds_that_scatter_by_nature_have_settled_when_they_get_no_faster():
    rates = [10, 14, 8, 12, 9, 13] * 4
    assert not after(rates[:-1]).has_settled
    assert after(rates).has_settled
    assert not after([rate * (1 + at / 50) for at, rate in enumerate(rates)]).has_settled
    assert not after(rates, is_warm=False).has_settled


def test_it_is_over_in_any_case_after_so_many_seconds():
    rates = [10 * 1.05**at for at in range(round(2 * MOST_SECONDS))]
    settling = after(rates[:-1])
    assert not settling.is_over
    settling.add(Round(1000, SECONDS))
    assert settling.is_over
    assert not settling.has_settled


def test_rounds_are_as_long_as_the_one_before_says():
    settling = Settling(Round(1000, 0.1))
    assert settling.trips(100) == 50
    settling.add(Round(5000, 0.05))
    assert settling.trips(100) == 500
    settling.add(Round(1, 1000))
    assert settling.trips(100) == 1
