"""Kinds of charts: lines over an axis, dots with their intervals, and bars made of parts.

The scale begins at zero, or is logarithmic where the largest is many times the smallest: a length from zero
would then hide the small ones. What each repetition gave is a small dot beside the large one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from formicary_bench.reports.charts import scales

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.reports.charts.scales import Scale
    from formicary_bench.reports.charts.series import Series


MANY = 8.0  # times the smallest, from which on a scale is logarithmic


class Dot(msgspec.Struct, frozen=True):
    """A figure with its series, value, text, interval, and whether it is sound.

    `note` is further text; `of` is the anchor of its row; `values` are those
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
        return f"{self.series.label}: {', '.join(filter(None, (self.text, self.note)))}"


class Dots(msgspec.Struct, frozen=True):
    """A chart of such figures in named groups, all on one scale.

    Attributes:
        groups: The figures, the first at the top.
        title: What the axis is.
        tick: How a value of it is written.
        of_ratios: Whether the figures are ratios: the scale is logarithmic then, with a line where both are
            the same.
    """

    groups: dict[str, list[Dot]]
    title: str
    tick: Callable[[float], str]
    of_ratios: bool = False

    @property
    def all(self) -> list[Dot]:
        return [dot for dots in self.groups.values() for dot in dots]

    @property
    def scale(self) -> Scale:
        """The one scale that all of them are on."""
        reach = [value for dot in self.all for value in (dot.value, *(dot.bounds or ()), *dot.values)]
        if self.of_ratios:
            return scales.ratios(reach, self.tick)
        values = [dot.value for dot in self.all] or [0.0]  # a folder of others may have no figure
        if min(values) > 0 and max(values) > MANY * min(values):
            least = min(values) / MANY  # an interval down to next to nothing must not make all others small
            return scales.logarithmic([max(value, least) for value in reach], self.tick)
        return scales.linear([*reach, 0.0], self.tick)


def ranked(dots: Sequence[Dot], *, more_is_better: bool) -> list[Dot]:
    """Return figures with the best one first."""
    return sorted(dots, key=lambda dot: -dot.value if more_is_better else dot.value)


class Segment(msgspec.Struct, frozen=True):
    """A part of a bar: its series, its share (0 to 1), and its tooltip."""

    series: Series
    share: float
    tip: str


class Stack(msgspec.Struct, frozen=True):
    """A bar: its name, its parts, and whether it was published rather than measured here.

    `of` is the anchor of the row that it stands for.
    """

    label: str
    parts: tuple[Segment, ...]
    published: bool = False
    of: str = ""


class Stacks(msgspec.Struct, frozen=True):
    """A chart of such bars in named groups, all on one scale: that of shares."""

    groups: dict[str, list[Stack]]

    @property
    def series(self) -> list[Series]:
        """What the parts are of, in their order."""
        parts = (part for stacks in self.groups.values() for stack in stacks for part in stack.parts)
        return list(dict.fromkeys(part.series for part in parts))


class Point(msgspec.Struct, frozen=True):
    """A point of a line: its interval, if it has one, its tooltip, and whether it is sound.

    `of` is the anchor of the row that it stands for.
    """

    x: float
    y: float
    tip: str
    bounds: tuple[float, float] | None = None
    sound: bool = True
    marked: bool = True
    of: str = ""


class Axis(msgspec.Struct, frozen=True):
    """An axis: its title, how its values are written, and what makes a scale for them."""

    title: str
    text: Callable[[float], str]
    scale: Callable[[list[float], Callable[[float], str]], Scale] = scales.logarithmic


class Lines(msgspec.Struct, frozen=True):
    """A chart of lines.

    Attributes:
        across: The horizontal axis.
        up: The vertical one.
        lines: The points of each series.
        panels: The names of the panels that series are in, all of the same axes; one panel if empty.
        choice: Whether a reader can switch to a linear axis.
    """

    across: Axis
    up: Axis
    lines: dict[Series, list[Point]]
    panels: dict[Series, str] = {}
    choice: bool = False

    @property
    def x(self) -> Scale:
        return self.across.scale([point.x for point in self._points], self.across.text)

    @property
    def y(self) -> Scale:
        points = self._points
        low = min(point.y for point in points)
        least = low / MANY if low > 0 else low  # an interval down to nothing must not make all others small
        reach = [max(value, least) for point in points for value in (point.y, *(point.bounds or ()))]
        return self.up.scale(reach, self.up.text)

    @property
    def _points(self) -> list[Point]:
        found = [point for points in self.lines.values() for point in points]
        return found or [Point(1.0, 1.0, "")]  # runs of others may have nothing to show

    @property
    def linear(self) -> Lines:
        """The same chart with a linear vertical axis from zero."""
        return replace(self, up=replace(self.up, scale=scales.from_zero))

    @property
    def named_panels(self) -> list[str]:
        """The names of the panels, in the order of their series."""
        return list(dict.fromkeys(self.panels.get(series, "") for series in self.lines)) or [""]


def axes_of(plot: Lines) -> str:
    """Describe the kinds of a chart's axes in a sentence."""
    across, up = plot.x.kind, plot.y.kind
    if across and across == up:
        return f"Both axes are {up}."
    parts = [
        f"the {name} axis is {kind}" for name, kind in (("horizontal", across), ("vertical", up)) if kind
    ]
    return f"{', '.join(parts).capitalize()}." if parts else ""


Plot = Lines | Dots | Stacks
