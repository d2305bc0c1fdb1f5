"""`formicary bench report`: exports a run in a chosen format."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path  # noqa: TC003 -- typer reads it
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from formicary.cli.options import examples
from formicary.cli.output import say
from formicary.errors import UsageError
from formicary_bench.experiments.experiment import Loaded
from formicary_bench.files.refusals import writing
from formicary_bench.reports.formats.registry import FIGURES, FORMATS, PICTURES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.results.store.folder import RunFolder

REPORT = examples(
    "bench report runs/before",
    "bench report runs/before --format latex --to tables.tex",
    "bench report runs/before --format csv --raw --to round-trips.csv",
    "bench report runs/before --format pdf --columns 2 --to figures",
)

_SHAPES = f"{', '.join(PICTURES[:-1])} and {PICTURES[-1]}"
_RAW = Loaded("formicary_bench.reports.formats.csv:write_raw")


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's folder.")],
    *,
    kind: Annotated[str, typer.Option("--format", metavar="|".join(FORMATS), help="What to write.")] = "html",
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="File to write, or folder for figures.",
            show_default="html: RUN/report.html; figures: RUN/figures; otherwise standard output",
        ),
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="With csv: one line per raw value instead of per configuration.")
    ] = False,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="1|2",
            help=f"With {_SHAPES}: width in columns of a paper.",
            show_default="1",
        ),
    ] = None,
) -> None:
    """Export a run as a page, tables or figures.

    An existing file is replaced.
    """
    _check(kind, columns, raw=raw)
    from formicary_bench.results.store.folder import RunFolder

    opened = RunFolder.open(run)
    if FORMATS[kind].for_programs and not opened.manifest.complete:
        from formicary_bench.reports.formats.terminal import partial

        say(f"! {partial(opened.manifest)}", err=True)  # as a reader of them may not look
    write = FORMATS[kind].write
    if write is None:
        _draw(opened, kind, int(columns or 1), to or run / FIGURES)
    elif kind == "html" and to is None:
        from formicary_bench.reports.formats.html import write_html

        say(write_html(opened))
    else:
        from formicary_bench.reports.document.sections import Document

        with _stream(to, is_binary=FORMATS[kind].is_binary) as stream:
            (_RAW if raw else write).load()(Document(opened), stream)


def _check(kind: str, columns: str | None, *, raw: bool) -> None:
    if kind not in FORMATS:
        raise UsageError(f"--format must be one of {', '.join(FORMATS)}, not {kind!r}")
    if raw and kind != "csv":
        raise UsageError(f"--raw requires --format csv, not {kind}: omit it, or use csv")
    if columns is not None and kind not in PICTURES:
        raise UsageError(f"--columns requires --format {_SHAPES}, not {kind}: omit it")
    if columns not in {None, "1", "2"}:
        raise UsageError(f"--columns must be 1 or 2, not {columns!r}")


def _draw(run: RunFolder, kind: str, columns: int, folder: Path) -> None:
    from formicary_bench.reports.charts.printing import need_figures, write_pictures
    from formicary_bench.reports.document.sections import sections_of

    need_figures((kind,))
    charts = [chart for section in sections_of(run) for chart in section.charts]
    for path in write_pictures(charts, kind, columns, folder):
        say(path)
    if not charts:
        say(f"formicary: {run.path} has nothing to draw", err=True)


@contextmanager
def _stream(path: Path | None, *, is_binary: bool) -> Iterator[IO[Any]]:
    """Yield where to write: standard output, or a file that is replaced only once complete."""
    if path is None and is_binary:
        raise UsageError("this format requires a file: specify one with --to")
    if path is None:
        yield sys.stdout
        return
    about: dict[str, Any] = {"mode": "wb"} if is_binary else {"mode": "w", "encoding": "utf-8", "newline": ""}
    from formicary.core.files import output_file

    advice = "choose another file with --to"
    with writing(path, advice), output_file(path) as temporary, temporary.open(**about) as file:
        yield file
        file.flush()
    say(path)
