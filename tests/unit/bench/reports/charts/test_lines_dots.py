"""Dots on one scale: where they lie, what is written at them, and when the scale is logarithmic."""

import re

import pytest
from tests.unit.bench.synthetic import ALONE, BASELINE

from formicary_bench.reports.charts.drawing import draw, strip
from formicary_bench.reports.charts.lines import Dot, Dots, ranked
from formicary_bench.reports.charts.plots import Chart
from formicary_bench.reports.charts.series import by_series
from formicary_bench.statistics.estimates import typical

SERIES, BASE = by_series([ALONE, BASELINE])


def chart(*values, **about):
    return Dots(
        {"In one process": [Dot(SERIES, value, f"{value}/s", **about) for value in values]}, "rate", str
    )


def places(plot, width=560):
    return [
        float(x)
        for x in re.findall(r'<circle cx="([\d.]+)" cy="[\d.]+" r="11"', draw(plot, "c", "", "", width))
    ]


def test_all_groups_are_on_one_scale_so_that_more_is_never_drawn_shorter():
    apart = Dots(
        {"In one process": [Dot(SERIES, 462.0, "462/s")], "In two processes": [Dot(SERIES, 186.0, "186/s")]},
        "rate", str,
    )  # fmt: skip
    more, less = places(apart)
    assert more > less
    assert draw(apart, "c", "", "", 560).count('class="axis-title"') == 1


def test_a_scale_is_logarithmic_where_one_is_many_times_another():
    assert chart(100.0, 700.0).scale.kind == "linear"
    assert chart(100.0, 462.0).scale.place(0) == 0
    wide = chart(10.0, 1000.0, 100_000.0)
    assert wide.scale.kind == "logarithmic"
    low, middle, high = places(wide)
    assert middle - low == pytest.approx(high - middle, abs=0.2)
    assert "(logarithmic)" in draw(wide, "c", "", "", 560)


def test_an_interval_down_to_nothing_does_not_make_all_others_small():
    scale = chart(10.0, 1000.0, bounds=(1e-9, 1e4)).scale
    assert scale.place(1000) - scale.place(10) > 0.3


def test_values_that_are_not_above_zero_have_a_scale():
    assert draw(chart(0.0, 0.0), "c", "", "", 340)
    assert chart(-5.0, 100.0).scale.kind == "linear"


def test_each_repetition_is_a_dot_and_a_note_is_written_beside():
    drawn = draw(chart(2.0, values=(1.0, 2.0, 3.0), note="twice"), "c", "", "", 560)
    assert drawn.count('class="repetition"') == 3
    assert ">twice<" in drawn


def test_what_is_not_sound_looks_so():
    assert 'class="mark unsound"' in draw(chart(2.0, sound=False), "c", "", "", 560)


@pytest.mark.parametrize("width", [340, 1100])
def test_names_and_notes_are_whole_beside_or_above(width):
    note = "inconclusive against callbacks (full load not held; a longer T3 in --rounds would)"
    drawn = draw(chart(2.0, 3.0, note=note), "c", "", "", width)
    words = re.findall(r'class="bar-note">([^<]+)<', drawn)
    assert " ".join(words) == f"{note} {note}"
    assert (len(words) > 2) == (width == 340)


def test_a_lone_dot_is_a_number():
    assert Chart("", "", chart(2.0), []).lone.text == "2.0/s"
    assert Chart("", "", chart(2.0, 3.0), []).lone is None


def test_the_best_comes_first():
    dots = [Dot(SERIES, 1.0, ""), Dot(BASE, 2.0, "")]
    assert [dot.value for dot in ranked(dots, more_is_better=True)] == [2.0, 1.0]
    assert [dot.value for dot in ranked(dots, more_is_better=False)] == [1.0, 2.0]


def test_a_strip_has_a_dot_for_each_repetition_and_says_them():
    drawn = strip(typical([5.0, 6.0, 13.0]), str, "Repetitions")
    assert drawn.count('class="repetition"') == 3
    assert "Repetitions: 5.0, 6.0, 13.0" in drawn


def test_a_chart_of_nothing_can_be_drawn():
    assert draw(Dots({}, "rate", str), "c", "", "", 560)
