"""`formicary bench show`: shows a run again, from its folder alone."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 - Typer resolves the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from formicary.cli.options import examples
from formicary.cli.output import say
from formicary_bench.cli.listing import JsonLines  # noqa: TC001 - Typer resolves the annotations

if TYPE_CHECKING:
    from formicary_bench.results.store.folder import RunFolder

SHOW = examples(
    "bench show runs/2026-03-14T15-09-26-quick",
    "bench show my-run --warm-up detect",
    "bench show my-run --cold",
    "bench show my-run --json",
)


def show(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="The run's folder.")],
    *,
    warm_up: Annotated[
        str | None,
        typer.Option(
            "--warm-up",
            metavar="detect|paper|N",
            help="What to discard as warm-up this time. detect: until the times have settled; paper: "
            "the first 500 round trips of each pair; N: the first N.",
            show_default="as in the run",
        ),
    ] = None,
    cold: Annotated[
        bool,
        typer.Option(
            "--cold",
            help="Also show other platforms when cold, in the first round of a process.",
        ),
    ] = False,
    as_json: JsonLines = False,
) -> None:
    """Show all tables of an earlier run, and rebuild its report."""
    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.summary.warm_up import with_rule

    run_folder = RunFolder.open(folder)
    if warm_up is not None:
        run_folder.manifest = with_rule(run_folder.manifest, warm_up)
    show_run(run_folder, as_json=as_json, tables=True, cold=cold)


def show_run(run_folder: RunFolder, *, as_json: bool, tables: bool, cold: bool = False) -> None:
    """Print a run's results, and write its report."""
    from formicary_bench.reports.document.sections import Document
    from formicary_bench.reports.document.stability import cold_extras
    from formicary_bench.reports.formats import html, json_lines, terminal, terminal_overview

    document, console = Document(run_folder), terminal.console_for_reports()
    if as_json:
        json_lines.write(document, sys.stdout)
        if not run_folder.manifest.complete:
            say(f"! {terminal.partial(run_folder.manifest)}", err=True)
    elif tables:
        terminal.show(document, console)
        for extra in cold_extras(document.shown) if cold else ():
            terminal.show_extra(extra, console)
    else:
        terminal_overview.show(document, console)
    report = html.write_html(run_folder, document)
    say(err=as_json)
    say(f"Report      {report}", err=as_json)
    if not (as_json or tables):
        say(f"All tables  formicary bench show {run_folder.path}")
        if document.again:
            say(f"Run again   {document.again}")
