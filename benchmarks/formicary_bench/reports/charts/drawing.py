"""Layout of charts as inline SVG; the template `chart.svg` has the elements.

Each chart is drawn for a width, in its units; a report holds a wide and a narrow drawing of each, so that
text keeps its size on a phone. Colours come from the style sheet by class.
"""

from __future__ import annotations

from functools import cache
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

from formicary_bench.reports.charts import scales
from formicary_bench.reports.charts.lines import MANY, Dot, Dots, Lines, Segment, Stack, Stacks
from formicary_bench.reports.formats.template import environment

if TYPE_CHECKING:
    from collections.abc import Callable

    from markupsafe import Markup

    from formicary_bench.reports.charts.lines import Plot
    from formicary_bench.reports.charts.scales import Scale
    from formicary_bench.reports.charts.series import Series
    from formicary_bench.statistics.estimates import Typical

    Text = tuple[str, float, float, str]
    """A text, its position, and its CSS class."""

_LEFT, _RIGHT, _TOP, _BOTTOM, _HIGH = 58, 14, 30, 44, 246  # around a panel of lines, and in it
_GAP, _HEAD = 26, 20  # between panels, and of the name of one
_NARROW = 450  # up to which panels are one below another
_WORD, _LETTER = 7.6, 6.6  # the width of a letter of a name, at most, and of an axis or a note
_LINE, _GROUP, _FOOT, _MARGIN = 16, 28, 40, 10  # of dots
_WIDE, _LEAST = 900, 240  # from where on names stand beside their dots; room for dots
_ALL, _LOW, _TALL = 450, 28, 60  # how high rows are there together, about, and each
_STRIP = 168
_SHAPES = {  # of about equal area, so that none looks more important
    "circle": "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
    "square": "M-4-4h8v8h-8z",
    "diamond": "M0-5.8L5.8 0L0 5.8L-5.8 0z",
    "triangle": "M0-5.8L5.8 4H-5.8z",
    "nabla": "M0 5.8L5.8-4H-5.8z",
    "cross": "M-5.4-1.8h3.6v-3.6h3.6v3.6h3.6v3.6h-3.6v3.6h-3.6v-3.6h-3.6z",
}


def made(macro: str, *about: object) -> Markup:
    """Return what a macro of `chart.svg` makes, with foreign text escaped."""
    elements: Markup = getattr(_macros(), macro)(*about)
    return elements


@cache
def _macros() -> Any:
    templates = environment(finalize=_rounded)
    templates.globals["shapes"] = _SHAPES
    return templates.get_template("chart.svg").module


def _rounded(value: Any) -> Any:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else value


def draw(plot: Plot, name: str, title: str, description: str, width: int) -> Markup:
    """Draw a plot.

    Args:
        plot: What it shows.
        name: A name unique in the document.
        title: What a screen reader reads out first.
        description: What it reads out next.
        width: How wide it is drawn, in pixels.
    """
    height, body = body_of(plot, width)
    return made("drawing", name, title, description, body, width, height)


def body_of(plot: Plot, width: int) -> tuple[float, Markup]:
    """Return the height and the elements of a plot of a given width."""
    if isinstance(plot, Stacks):
        return _stacks(plot, width)
    return _lines(plot, width) if isinstance(plot, Lines) else _dots(plot, width)


def swatch(series: Series) -> Markup:
    """Draw the line and mark of a series, for a legend."""
    return made("legend", series)


def strip(known: Typical, text: Callable[[float], str], name: str) -> Markup:
    """Draw the values of repetitions as dots on a line, with the interval of the typical value."""
    reach = [*known.values, *(known.bounds or ()), known.value]
    scale = scales.logarithmic([max(value, known.value / MANY) for value in reach], text)
    places, whisker = (
        [5 + scale.place(value) * (_STRIP - 10) for value in values]
        for values in (known.values, known.bounds or ())
    )
    said = f"{name}: {', '.join(map(text, known.values))}"
    return made("strip", said, places, whisker)


class _Panel(NamedTuple):
    """A panel: its scales and position, the ticks across, and whether those upward have labels."""

    scales: tuple[Scale, Scale]
    name: str
    left: float
    top: float
    wide: float
    high: float
    ticks: list[tuple[float, str]]
    is_named: bool

    def x(self, value: float) -> float:
        return self.left + self.scales[0].place(value) * self.wide

    def y(self, value: float) -> float:
        return self.top + (1 - self.scales[1].place(value)) * self.high


def _lines(plot: Lines, width: int) -> tuple[float, Markup]:
    names, is_wide, x, y = plot.named_panels, width > _NARROW, plot.x, plot.y
    head = _HEAD if len(names) > 1 else 0
    beside = len(names) if is_wide else 1
    wide = (width - _LEFT - _RIGHT - _GAP * (beside - 1)) / beside
    panels = []
    for number, name in enumerate(names):
        column, row = (number, 0) if is_wide else (0, number)
        left, top = _LEFT + column * (wide + _GAP), _TOP + head + row * (_HIGH + _BOTTOM + head)
        ticks = _apart(x, left, wide, min(width, left + wide + _GAP))
        panels.append(_Panel((x, y), name, left, top, wide, _HIGH, ticks, is_named=column == 0))
    height = panels[-1].top + _HIGH + _BOTTOM
    middle = (_LEFT + width - _RIGHT) / 2
    return height, made("lines", plot, panels, y.ticks, _titled(plot.up.title, y), middle, height)


def _dots(plot: Dots, width: int) -> tuple[float, Markup]:
    scale, columns = plot.scale, _columns(plot, width)
    begin, end = columns[:2] if columns else (_MARGIN, width - _MARGIN)
    # Such a picture has the first screen to itself: a few rows are as high as many.
    row = min(max(_ALL // max(len(plot.all), 1), _LOW), _TALL)
    rows: list[tuple[list[Text], Dot, list[Text], float]] = []
    y = 4.0
    for name, dots in plot.groups.items():
        head: list[Text] = [(name, 0, y + _LINE, "group")] if name else []
        y += _GROUP if name else 0
        for dot in dots:
            if columns:
                line = y + row // 2 + 4
                texts: list[Text] = [
                    (dot.series.label, 0, line, "bar-label"),
                    (dot.text, columns[2], line, "bar-value"),
                    (dot.note, columns[3], line, "bar-note"),
                ]
                rows.append((head, dot, texts, y + row / 2))
                y += row
            else:
                texts, below = _above(dot, y + 12, width)
                rows.append((head, dot, texts, below - 2))
                y = below + 12
            head = []

    def at(value: float) -> float:
        return begin + scale.place(value) * (end - begin)

    same = at(1.0) if plot.of_ratios else None
    title, ticks = _titled(plot.title, scale), _apart(scale, begin, end - begin, width)
    return y + _FOOT, made("dots", rows, at, ticks, same, begin, end, y, title)


def _columns(plot: Dots, width: int) -> tuple[float, float, float, float] | None:
    """Return the horizontal positions of dots, values and notes; None if there is no room for columns."""
    words = zip(*((dot.series.label, dot.text, dot.note) for dot in plot.all), strict=True)
    names, texts, notes = (max(map(len, column)) for column in words) if plot.all else (0, 0, 0)
    note = width - notes * _LETTER
    text = note - 1.5 * _MARGIN
    begin, end = names * _WORD + 2 * _MARGIN, text - texts * _WORD - 1.5 * _MARGIN
    return (begin, end, text, note) if width >= _WIDE and end - begin >= _LEAST else None


def _above(dot: Dot, y: float, width: int) -> tuple[list[Text], float]:
    """Write a name, its value and a note above a dot without overlap, and return where the next line is."""
    label = wrap(dot.series.label, int(width / _WORD), max_lines=2, placeholder="…") or [""]
    texts: list[Text] = [(words, 0, y + _LINE * n, "bar-label") for n, words in enumerate(label)]
    y += _LINE * (len(label) - 1)
    if (len(label[-1]) + len(dot.text)) * _WORD > width:
        y += _LINE
    texts.append((dot.text, width, y, "bar-value"))
    for words in wrap(dot.note, int(width / _LETTER)):
        y += _LINE
        texts.append((words, 0, y, "bar-note"))
    return texts, y + _LINE


def _stacks(plot: Stacks, width: int) -> tuple[float, Markup]:
    texts: list[Text] = []
    parts: list[tuple[Stack, Segment, float, float, float]] = []
    y = 4.0
    for name, stacks in plot.groups.items():
        for line in wrap(name, int(width / _WORD)):
            texts.append((line, 0, y + _LINE, "group"))
            y += _LINE
        y += 14
        for stack in stacks:
            texts.append((stack.label, 0, y + 12, "bar-label"))
            whole = max(sum(part.share for part in stack.parts), 1.0)  # rounded shares may come to more
            x = 0.0
            for part in stack.parts:
                parts.append((stack, part, x, y + 18, part.share / whole * width))
                x += part.share / whole * width
            y += 46
        y += 8
    return y, made("stacks", texts, parts)


def _titled(title: str, scale: Scale) -> str:
    return f"{title} (logarithmic)" if scale.kind == scales.LOGARITHMIC else title


def _apart(scale: Scale, begin: float, across: float, end: float) -> list[tuple[float, str]]:
    """Place ticks, and omit labels that would overlap or leave the drawing."""
    free, found = 0.0, []
    for place, text in scale.ticks:
        x, half = begin + place * across, len(text) * _LETTER / 2
        fits = free <= x - half and x + half <= end
        found.append((x, text if fits else ""))
        free = x + half + _LETTER if fits else free
    return found
