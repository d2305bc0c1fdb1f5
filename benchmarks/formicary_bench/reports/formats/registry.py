"""The formats of a report, one module each: to add one, add its module here."""

from __future__ import annotations

from dataclasses import dataclass, replace

from formicary_bench.experiments.experiment import Loaded


@dataclass(frozen=True)
class Format:
    """A format.

    Attributes:
        name: Its name on the command line.
        write: `(document, stream) -> None`; None for charts, which are files in a folder.
        file: The name of a published file of it; empty if none is published.
        what: A description of such a file.
        for_programs: Whether it is read by programs, which do not see other output.
        is_binary: Whether it is bytes, and so only written to a file.
    """

    name: str
    write: Loaded | None = None
    file: str = ""
    what: str = ""
    for_programs: bool = False
    is_binary: bool = False


FIGURES = "figures"
"""The folder of charts, in a run or beside a page."""


def _text(name: str, module: str, file: str = "", what: str = "", *, for_programs: bool = False) -> Format:
    return Format(
        name, Loaded(f"formicary_bench.reports.formats.{module}:write"), file, what, for_programs=for_programs
    )


_ALL = (
    _text("html", "html"),
    _text("terminal", "terminal"),
    _text("markdown", "markdown", "tables.md", "tables, Markdown"),
    _text("latex", "latex", "tables.tex", "tables and figures, LaTeX"),
    _text("csv", "csv", "rows.csv", "figures of each configuration, CSV", for_programs=True),
    _text("csv-long", "csv_long", for_programs=True),
    replace(_text("parquet", "parquet", for_programs=True), is_binary=True),
    _text("json", "json_lines", "rows.jsonl", "the same, JSON lines", for_programs=True),
    *(Format(kind, for_programs=True) for kind in ("png", "svg", "pdf")),
)

FORMATS = {one.name: one for one in _ALL}
"""By name."""

PICTURES = tuple(one.name for one in _ALL if one.write is None)
"""Those of charts for print."""
