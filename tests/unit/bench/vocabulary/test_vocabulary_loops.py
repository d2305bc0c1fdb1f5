"""In which sizes loops are made, and how often."""

import pytest

from formicary_bench.vocabulary.values import SUSTAINED_LAPS, laps, sizes, smallest_of


@pytest.mark.parametrize(
    ("most", "smallest", "found"),
    [
        (1, 1, (1,)),
        (7, 1, (1, 2, 5, 7)),
        (100, 1, (1, 2, 5, 10, 20, 50, 100)),
        (40, 4, (4, 8, 20, 40)),
    ],
)
def test_sizes_go_from_the_smallest_to_the_largest(most, smallest, found):
    assert sizes(most, smallest) == found


def test_small_loops_are_made_more_often_and_the_largest_again_at_the_end():
    made = laps(1000)
    assert made[-SUSTAINED_LAPS:] == (1000,) * SUSTAINED_LAPS
    swept = made[:-SUSTAINED_LAPS]
    assert list(swept) == sorted(swept)
    assert (swept.count(1), swept.count(50), swept.count(1000)) == (10, 4, 1)


def test_an_agent_that_roams_is_back_after_four_hops():
    assert smallest_of("mobile/roam") == 4
    assert all(size % 4 == 0 for size in laps(4000, smallest_of("mobile/roam")))
    assert smallest_of("mobile/dispatch") == 1
