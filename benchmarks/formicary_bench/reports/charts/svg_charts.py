"""Charts as inline SVG: lines over an axis, and bars.

Each chart is drawn for a width, in its units; a report holds a wide and a narrow drawing of each, so that
letters keep their size on a telephone. Colours come from the style sheet by class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.reports.charts.stacks import Stacks, draw_stacks
from formicary_bench.reports.charts.svg import mark, polyline, tag

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from markupsafe import Markup

    from formicary_bench.reports.charts.scales import Scale
    from formicary_bench.reports.charts.series import Series

_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 14, 30, 44
_LETTER = 6.6  # the width of a letter of an axis, at most
_WORD = 7.6  # the width of a letter of a bar, at most
_ROW, _GROUP, _LINE = 42, 30, 16


class Point(msgspec.Struct, frozen=True):
    """A point of a line: its interval, if it has one, what a reader is told, and whether it is sound."""

    x: float
    y: float
    tip: str
    bounds: tuple[float, float] | None = None
    sound: bool = True
    marked: bool = True


class Lines(msgspec.Struct, frozen=True):
    """A chart of lines; `linear` is an axis of equal steps for whoever does not want the logarithmic `y`."""

    x_title: str
    y_title: str
    x: Scale
    y: Scale
    lines: dict[Series, list[Point]]
    linear: Scale | None = None


def axes_of(plot: Lines) -> str:
    """Say what the axes of a chart are, as a sentence."""
    across, up = plot.x.kind, plot.y.kind
    if across and across == up:
        return f"Both axes are {up}."
    parts = [
        f"the {name} axis is {kind}" for name, kind in (("horizontal", across), ("vertical", up)) if kind
    ]
    return f"{', '.join(parts).capitalize()}." if parts else ""


class Bar(msgspec.Struct, frozen=True):
    """A bar: whose it is, how long, what is written at it, its interval, and whether it is sound.

    `published` is one that somebody else has measured, on another machine.
    """

    series: Series
    value: float
    text: str
    bounds: tuple[float, float] | None = None
    sound: bool = True
    published: bool = False


class Bars(msgspec.Struct, frozen=True):
    """A chart of bars in named groups, each group with a scale of its own, or all `together` on one."""

    groups: dict[str, list[Bar]]
    together: bool = False

    def longest(self, name: str) -> float:
        """Return how far the scale of a group reaches."""
        bars = [bar for one in self.groups.values() for bar in one] if self.together else self.groups[name]
        return max([bar.value for bar in bars] + [bar.bounds[1] for bar in bars if bar.bounds]) or 1


Plot = Lines | Bars | Stacks


def draw(plot: Plot, name: str, title: str, description: str, width: int) -> Markup:
    """Draw a plot.

    Args:
        plot: What it shows.
        name: A name that no other drawing of the document has.
        title: What a screen reader reads out first.
        description: What it reads out next.
        width: How wide it is drawn, in pixels.
    """
    height, body = body_of(plot, width)
    return tag(
        "svg",
        tag("title", title, id=f"{name}-title"),
        tag("desc", description, id=f"{name}-desc"),
        *body,
        viewBox=f"0 0 {width} {height}",
        width=float(width),
        height=float(height),
        role="img",
        aria_labelledby=f"{name}-title",
        aria_describedby=f"{name}-desc",
    )


def body_of(plot: Plot, width: int) -> tuple[int, list[Markup]]:
    """Return how high a plot of a width is, and its elements."""
    if isinstance(plot, Stacks):
        return draw_stacks(plot, width)
    return _lines(plot, width) if isinstance(plot, Lines) else _bars(plot, width)


def swatch(series: Series) -> Markup:
    """Draw the line and mark of a series, for a legend."""
    return tag("svg", swatch_body(series), viewBox="0 0 28 16", width="28", height="16", aria_hidden="true")


def swatch_body(series: Series) -> Markup:
    """Draw the same as an element of a drawing."""
    line = polyline([(1, 8), (27, 8)], class_="line", stroke_dasharray=series.dash or None)
    return tag("g", line, tag("g", mark(series.mark, 14, 8, 4), class_="mark"), class_=f"s-{series.colour}")


def _lines(plot: Lines, width: int) -> tuple[int, list[Markup]]:
    height = 340 if width > 450 else 320  # noqa: PLR2004 - wide and narrow
    inner, across = height - _TOP - _BOTTOM, width - _LEFT - _RIGHT

    def at_x(value: float) -> float:
        return _LEFT + plot.x.place(value) * across

    def at_y(value: float) -> float:
        return _TOP + (1 - plot.y.place(value)) * inner

    body = [*_grid_y(plot, width, inner), *_grid_x(plot, width, height, across)]
    body += [_line(series, points, at_x, at_y) for series, points in plot.lines.items()]
    return height, body


def _grid_y(plot: Lines, width: int, inner: float) -> list[Markup]:
    parts = [tag("text", plot.y_title, x=2.0, y=14.0, class_="axis-title")]
    for tick in plot.y.ticks:
        y = _TOP + (1 - tick.place) * inner
        parts.append(tag("line", x1=_LEFT, x2=width - _RIGHT, y1=y, y2=y, class_="grid"))
        parts.append(tag("text", tick.text, x=_LEFT - 8, y=y + 4, class_="tick", text_anchor="end"))
    return parts


def _grid_x(plot: Lines, width: int, height: int, across: float) -> list[Markup]:
    bottom = height - _BOTTOM
    parts = [tag("line", x1=_LEFT, x2=width - _RIGHT, y1=bottom, y2=bottom, class_="axis")]
    free = 0.0
    for tick in plot.x.ticks:
        x = _LEFT + tick.place * across
        parts.append(tag("line", x1=x, x2=x, y1=bottom, y2=bottom + 4, class_="axis"))
        room = len(tick.text) * _LETTER / 2
        if x - room >= free and x + room <= width:
            parts.append(tag("text", tick.text, x=x, y=bottom + 18, class_="tick", text_anchor="middle"))
            free = x + room + _LETTER
    middle = _LEFT + across / 2
    parts.append(tag("text", plot.x_title, x=middle, y=height - 6, class_="axis-title", text_anchor="middle"))
    return parts


def _line(
    series: Series,
    points: Sequence[Point],
    at_x: Callable[[float], float],
    at_y: Callable[[float], float],
) -> Markup:
    places = [(at_x(point.x), at_y(point.y)) for point in points]
    parts = [polyline(places, class_="line", stroke_dasharray=series.dash or None)]
    for point, (x, y) in zip(points, places, strict=True):
        if not point.marked:
            continue
        whisker = () if point.bounds is None else (_whisker(x, at_y(point.bounds[0]), at_y(point.bounds[1])),)
        shape = tag("g", mark(series.mark, x, y, 4), class_="mark" if point.sound else "mark unsound")
        target = tag("circle", tag("title", f"{series.label}: {point.tip}"), cx=x, cy=y, r=11.0, class_="hit")
        parts += [*whisker, shape, target]
    return tag("g", *parts, class_=f"series s-{series.colour}", data_series=series.label)


def _whisker(x: float, low: float, high: float) -> Markup:
    path = f"M{x - 4:.1f} {low:.1f}h8M{x - 4:.1f} {high:.1f}h8M{x:.1f} {low:.1f}V{high:.1f}"
    return tag("path", d=path, class_="whisker")


def _bars(plot: Bars, width: int) -> tuple[int, list[Markup]]:
    body: list[Markup] = []
    y = 4
    for name, bars in plot.groups.items():
        if name:
            body.append(tag("text", name, x=0.0, y=y + 16, class_="group"))
            y += _GROUP
        for bar in bars:
            body.append(_bar(bar, y, width, (width - 8) / plot.longest(name)))
            y += _ROW + _own_line(bar, width)
        y += 8
    return y, body


def _bar(bar: Bar, y: int, width: int, scale: float) -> Markup:
    length = max(bar.value * scale, 1.0)
    look = "bar" if bar.sound else "bar unsound"
    name = tag("text", _fit(bar.series.label, width), x=0.0, y=y + 12, class_="bar-label")
    y += _own_line(bar, width)
    parts = [
        name,
        tag("text", bar.text, x=float(width), y=y + 12, class_="bar-value", text_anchor="end"),
        tag("rect", x=0.0, y=y + 18, width=float(width), height=13.0, rx=3.0, class_="track"),
        tag("rect", x=0.0, y=y + 18, width=length, height=13.0, rx=3.0, class_=look),
    ]
    if bar.published:
        place = {"x": 0.0, "y": float(y + 18), "width": length, "height": 13.0}
        parts.append(tag("rect", **place, rx=3.0, fill="url(#hatch)"))
    if bar.bounds:
        low, high = (max(bound, 0) * scale for bound in bar.bounds)
        middle = y + 24.5
        path = f"M{low:.1f} {middle - 4}v8M{high:.1f} {middle - 4}v8M{low:.1f} {middle}H{high:.1f}"
        parts.append(tag("path", d=path, class_="bar-whisker"))
    return tag("g", *parts, class_=f"s-{bar.series.colour}")


def _own_line(bar: Bar, width: int) -> int:
    """Return the height of the line that a name has for itself where it would run into its value."""
    return _LINE if (len(bar.series.label) + len(bar.text)) * _WORD > width else 0


def _fit(text: str, room: float) -> str:
    """Cut a name that is wider than the chart; the table below has all of it."""
    most = max(int(room / _WORD), 4)
    return text if len(text) <= most else text[: most - 1] + "…"
