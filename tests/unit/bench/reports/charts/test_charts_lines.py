import xml.etree.ElementTree as ET

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.bench.synthetic import ALONE, row

from formicary_bench.reports import formatting
from formicary_bench.reports.charts import scales
from formicary_bench.reports.charts.drawing import draw
from formicary_bench.reports.charts.lines import (
    Axis,
    Dot,
    Dots,
    Lines,
    Point,
    Segment,
    Stack,
    Stacks,
    axes_of,
)
from formicary_bench.reports.charts.plots import against
from formicary_bench.reports.charts.series import Series, by_series


def test_a_logarithmic_axis():
    scale = scales.logarithmic([1, 1000], formatting.duration)
    assert scale.place(1) < 0.1
    assert scale.place(1000) > 0.9
    assert scale.place(31.6227766) == pytest.approx(0.5)
    assert [tick.text for tick in scale.ticks] == ["1.00 µs", "10.0 µs", "100 µs", "1.00 ms"]
    assert scale.place(0) == 0
    assert scale.place(1e9) == 1


@given(
    st.lists(st.floats(0, 1e18), min_size=1, max_size=6),
    st.sampled_from([scales.logarithmic, scales.ratios, scales.linear, scales.from_zero]),
)
def test_any_values_have_an_axis_that_names_a_few_places(values, make):
    scale = make(values, str)
    assert all(0 <= scale.place(value) <= 1 for value in values)
    places = [tick.place for tick in scale.ticks]
    assert 2 <= len(places) <= 40
    assert places == sorted(places)


def test_every_nine_takes_the_same_room():
    scale = scales.tail([0, 0.9, 0.9999], formatting.part)
    places = [scale.place(p) for p in (0, 0.9, 0.99, 0.999, 0.9999)]
    assert places == pytest.approx([0, 0.25, 0.5, 0.75, 1])
    assert [tick.text for tick in scale.ticks] == ["0%", "50%", "90%", "99%", "99.9%", "99.99%"]


def lines(label="Agents", **about):
    (series,) = by_series([ALONE])
    points = [Point(1, 2.0, "one: 2 µs", (1.5, 2.5)), Point(10, 20.0, "ten: 20 µs", **about)]
    across, up = Axis("pairs", str, scales.logarithmic_at), Axis("time", str)
    return Lines(across, up, {msgspec.structs.replace(series, label=label): points})


def test_a_chart_says_what_its_axes_are():
    chart = lines()
    assert axes_of(chart) == "Both axes are logarithmic."
    assert axes_of(chart.linear) == "The horizontal axis is logarithmic, the vertical axis is linear."
    nines = msgspec.structs.replace(chart, across=Axis("part", str, scales.tail))
    assert axes_of(nines) == "The vertical axis is logarithmic."
    plain = msgspec.structs.replace(chart.linear, across=Axis("seconds", str, scales.linear))
    assert axes_of(plain) == "Both axes are linear."


def test_an_axis_has_the_intervals_on_it_but_none_that_goes_down_to_nothing():
    scale = lines(bounds=(1e-9, 200.0)).y
    assert scale.place(200) < 1
    assert scale.place(20) - scale.place(2) > 0.2


def test_a_chart_of_lines_can_be_read_without_seeing_it():
    drawn = draw(lines(), "chart-1", "Title & more", "What is shown", 560)
    assert 'role="img" aria-labelledby="chart-1-title" aria-describedby="chart-1-desc"' in drawn
    assert '<title id="chart-1-title">Title &amp; more</title>' in drawn
    assert "<title>Agents: ten: 20 µs</title>" in drawn
    assert drawn.count('class="whisker"') == 1


@pytest.mark.parametrize(
    ("pairs", "things", "said"),
    [(1, "pairs at once", "1 pair at once"), (2, "pairs at once", "2 pairs at once")],
)
def test_a_point_says_how_many_there_are(pairs, things, said):
    chart = against([row(pairs=pairs, rtt_mean_us=9.0)], lambda one: one.exchange.pairs, things, str)
    ((point,),) = chart.lines.values()
    assert point.tip == f"{said}: 9.00 µs"


def test_a_point_that_is_not_sound_looks_so():
    assert "unsound" not in draw(lines(), "c", "", "", 560)
    assert draw(lines(sound=False), "c", "", "", 560).count('class="mark unsound"') == 1


EVIL = '"><script>&'
STRANGE = Series(EVIL, "a", "circle", "")


@pytest.mark.parametrize(
    "plot",
    [
        Lines(Axis(EVIL, str), Axis(EVIL, str), {STRANGE: [Point(1, 2.0, EVIL, of=EVIL)]}, {STRANGE: EVIL}),
        Dots({EVIL: [Dot(STRANGE, 1.0, EVIL, note=EVIL, of=EVIL)]}, EVIL, lambda _: EVIL),
        Stacks({EVIL: [Stack(EVIL, (Segment(STRANGE, 0.5, EVIL),), of=EVIL)]}),
    ],
)
@pytest.mark.parametrize("width", [340, 1100])
def test_names_of_others_are_text_wherever_they_stand(plot, width):
    drawn = draw(plot, EVIL, EVIL, EVIL, width)
    assert "<script" not in drawn
    words = {*ET.fromstring(drawn).itertext()}
    assert EVIL in words
