"""Which numbers of cores are measured by themselves."""

import pytest

from formicary_bench.vocabulary.places import powers_of_two


@pytest.mark.parametrize(
    ("most", "found"),
    [(1, (1,)), (2, (1, 2)), (3, (1, 2, 3)), (8, (1, 2, 4, 8)), (12, (1, 2, 4, 8, 12))],
)
def test_they_are_powers_of_two_and_all(most, found):
    assert powers_of_two(most) == found
