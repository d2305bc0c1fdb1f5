"""A run's charts as files for print, each for one column of a paper or for two: PNG, SVG or PDF.

This is the only module that needs the extra `figures`. Colours are those of the HTML report, marks and dashes
say the same without colour, and letters stay letters in SVG and PDF. The same run gives the same files.
"""

from __future__ import annotations

import re
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from formicary.core.files import replacing
from formicary.core.quoting import printable
from formicary.errors import FormicaryError, UsageError
from formicary_bench.reports.charts.picture_stacks import (
    HATCH,
    LETTER,
    draw_stacks,
    height_of,
    plain,
    wrapped,
)
from formicary_bench.reports.charts.stacks import Stacks
from formicary_bench.reports.charts.svg_charts import Lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from formicary_bench.reports.charts.plots import Chart
    from formicary_bench.reports.charts.scales import Tick
    from formicary_bench.reports.charts.series import Series
    from formicary_bench.reports.charts.svg_charts import Bar, Bars, Point

WIDTHS = {1: 3.5, 2: 7.16}
"""Inches of one column of a paper, and of two."""

_HANDLE = 0.45  # inches of a line in a legend
_DOTS = 300  # per inch, in PNG
_BAR, _GROUP = 0.36, 0.24  # inches
_MARKS = {"circle": "o", "square": "s", "diamond": "D", "triangle": "^", "nabla": "v", "cross": "P"}
_STYLE: Any = {
    "font.size": 7,
    "font.family": "sans-serif",
    "axes.linewidth": 0.6,
    "hatch.linewidth": 1.2,
    "lines.scale_dashes": False,
    "lines.linewidth": 1.0,
    "lines.markersize": 3.5,
    "pdf.fonttype": 42,  # TrueType, which publishers take
    "svg.fonttype": "none",
    "svg.hashsalt": "formicary",
}
_DATES = {"svg": {"Date": None}, "pdf": {"CreationDate": None, "ModDate": None}, "png": {}}


def need_figures() -> None:
    """Make sure that the extra `figures` is installed.

    Raises:
        UsageError: it is not.
    """
    if find_spec("matplotlib") is None:
        raise UsageError(
            "figures cannot be drawn: matplotlib is not installed; install it: "
            'pip install "formicary[figures]"'
        )


def write_pictures(figures: Sequence[Chart], kind: str, columns: int, folder: Path) -> list[Path]:
    """Draw charts into files, in place of older ones, and give the files.

    Args:
        figures: The charts.
        kind: `png`, `svg` or `pdf`.
        columns: How many columns of a paper they are to fill, 1 or 2.
        folder: Where to; it is made if need be.

    Raises:
        UsageError: The extra `figures` is not installed.
        FormicaryError: The files cannot be written; then none of them is there, or all are as they were.
    """
    try:
        return [path for paths in write_kinds(figures, (kind,), columns, folder) for path in paths]
    except OSError as error:
        raise FormicaryError(
            f"figures cannot be written to {folder} ({error.strerror or error}): free some space or name "
            "another folder with --to"
        ) from error


def write_kinds(
    figures: Sequence[Chart], kinds: Sequence[str], columns: int, folder: Path
) -> list[list[Path]]:
    """Draw charts into files of several kinds; as `write_pictures`, which has one of them.

    Returns:
        The files of each chart.

    Raises:
        UsageError: The extra `figures` is not installed.
        OSError: The files cannot be written.
    """
    need_figures()
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with ExitStack() as together:  # the files take their names when the last one is written
            stems = (folder / f"{number:02}-{_slug(one.title)}" for number, one in enumerate(figures, 1))
            return [
                _write(figure, stem, kinds, WIDTHS[columns], together)
                for figure, stem in zip(figures, stems, strict=True)
            ]
    except BaseException:
        if is_new:
            with suppress(OSError):
                folder.rmdir()
        raise


def _write(figure: Chart, stem: Path, kinds: Sequence[str], width: float, together: ExitStack) -> list[Path]:
    from matplotlib import rc_context

    paths = [stem.with_name(f"{stem.name}.{kind}") for kind in kinds]
    with rc_context(_STYLE):
        drawing = draw(figure, width)
        for kind, path in zip(kinds, paths, strict=True):
            about = {"Title": printable(figure.title), **_DATES[kind]}
            temporary = together.enter_context(replacing(path))
            drawing.savefig(temporary, format=kind, dpi=_DOTS, metadata=about)
            drawing.set_layout_engine("none")  # what stands where is known now, and was the most of the work
    return paths


def draw(figure: Chart, width: float) -> Drawing:
    """Draw a chart; its title is left to the paper's caption.

    Args:
        figure: The chart.
        width: Inches.
    """
    from matplotlib.figure import Figure as Drawing

    chart, colours = figure.plot, palette()
    if isinstance(chart, Stacks):
        return draw_stacks(Drawing(figsize=(width, height_of(chart, width))), chart, colours)
    if not isinstance(chart, Lines):
        return _bars(Drawing(figsize=(width, _height(chart, width))), chart, colours)
    entries = len(chart.lines)
    longest = max((len(series.label) for series in chart.lines), default=0)
    across = max(int(width / max(1.7, longest * LETTER + _HANDLE)), 1)
    drawing = Drawing(figsize=(width, 2.2 + 0.14 * -(-entries // across)), layout="constrained")
    axes = drawing.add_subplot()
    for series, points in chart.lines.items():
        _line(axes, chart, series, points, colours[series.colour])
    _label(axes, chart, width)
    drawing.legend(loc="outside upper center", ncols=across, frameon=False, fontsize=6, handlelength=3)
    return drawing


def palette() -> dict[str, str]:
    """Give the colours by their letters: those that the HTML report has on paper."""
    text = (Path(__file__).parent.parent / "formats" / "template" / "report.css").read_text(encoding="utf-8")
    return dict(re.findall(r"--([a-z]): (#[0-9a-f]{6});", text.partition("@media")[0]))


def _line(axes: Axes, chart: Lines, series: Series, points: Sequence[Point], colour: str) -> None:
    x = [chart.x.place(point.x) for point in points]
    y = [chart.y.place(point.y) for point in points]
    dash = [float(length) for length in series.dash.split()]
    style: Any = (0, [length / 2 for length in dash]) if dash else "-"
    mark = _MARKS[series.mark]
    axes.plot(x, y, color=colour, linestyle=style, marker=mark, markevery=[], label=plain(series.label))
    for point, at, height in zip(points, x, y, strict=True):
        if not point.marked:
            continue
        if point.bounds:
            low, high = (chart.y.place(bound) for bound in point.bounds)
            axes.vlines(at, low, high, color=colour, linewidth=0.8)
        inside = colour if point.sound else "white"
        axes.plot([at], [height], marker=mark, color=colour, markerfacecolor=inside, clip_on=False)


def _label(axes: Axes, chart: Lines, width: float) -> None:
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel=plain(chart.x_title), ylabel=plain(chart.y_title))
    axes.set_xticks([tick.place for tick in chart.x.ticks], _apart(chart.x.ticks, width - 0.7))
    axes.set_yticks([tick.place for tick in chart.y.ticks], [plain(tick.text) for tick in chart.y.ticks])
    axes.grid(visible=True, axis="y", color="#dddddd", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _apart(ticks: Sequence[Tick], inches: float) -> list[str]:
    """Give the names of an axis without those that would run into the one before."""
    found, free = [], -1.0
    for tick in ticks:
        room = len(tick.text) * LETTER / 2
        fits = tick.place * inches - room >= free
        found.append(plain(tick.text) if fits else "")
        free = tick.place * inches + room + LETTER if fits else free
    return found


def _height(chart: Bars, width: float) -> float:
    lines = sum(len(wrapped(name, width)) for name in chart.groups)
    return 0.1 + _GROUP * lines + _BAR * sum(map(len, chart.groups.values()))


def _bars(drawing: Drawing, chart: Bars, colours: dict[str, str]) -> Drawing:
    """Draw each group on a scale of its own, each bar below its name and value."""
    axes = drawing.add_axes((0.01, 0, 0.98, 1))
    axes.set_axis_off()
    y = 0.0
    for name, bars in chart.groups.items():
        for line in wrapped(name, drawing.get_figwidth()):
            axes.text(0, y + _GROUP * 0.7, plain(line), weight="bold")
            y += _GROUP
        for bar in bars:
            _bar(axes, bar, y, chart.longest(name), colours)
            y += _BAR
    axes.set(xlim=(0, 1), ylim=(y + 0.05, 0))
    return drawing


def _bar(axes: Axes, bar: Bar, y: float, longest: float, colours: dict[str, str]) -> None:
    colour, inches = colours[bar.series.colour], axes.get_window_extent().width / axes.figure.dpi
    room = max(int(inches / LETTER) - len(bar.text) - 2, 4)
    label = bar.series.label if len(bar.series.label) <= room else bar.series.label[: room - 1] + "…"
    axes.text(0, y + 0.15, plain(label))
    axes.text(1, y + 0.15, plain(bar.text), horizontalalignment="right")
    hollow = {"edgecolor": colour, "facecolor": "white", "linestyle": "--"}
    look: Any = {"color": colour} if bar.sound else hollow
    if bar.published:
        look = {"facecolor": colour, "edgecolor": "white", "hatch": HATCH, "linewidth": 0}
    axes.barh(y + 0.25, bar.value / longest, height=0.12, **look)
    if bar.bounds:
        low, high = (max(bound, 0) / longest for bound in bar.bounds)
        axes.plot([low, high], [y + 0.25] * 2, color="black", linewidth=0.8, marker="|", clip_on=False)


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", title.lower()).strip("-.")[:100] or "figure"
