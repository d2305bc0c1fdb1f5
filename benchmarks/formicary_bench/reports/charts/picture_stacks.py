"""Charts of stacked bars for print, and what they share with the other charts for print."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from formicary.core.quoting import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from formicary_bench.reports.charts.stacks import Stack, Stacks

LETTER = 0.056
"""Inches of a letter, at most."""

HATCH = "//////"
"""What bars look like that somebody else has published."""

_BOLD = 1.15  # how much wider letters of a group's name are
_LINE, _STACK = 0.16, 0.38  # inches
_SMALL = 6


def height_of(chart: Stacks, width: float) -> float:
    """Give how high a chart is of a width, in inches."""
    lines = sum(len(wrapped(name, width)) for name in chart.groups)
    stacks = sum(map(len, chart.groups.values()))
    return 0.1 + _LINE * (lines + len(chart.groups) + _legend_lines(chart, width)) + _STACK * stacks


def draw_stacks(drawing: Drawing, chart: Stacks, colours: dict[str, str]) -> Drawing:
    """Draw bars made of parts into a drawing that is as high as `height_of` says."""
    from matplotlib.patches import Patch

    width = drawing.get_figwidth()
    axes = drawing.add_axes((0.01, 0, 0.98, 1))
    axes.set_axis_off()
    named = [Patch(color=colours[one.colour], label=plain(one.label)) for one in chart.series]
    axes.legend(
        handles=named, loc="upper left", ncols=_across(width), frameon=False, fontsize=_SMALL,
        bbox_to_anchor=(0, 1), borderaxespad=0, handlelength=1,
    )  # fmt: skip
    y = _LINE * (_legend_lines(chart, width) + 0.5)
    for name, stacks in chart.groups.items():
        for line in wrapped(name, width):
            y += _LINE
            axes.text(0, y, plain(line), weight="bold")
        for stack in stacks:
            _stack(axes, stack, y + 0.03, colours)
            y += _STACK
        y += _LINE / 2
    axes.set(xlim=(0, 1), ylim=(drawing.get_figheight(), 0))
    return drawing


def _stack(axes: Axes, stack: Stack, y: float, colours: dict[str, str]) -> None:
    look: Any = {"edgecolor": "white", "linewidth": 0.5, "hatch": HATCH if stack.published else None}
    axes.text(0, y + 0.13, plain(stack.label))
    left, whole = 0.0, max(sum(part.share for part in stack.parts), 1.0)
    for part in stack.parts:
        length = part.share / whole
        axes.barh(y + 0.23, length, left=left, height=0.13, facecolor=colours[part.series.colour], **look)
        left += length


def wrapped(text: str, width: float) -> list[str]:
    """Break a group's name into lines of a width in inches; none if it has no name."""
    return textwrap.wrap(text, max(int(width / LETTER / _BOLD), 10))


def plain(text: str) -> str:
    """Give a text that is not taken for mathematics."""
    return printable(text).replace("\\", "\\\\").replace("$", r"\$")


def _across(width: float) -> int:
    return max(int(width / 1.7), 1)


def _legend_lines(chart: Stacks, width: float) -> int:
    return -(-len(chart.series) // _across(width))
