"""How much something has changed, in words: percent, or how many times as much."""

import pytest

from formicary_bench.statistics.changes import change, short_change, span
from formicary_bench.statistics.intervals import Interval


@pytest.mark.parametrize(
    ("least", "most", "said"),
    [
        (0.88, 0.88, "-12.0%"),
        (1.03, 1.08, "+3.0% to +8.0%"),
        (0.51, 1.99, "-49.0% to +99.0%"),
        (31.366, 108.162, "31 to 108 times"),
        (2.0, 2.04, "2.0 times"),
        (1.2, 2.5, "1.2 to 2.5 times"),
        (0.0093, 0.0093, "0.0093 of it"),
        (0.0093, 0.5, "0.0093 to 0.50 of it"),
        (0.02, 31.4, "0.020 to 31 times"),
        (12_345.6, 12_345.6, "12346 times"),
    ],
)
def test_half_and_twice_are_said_as_factors(least, most, said):
    assert span(least, most) == said


@pytest.mark.parametrize(
    ("ratio", "said", "shortly"),
    [
        (
            Interval(1.1, 1.0, 1.2),
            "changed by +10.0% (95% interval +0.0% to +20.0%)",
            "+10.0%, 95% interval +0.0%",
        ),
        (
            Interval(31.4, 30.2, 32.6),
            "is 31.4 times the other (95% interval 30.2 to 32.6)",
            "31.4 times, 95%",
        ),
        (
            Interval(0.5, 0.45, 0.56),
            "is 0.500 of the other (95% interval 0.450 to 0.560)",
            "0.500 of it, 95%",
        ),
    ],
)
def test_sentences_have_the_interval(ratio, said, shortly):
    assert change("rate", ratio) == f"the rate {said}"
    assert short_change("rate", ratio).startswith(f"rate {shortly}")
