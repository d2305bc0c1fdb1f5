"""Dots with their intervals, all on one labelled scale.

The scale begins at zero, or is logarithmic where the largest is many times the smallest: a length from zero
would then hide the small ones. What each repetition gave is a small dot beside the large one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.reports.charts import scales

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.reports.charts.scales import Scale
    from formicary_bench.reports.charts.series import Series

MANY = 8.0  # times the smallest, from which on a scale is logarithmic


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
        """The tooltip."""
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
        """The figures of all groups."""
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
