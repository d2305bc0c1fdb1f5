"""Bars that are made of parts, each as long as its share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from formicary_bench.reports.charts.series import Series


class Part(msgspec.Struct, frozen=True):
    """A part of a bar: what it is of, its share (0 to 1), and what a reader is told."""

    series: Series
    share: float
    tip: str


class Stack(msgspec.Struct, frozen=True):
    """A bar: its name, its parts, whether it was published by somebody else and not measured here.

    `of` is the anchor of the row that it stands for.
    """

    label: str
    parts: tuple[Part, ...]
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
