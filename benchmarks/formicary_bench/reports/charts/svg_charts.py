"""Lines over an axis, side by side where they are of several placements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.reports.charts.dots import Dots
from formicary_bench.reports.charts.stacks import Stacks

if TYPE_CHECKING:
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
