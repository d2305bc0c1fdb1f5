"""Lines over an axis, side by side where they are of several placements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from formicary_bench.reports.charts import scales
from formicary_bench.reports.charts.dots import MANY, Dots
from formicary_bench.reports.charts.stacks import Stacks

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary_bench.reports.charts.scales import Scale
    from formicary_bench.reports.charts.series import Series


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


class Axis(msgspec.Struct, frozen=True):
    """An axis: its title, how a value of it is written, and what makes its scale of the values on it."""

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
        choice: Whether there is an axis of equal steps for whoever does not want the logarithmic one.
    """

    across: Axis
    up: Axis
    lines: dict[Series, list[Point]]
    panels: dict[Series, str] = {}
    choice: bool = False

    @property
    def x(self) -> Scale:
        """The scale of the horizontal axis."""
        return self.across.scale([point.x for point in self._points], self.across.text)

    @property
    def y(self) -> Scale:
        """The scale of the vertical axis."""
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
        """The same on a vertical axis of equal steps, from zero on."""
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
