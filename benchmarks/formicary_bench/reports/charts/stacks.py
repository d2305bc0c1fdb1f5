"""Bars that are made of parts, each as long as its share: the chart, and its drawing as inline SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.reports.charts.svg import tag

if TYPE_CHECKING:
    from markupsafe import Markup

    from formicary_bench.reports.charts.series import Series

_ROW, _GROUP, _HEIGHT = 46, 30, 17
_LETTER = 7  # the width of a letter of a group's name, at most


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


def draw_stacks(plot: Stacks, width: int) -> tuple[int, list[Markup]]:
    """Draw a chart, and say how high it is; as in `charts.draw`."""
    body: list[Markup] = []
    y = 4
    for name, stacks in plot.groups.items():
        for line in _wrapped(name, width // _LETTER):
            body.append(tag("text", line, x=0.0, y=y + 16, class_="group"))
            y += 16
        y += _GROUP - 16
        for stack in stacks:
            body.append(_stack(stack, y, width))
            y += _ROW
        y += 8
    return y, body


def _stack(stack: Stack, y: int, width: int) -> Markup:
    parts, x = [tag("text", stack.label, x=0.0, y=y + 12, class_="bar-label")], 0.0
    whole = max(sum(part.share for part in stack.parts), 1.0)  # rounded shares may come to more
    for part in stack.parts:
        length = part.share / whole * width
        parts.append(_part(part, stack, x, y + 18, length))
        x += length
    return tag("g", *parts)


def _part(part: Part, stack: Stack, x: float, y: int, length: float) -> Markup:
    place = {"x": x, "y": float(y), "width": length, "height": float(_HEIGHT)}
    hatch = [tag("rect", **place, fill="url(#hatch)")] if stack.published else []
    title = tag("title", f"{stack.label}: {part.tip}")
    shapes = [
        tag("rect", **place, class_="bar part"),
        *hatch,
        tag("rect", title, **place, class_="hit", data_of=stack.of or None),
    ]
    return tag("g", *shapes, class_=f"series s-{part.series.colour}", data_series=part.series.label)


def _wrapped(text: str, most: int) -> list[str]:
    """Break a text into lines, as SVG does not."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + len(word) >= most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines if text else []
