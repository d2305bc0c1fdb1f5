"""The offset of a clock, from questions for the time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from formicary_bench.remote.clocks import Clock, Offset, Sample

SECOND = 10**9


def test_nothing_is_known_before_the_first_answer():
    assert Clock().offset(0) is None


def test_one_sample_is_sure_up_to_half_of_its_round_trip():
    clock = Clock()
    clock.add(Sample(sent_ns=1000, at_ns=6000, received_ns=3000))
    assert clock.offset(3000) == Offset(4000, 1000)


def test_the_shortest_round_trip_counts():
    clock = Clock()
    clock.add(Sample(0, 900_000, 1_000_000))
    clock.add(Sample(1_000_000, 1_005_000 + 7, 1_010_000))
    clock.add(Sample(2_000_000, 2_900_000, 3_000_000))
    assert clock.offset(3_000_000).offset_ns == 7


def test_a_sample_is_worth_less_as_it_grows_old():
    clock = Clock()
    clock.add(Sample(0, 50_000, 100_000))
    soon = clock.offset(100_000)
    late = clock.offset(100_000 + 60 * SECOND)
    assert late.offset_ns == soon.offset_ns
    assert late.uncertainty_ns == soon.uncertainty_ns + 3_000_000  # 50 ppm of a minute
    clock.add(Sample(60 * SECOND, 60 * SECOND + 100_000, 60 * SECOND + 400_000))
    assert clock.offset(60 * SECOND + 400_000).uncertainty_ns == 200_000


def test_what_was_known_before_a_clock_was_set_back_is_forgotten():
    clock = Clock()
    clock.add(Sample(5000, 6000, 7000))
    clock.add(Sample(8000, 9000, 100))
    assert clock.offset(8000) is None


def test_the_number_of_samples_is_bounded():
    clock = Clock()
    for number in range(10_000):
        clock.add(Sample(number, number, number + 1))
    assert len(clock._samples) < 200


@given(
    offset=st.integers(-(10**15), 10**15),
    ways=st.lists(st.tuples(st.integers(0, 10**8), st.integers(0, 10**8)), min_size=1, max_size=30),
)
def test_the_truth_is_always_within_the_uncertainty(offset, ways):
    clock = Clock()
    now = 10**18
    for there, back in ways:
        clock.add(Sample(now, now + there + offset, now + there + back))
        now += there + back
    found = clock.offset(now)
    assert abs(found.offset_ns - offset) <= found.uncertainty_ns
