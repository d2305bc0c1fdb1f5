"""`formicary bench report`: a run in the format that somebody needs it in."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path  # noqa: TC003 -- typer reads it
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from formicary.cli.options import examples
from formicary.cli.output import say
from formicary.errors import FormicaryError, UsageError
from formicary_bench.experiments.experiment import Loaded
from formicary_bench.files.refusals import next_step
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
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    *,
    kind: Annotated[str, typer.Option("--format", metavar="|".join(FORMATS), help="What to make.")] = "html",
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="File to write; of figures, the folder.",
            show_default="html: RUN/report.html; figures: RUN/figures; else standard output",
        ),
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="With csv: a line for each raw value, not for each configuration.")
    ] = False,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="1|2",
            help=f"With {_SHAPES}: how many columns of a paper to fill.",
            show_default="1",
        ),
    ] = None,
) -> None:
    """Export a run as a page, tables or figures.

    A file that is there already is replaced.
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
        raise UsageError(f"--format is one of {', '.join(FORMATS)}, and not {kind!r}")
    if raw and kind != "csv":
        raise UsageError(f"--raw is for --format csv, and not for {kind}: leave it out, or ask for csv")
    if columns is not None and kind not in PICTURES:
        raise UsageError(f"--columns is for --format {_SHAPES}, and not for {kind}: leave it out")
    if columns not in {None, "1", "2"}:
        raise UsageError(f"--columns is 1 or 2, and not {columns!r}")


def _draw(run: RunFolder, kind: str, columns: int, folder: Path) -> None:
    from formicary_bench.reports.charts.printing import need_figures, write_pictures
    from formicary_bench.reports.document.sections import sections_of

    need_figures((kind,))
    charts = [chart for section in sections_of(run) for chart in section.charts]
    for path in write_pictures(charts, kind, columns, folder):
        say(path)
    if not charts:
        say(f"formicary: nothing was measured in {run.path} that is drawn", err=True)


@contextmanager
def _stream(path: Path | None, *, is_binary: bool) -> Iterator[IO[Any]]:
    """Return where to write: standard output, or a file that is there completely or as it was."""
    if path is None and is_binary:
        raise UsageError("this format is for files: name one with --to")
    if path is None:
        yield sys.stdout
        return
    about: dict[str, Any] = {"mode": "wb"} if is_binary else {"mode": "w", "encoding": "utf-8", "newline": ""}
    from formicary.core.files import output_file

    try:
        with output_file(path) as temporary, temporary.open(**about) as file:
            yield file
            file.flush()
    except OSError as error:
        raise FormicaryError(
            f"{path} cannot be written ({error.strerror or error}): "
            f"{next_step(error, 'name another file with --to')}"
        ) from error
    say(path)
