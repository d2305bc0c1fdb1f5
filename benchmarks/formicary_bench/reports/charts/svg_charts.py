"""Charts as inline SVG: lines over an axis, side by side where they are of several placements.

Each chart is drawn for a width, in its units; a report holds a wide and a narrow drawing of each, so that
letters keep their size on a telephone. Colours come from the style sheet by class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.reports.charts.dots import Dots, draw_dots
from formicary_bench.reports.charts.stacks import Stacks, draw_stacks
from formicary_bench.reports.charts.svg import mark, polyline, tag

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from markupsafe import Markup

    from formicary_bench.reports.charts.scales import Scale
    from formicary_bench.reports.charts.series import Series

_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 14, 30, 44
_LETTER = 6.6  # the width of a letter of an axis, at most
_GAP, _HEAD = 26, 20  # pixels between panels, and of the name of one


class Point(msgspec.Struct, frozen=True):
    """A point of a line: its interval, if it has one, what a reader is told, and whether it is sound.

    `of` is the anchor of the row that it stands for.
    """

    x: float
    y: float
    tip: str
    bounds: tuple[float, float] | None = None
    sound: bool = True
    marked: bool = True
    of: str = ""


class Lines(msgspec.Struct, frozen=True):
    """A chart of lines.

    Attributes:
        x_title: The name of the horizontal axis.
        y_title: The name of the vertical one.
        x: The horizontal axis.
        y: The vertical one.
        lines: The points of each series.
        linear: An axis of equal steps for whoever does not want the logarithmic `y`.
        panels: The names of the panels that series are in, all of the same axes; one panel if empty.
    """

    x_title: str
    y_title: str
    x: Scale
    y: Scale
    lines: dict[Series, list[Point]]
    linear: Scale | None = None
    panels: dict[Series, str] = {}

    @property
    def named_panels(self) -> list[str]:
        """The names of the panels, in the order of their series."""
        return list(dict.fromkeys(self.panels.get(series, "") for series in self.lines)) or [""]


def axes_of(plot: Lines) -> str:
    """Say what the axes of a chart are, as a sentence."""
    across, up = plot.x.kind, plot.y.kind
    if across and across == up:
        return f"Both axes are {up}."
    parts = [
        f"the {name} axis is {kind}" for name, kind in (("horizontal", across), ("vertical", up)) if kind
    ]
    return f"{', '.join(parts).capitalize()}." if parts else ""


Plot = Lines | Dots | Stacks


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
    return _lines(plot, width) if isinstance(plot, Lines) else draw_dots(plot, width)


def swatch(series: Series) -> Markup:
    """Draw the line and mark of a series, for a legend."""
    return tag("svg", swatch_body(series), viewBox="0 0 28 16", width="28", height="16", aria_hidden="true")


def swatch_body(series: Series) -> Markup:
    """Draw the same as an element of a drawing."""
    line = polyline([(1, 8), (27, 8)], class_="line", stroke_dasharray=series.dash or None)
    return tag("g", line, tag("g", mark(series.mark, 14, 8, 4), class_="mark"), class_=f"s-{series.colour}")


class _Frame(msgspec.Struct, frozen=True):
    """Where a panel is: its left and upper edges, and how wide and high it is within its axes."""

    left: float
    top: float
    across: float
    inner: float


def _lines(plot: Lines, width: int) -> tuple[int, list[Markup]]:
    names = plot.named_panels
    is_wide = width > 450  # noqa: PLR2004 - wide and narrow
    height = 340 if is_wide else 320
    head = _HEAD if len(names) > 1 else 0
    if is_wide:
        across = (width - _LEFT - _RIGHT - _GAP * (len(names) - 1)) / len(names)
        inner = float(height - _TOP - _BOTTOM - head)
        lefts = [_LEFT + place * (across + _GAP) for place in range(len(names))]
        frames = [_Frame(left, _TOP + head, across, inner) for left in lefts]
    else:
        across, inner = float(width - _LEFT - _RIGHT), float(height - _TOP - _BOTTOM)
        step = height - _TOP + head
        frames = [_Frame(_LEFT, _TOP + head + place * step, across, inner) for place in range(len(names))]
        height += (len(names) - 1) * step + head
    kind = f" ({plot.y.kind})" if plot.y.kind == "logarithmic" else ""
    body = [tag("text", f"{plot.y_title}{kind}", x=2.0, y=14.0, class_="axis-title")]
    for name, frame in zip(names, frames, strict=True):
        is_first = frame is frames[0] or not is_wide
        body += _panel(plot, name, frame, width, with_ticks=is_first)
    middle = _LEFT + (width - _LEFT - _RIGHT) / 2
    body.append(
        tag("text", plot.x_title, x=middle, y=height - 6.0, class_="axis-title", text_anchor="middle")
    )
    return height, body


def _panel(plot: Lines, name: str, frame: _Frame, width: int, *, with_ticks: bool) -> list[Markup]:
    def at_x(value: float) -> float:
        return frame.left + plot.x.place(value) * frame.across

    def at_y(value: float) -> float:
        return frame.top + (1 - plot.y.place(value)) * frame.inner

    parts = [tag("text", name, x=frame.left, y=frame.top - 6, class_="group")] if name else []
    parts += [*_grid_y(plot, frame, with_ticks=with_ticks), *_grid_x(plot, frame, width)]
    shown = ((one, points) for one, points in plot.lines.items() if plot.panels.get(one, "") == name)
    return [*parts, *(_line(series, points, at_x, at_y) for series, points in shown)]


def _grid_y(plot: Lines, frame: _Frame, *, with_ticks: bool) -> list[Markup]:
    parts = []
    for tick in plot.y.ticks:
        y = frame.top + (1 - tick.place) * frame.inner
        parts.append(tag("line", x1=frame.left, x2=frame.left + frame.across, y1=y, y2=y, class_="grid"))
        if with_ticks:
            parts.append(tag("text", tick.text, x=frame.left - 8, y=y + 4, class_="tick", text_anchor="end"))
    return parts


def _grid_x(plot: Lines, frame: _Frame, width: int) -> list[Markup]:
    bottom = frame.top + frame.inner
    parts = [tag("line", x1=frame.left, x2=frame.left + frame.across, y1=bottom, y2=bottom, class_="axis")]
    free = 0.0
    for tick in plot.x.ticks:
        x = frame.left + tick.place * frame.across
        parts.append(tag("line", x1=x, x2=x, y1=bottom, y2=bottom + 4, class_="axis"))
        room = len(tick.text) * _LETTER / 2
        if x - room >= free and x + room <= min(width, frame.left + frame.across + _GAP):
            parts.append(tag("text", tick.text, x=x, y=bottom + 18, class_="tick", text_anchor="middle"))
            free = x + room + _LETTER
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
        target = tag(
            "circle",
            tag("title", f"{series.label}: {point.tip}"),
            cx=x,
            cy=y,
            r=11.0,
            class_="hit",
            data_of=point.of or None,
        )
        parts += [*whisker, shape, target]
    return tag("g", *parts, class_=f"series s-{series.colour}", data_series=series.label)


def _whisker(x: float, low: float, high: float) -> Markup:
    path = f"M{x - 4:.1f} {low:.1f}h8M{x - 4:.1f} {high:.1f}h8M{x:.1f} {low:.1f}V{high:.1f}"
    return tag("path", d=path, class_="whisker")
