"""How much something has changed, in words: percent, or how many times as much."""

import pytest

from formicary_bench.statistics.intervals import Interval
from formicary_bench.statistics.ratios import change


@pytest.mark.parametrize(
    ("ratio", "said"),
    [
        (Interval(1.1, 1.0, 1.2), "changed by +10.0% (95% interval +0.0% to +20.0%)"),
        (Interval(31.4, 30.2, 32.6), "is 31.4 times the other (95% interval 30.2 to 32.6)"),
        (Interval(0.5, 0.45, 0.56), "is 0.500 of the other (95% interval 0.450 to 0.560)"),
    ],
)
def test_sentences_have_the_interval(ratio, said):
    assert change("rate", ratio) == f"the rate {said}"
