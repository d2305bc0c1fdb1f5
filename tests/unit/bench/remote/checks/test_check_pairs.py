"""In which order the ways between hosts are measured."""

from __future__ import annotations

from itertools import chain, permutations

from hypothesis import given
from hypothesis import strategies as st

from formicary_bench.remote.checks.check import rounds


@given(st.integers(2, 12))
def test_each_way_is_measured_once_and_nobody_is_disturbed(count):
    names = [str(number) for number in range(count)]
    planned = list(rounds(names))
    assert sorted(chain(*planned)) == sorted(permutations(names, 2))
    for together in planned:
        busy = list(chain(*together))
        assert len(busy) == len(set(busy))
    assert len(planned) == 2 * (count - 1 + count % 2)
