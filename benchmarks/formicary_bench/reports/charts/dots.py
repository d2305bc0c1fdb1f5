"""Dots with their intervals, all on one labelled scale: the chart, and its drawing as inline SVG.

The scale begins at zero, or is logarithmic where the largest is many times the smallest: a length from zero
would then hide the small ones. What each repetition gave is a small dot beside the large one.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.reports.charts import scales
from formicary_bench.reports.charts.svg import mark, tag

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from markupsafe import Markup

    from formicary_bench.reports.charts.scales import Scale
    from formicary_bench.reports.charts.series import Series
    from formicary_bench.statistics.typical import Typical

_MANY = 8.0  # times the smallest, from which on a scale is logarithmic
_WORD = 7.6  # the width of a letter of a name, at most
_LETTER = 6.6  # that of a letter of an axis
_ROW, _LINE, _GROUP, _FOOT = 40, 16, 28, 40
_WIDE, _LEAST = 900, 240  # pixels: from where on names stand beside their dots; room for dots
_MARGIN = 10
_STRIP, _STRIP_HIGH = 168, 20


class Dot(msgspec.Struct, frozen=True):
    """A figure: whose it is, how much, what is written at it, its interval, and whether it is sound.

    `note` is what else is written there; `of` is the anchor of the row that it stands for; `values` are those
    of its repetitions; a `published` one was measured by others, on another machine.
    """

    series: Series
    value: float
    text: str
    bounds: tuple[float, float] | None = None
    sound: bool = True
    published: bool = False
    values: tuple[float, ...] = ()
    note: str = ""
    of: str = ""

    @property
    def tip(self) -> str:
        """What a reader is told who points at it."""
        return f"{self.series.label}: {', '.join(filter(None, (self.text, self.note)))}"


class Dots(msgspec.Struct, frozen=True):
    """A chart of such figures in named groups, all on one scale.

    Attributes:
        groups: The figures, the first at the top.
        title: What the axis is.
        tick: How a value of it is written.
        of_ratios: Whether the figures are ratios: the scale is logarithmic then, with a line where both are
            the same.
        high: How many pixels high a row is where names stand beside their dots.
    """

    groups: dict[str, list[Dot]]
    title: str
    tick: Callable[[float], str]
    of_ratios: bool = False
    high: int = 28

    @property
    def all(self) -> list[Dot]:
        """The figures of all groups."""
        return [dot for dots in self.groups.values() for dot in dots]

    @property
    def scale(self) -> Scale:
        """The one scale that all of them are on."""
        reach = [value for dot in self.all for value in (dot.value, *(dot.bounds or ()), *dot.values)]
        if self.of_ratios:
            return scales.ratios(reach, self.tick)
        values = [dot.value for dot in self.all] or [0.0]  # a folder of others may have no figure
        if min(values) > 0 and max(values) > _MANY * min(values):
            least = min(values) / _MANY  # an interval down to next to nothing must not make all others small
            return scales.logarithmic([max(value, least) for value in reach], self.tick)
        return scales.from_zero([*reach, 0.0], self.tick)


def draw_dots(plot: Dots, width: int) -> tuple[int, list[Markup]]:
    """Draw a chart, and say how high it is; as in `svg_charts.draw`."""
    rooms = _rooms(plot, width)
    body: list[Markup] = []
    y = 4
    scale = plot.scale
    top = y
    for name, dots in plot.groups.items():
        if name:
            body.append(tag("text", name, x=0.0, y=y + 16.0, class_="group"))
            y += _GROUP
        for dot in dots:
            place = _Place(rooms, y, width)
            body.append(_dot(dot, scale, place))
            y += place.height(dot)
    foot = _axis(plot, scale, rooms, (top, y), width)
    return y + _FOOT, [*foot, *body]


def strip(known: Typical, text: Callable[[float], str], name: str) -> Markup:
    """Draw what each repetition gave as dots on a line, with the interval of the typical one."""
    reach = [*known.values, *(known.bounds or ()), known.value]
    scale = scales.logarithmic([max(value, known.value / _MANY) for value in reach], text)

    def at(value: float) -> float:
        return 5 + scale.place(value) * (_STRIP - 10)

    middle = _STRIP_HIGH / 2
    whisker = []
    if known.bounds:
        low, high = map(at, known.bounds)
        whisker = [tag("line", x1=low, x2=high, y1=middle, y2=middle, class_="whisker")]
    dots = [tag("circle", cx=at(value), cy=middle, r=3.2, class_="repetition") for value in known.values]
    said = f"{name}: {', '.join(map(text, known.values))}"
    size = {"viewBox": f"0 0 {_STRIP} {_STRIP_HIGH}", "width": str(_STRIP), "height": str(_STRIP_HIGH)}
    return tag("svg", tag("title", said), *whisker, *dots, **size, role="img", class_="strip")


class _Rooms(msgspec.Struct, frozen=True):
    """Where dots begin and end; names stand left of them where there is room, else above."""

    begin: float
    end: float
    text: float
    note: float
    high: int
    beside: bool


class _Place(msgspec.Struct, frozen=True):
    """The place of one row."""

    rooms: _Rooms
    y: float
    width: int

    def own_line(self, dot: Dot) -> int:
        """Return the height of the line that a name has for itself where it would run into its value."""
        if self.rooms.beside:
            return 0
        return _LINE if (len(dot.series.label) + len(dot.text)) * _WORD > self.width else 0

    def note_lines(self, dot: Dot) -> list[str]:
        """Break its note into lines, none wider than the chart, where it stands below the name."""
        if self.rooms.beside:
            return [dot.note] if dot.note else []
        return textwrap.wrap(dot.note, max(int(self.width / _LETTER), 1))

    def note_high(self, dot: Dot) -> int:
        """Return the height of the lines of its note, if they are lines of their own."""
        return 0 if self.rooms.beside else _LINE * len(self.note_lines(dot))

    def height(self, dot: Dot) -> int:
        """Return how high the row is."""
        return self.rooms.high if self.rooms.beside else _ROW + self.own_line(dot) + self.note_high(dot)


def _rooms(plot: Dots, width: int) -> _Rooms:
    labels = max((len(dot.series.label) for dot in plot.all), default=0) * _WORD
    texts = max((len(dot.text) for dot in plot.all), default=0) * _WORD
    notes = max((len(dot.note) for dot in plot.all), default=0) * _LETTER
    if width >= _WIDE and width - labels - texts - notes >= _LEAST:
        note = width - notes
        begin, text = labels + 2 * _MARGIN, note - 1.5 * _MARGIN
        return _Rooms(begin, text - texts - 1.5 * _MARGIN, text, note, plot.high, beside=True)
    return _Rooms(_MARGIN, width - _MARGIN, float(width), 0.0, plot.high, beside=False)


def _axis(plot: Dots, scale: Scale, rooms: _Rooms, span: tuple[float, float], width: int) -> list[Markup]:
    top, bottom = span
    across = rooms.end - rooms.begin
    parts = [tag("line", x1=rooms.begin, x2=rooms.end, y1=bottom, y2=bottom, class_="axis")]
    free = 0.0
    for tick in scale.ticks:
        x = rooms.begin + tick.place * across
        parts.append(tag("line", x1=x, x2=x, y1=top, y2=bottom, class_="grid"))
        room = len(tick.text) * _LETTER / 2
        if x - room >= free and x + room <= width:
            parts.append(tag("text", tick.text, x=x, y=bottom + 15, class_="tick", text_anchor="middle"))
            free = x + room + _LETTER
    if plot.of_ratios:
        x = rooms.begin + scale.place(1.0) * across
        parts.append(tag("line", x1=x, x2=x, y1=top, y2=bottom, class_="axis"))
    kind = f" ({scale.kind})" if scale.kind == "logarithmic" else ""
    middle = (rooms.begin + rooms.end) / 2
    title = f"{plot.title}{kind}"
    parts.append(tag("text", title, x=middle, y=bottom + 33, class_="axis-title", text_anchor="middle"))
    return parts


def _dot(dot: Dot, scale: Scale, place: _Place) -> Markup:
    rooms, across = place.rooms, place.rooms.end - place.rooms.begin

    def at(value: float) -> float:
        return rooms.begin + scale.place(value) * across

    own = place.own_line(dot)
    middle = place.y + (rooms.high / 2 if rooms.beside else own + place.note_high(dot) + 26)
    line = place.y + (rooms.high // 2 + 4 if rooms.beside else 12)
    name = tag("text", _fit(dot.series.label, place.width), x=0.0, y=float(line), class_="bar-label")
    value = tag("text", dot.text, x=rooms.text, y=float(line + own), class_="bar-value", text_anchor="end")
    parts = [name, value]
    below = line if rooms.beside else line + own + _LINE
    for number, words in enumerate(place.note_lines(dot)):
        parts.append(tag("text", words, x=rooms.note, y=float(below + number * _LINE), class_="bar-note"))
    if dot.bounds:
        low, high = map(at, dot.bounds)
        path = (
            f"M{low:.1f} {middle - 4:.1f}v8M{high:.1f} {middle - 4:.1f}v8M{low:.1f} {middle:.1f}H{high:.1f}"
        )
        parts.append(tag("path", d=path, class_="whisker"))
    parts += [tag("circle", cx=at(value), cy=middle, r=2.0, class_="repetition") for value in dot.values]
    look = "mark published" if dot.published else "mark" if dot.sound else "mark unsound"
    parts.append(tag("g", mark(dot.series.mark, at(dot.value), middle, 5), class_=look))
    parts.append(
        tag(
            "circle",
            tag("title", dot.tip),
            cx=at(dot.value),
            cy=middle,
            r=11.0,
            class_="hit",
            data_of=dot.of or None,
        )
    )
    return tag("g", *parts, class_=f"series s-{dot.series.colour}", data_series=dot.series.label)


def _fit(text: str, room: float) -> str:
    """Cut a name that is wider than the chart; the table below has all of it."""
    most = max(int(room / _WORD), 4)
    return text if len(text) <= most else text[: most - 1] + "…"


def ranked(dots: Sequence[Dot], *, more_is_better: bool) -> list[Dot]:
    """Return figures with the best one first."""
    return sorted(dots, key=lambda dot: -dot.value if more_is_better else dot.value)
