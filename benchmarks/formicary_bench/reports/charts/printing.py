"""A run's charts as files for print, each for one column of a paper or for two: PNG, SVG or PDF.

They are the drawings of the page, in its colours on paper, with a legend. Marks and dashes say the same
without colour, and letters stay letters in SVG and PDF. PNG and PDF are converted from the SVG: that needs
the extra `figures`. The same run gives the same files.
"""

from __future__ import annotations

import re
from contextlib import ExitStack, suppress
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from formicary.core.errors import UsageError
from formicary.core.files import replacing
from formicary.core.quoting import printable
from formicary_bench.files.refusals import writing
from formicary_bench.reports.charts.drawing import body_of, made
from formicary_bench.reports.formats.registry import PICTURES
from formicary_bench.reports.formats.template import template

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from formicary_bench.reports.charts.plots import Chart
    from formicary_bench.reports.charts.series import Series

WIDTHS = {1: 3.5, 2: 7.16}
"""Inches of one column of a paper, and of two."""

_PIXELS = 123  # of a drawing for each inch: letters are those of a caption
_DOTS = 300  # per inch, in PNG
_LETTER, _LINE, _SWATCH = 7.3, 18, 34  # pixels of a legend
_VARIABLE = re.compile(r"var\(--([a-z-]+)\)")
_PAGE = (
    "#set page(width: {inches}in, height: auto, margin: 0pt)\n#set document(title: sys.inputs.title)\n"
    '#image(bytes(sys.inputs.svg), format: "svg", width: 100%)'
)


def need_figures(kinds: Sequence[str] = PICTURES) -> None:
    """Make sure that the extra `figures` is installed where a kind of file needs it.

    Raises:
        UsageError: it is not.
    """
    if find_spec("typst") is None and set(kinds) != {"svg"}:
        raise UsageError(
            'figures cannot be drawn: typst is not installed; install it: pip install "formicary[figures]"'
        )


def write_pictures(charts: Sequence[Chart], kind: str, columns: int, folder: Path) -> list[Path]:
    """Draw charts into files, in place of older ones, and return the files.

    Args:
        charts: The charts.
        kind: `png`, `svg` or `pdf`.
        columns: How many columns of a paper they are to fill, 1 or 2.
        folder: Where to; it is made if need be.

    Raises:
        UsageError: The extra `figures` is not installed.
        FormicaryError: The files cannot be written; then none of them is there, or all are as they were.
    """
    with writing(folder, "choose another folder with --to"):
        return [path for paths in write_kinds(charts, (kind,), columns, folder) for path in paths]


def write_kinds(
    charts: Sequence[Chart], kinds: Sequence[str], columns: int, folder: Path
) -> list[list[Path]]:
    """Draw charts into files of several kinds; as `write_pictures`, which has one of them.

    Returns:
        The files of each chart.

    Raises:
        UsageError: The extra `figures` is not installed.
        OSError: The files cannot be written.
    """
    need_figures(kinds)
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    found: list[list[Path]] = []
    try:
        with ExitStack() as together:  # the files take their names when the last one is written
            for number, chart in enumerate(charts, 1):
                drawing = draw_for_print(chart, WIDTHS[columns])
                paths = [folder / f"{stem(number, chart)}.{kind}" for kind in kinds]
                for kind, path in zip(kinds, paths, strict=True):
                    temporary = together.enter_context(replacing(path))
                    temporary.write_bytes(_converted(drawing, kind, WIDTHS[columns], chart.title))
                found.append(paths)
    except BaseException:
        if is_new:
            with suppress(OSError):
                folder.rmdir()
        raise
    return found


def stem(number: int, chart: Chart) -> str:
    """Return the name of a chart's files, without that of their kind.

    Args:
        number: Which of all charts of the run it is, from 1 on.
        chart: The chart.
    """
    return f"{number:02}-{_slug(chart.title)}"


def draw_for_print(chart: Chart, inches: float) -> str:
    """Draw a chart as an SVG document of its own; its title is left to the paper's caption."""
    width = round(inches * _PIXELS)
    legend, top = _legend(chart.legend, width)
    height, body = body_of(chart.plot, width)
    drawing = made("document", chart.title, _style(), legend, top, body, width, height + top, inches)
    # Names come from others, and what cannot be printed may not stand in XML.
    return "".join(
        letter if letter.isprintable() or letter == "\n" else "\N{REPLACEMENT CHARACTER}"
        for letter in drawing
    )


def palette() -> dict[str, str]:
    """Return the colours of the page on paper, by their names: series have a letter each."""
    light, _, on_paper = re.findall(r":root \{(.*?)\}", template("report.css"), re.DOTALL)
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]+);", light + on_paper))


@cache
def _style() -> Markup:
    """Return the page's style of charts with its variables resolved, which converters do not know."""
    colours = palette()
    series = [f".s-{name} {{ color: {value} }}" for name, value in colours.items() if len(name) == 1]
    style = _VARIABLE.sub(lambda name: colours[name[1]], template("chart.css"))
    return Markup(style + "\n".join(series))  # noqa: S704 - our own file


def _legend(series: Sequence[Series], width: int) -> tuple[list[tuple[Series, float, int]], int]:
    """Return where the entries of a legend are, as many in a line as there is room for, and its height."""
    entries: list[tuple[Series, float, int]] = []
    x, y = 0.0, 0
    for one in series:
        room = _SWATCH + len(one.label) * _LETTER
        if x and x + room > width:
            x, y = 0.0, y + _LINE
        entries.append((one, x, y))
        x += room + _LETTER
    return entries, (y + _LINE + 6 if entries else 0)


def _converted(drawing: str, kind: str, inches: float, title: str) -> bytes:
    if kind == "svg":
        return drawing.encode()
    import typst

    found: Any = typst.compile(
        _PAGE.format(inches=inches).encode(),
        format="png" if kind == "png" else "pdf",
        ppi=float(_DOTS),
        font_paths=_fonts(),
        sys_inputs={"svg": drawing, "title": printable(title)},
        timestamp=0,  # not that of the day: the same run gives the same bytes
    )
    return bytes(found[0] if isinstance(found, list) else found)


@cache
def _fonts() -> Any:
    """Look for fonts once: those of the system, and those that come with the converter."""
    import typst

    return typst.Fonts()


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", title.lower()).strip("-.")[:100] or "figure"
