"""Numbers as a reader wants them."""

import pytest

from formicary_bench.reports import formatting


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [
        (0.9391, "0.939 µs"),
        (1.9, "1.90 µs"),
        (144.4, "144 µs"),
        (1234, "1.23 ms"),
        (2.5e6, "2.50 s"),
        (None, "—"),
    ],
)
def test_durations(microseconds, text):
    assert formatting.duration(microseconds) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (85, "85"),
        (85.24, "85.2"),
        (6810, "6810"),
        (54_812, "54.8 k"),
        (1.19e6, "1.19 M"),
        (0, "0"),
        (None, "—"),
    ],
)
def test_counts(number, text):
    assert formatting.count(number) == text


@pytest.mark.parametrize(
    ("text", "short"),
    [("1.00 kB", "1 kB"), ("1.20 kB", "1.2 kB"), ("100 B", "100 B"), ("0.500 µs", "0.5 µs")],
)
def test_round_values_are_short(text, short):
    assert formatting.short(text) == short


def test_parts_keep_all_their_nines():
    assert [formatting.part(1 - 10.0**-n) for n in (1, 2, 5)] == ["90%", "99%", "99.999%"]
