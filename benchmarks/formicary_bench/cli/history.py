"""`formicary bench history`: an experiment across all runs."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - Typer resolves the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from formicary.cli.options import examples
from formicary.cli.output import say, show_json
from formicary.core.quoting import shorten
from formicary.errors import UsageError
from formicary_bench.cli.compare import To  # noqa: TC001 - Typer resolves the annotations
from formicary_bench.cli.listing import JsonLines  # noqa: TC001 - Typer resolves the annotations

if TYPE_CHECKING:
    from formicary_bench.results.verdicts.history import History

HISTORY = examples(
    "bench history",
    "bench history messaging/pairs",
    "bench history messaging/pairs --runs /mnt/lab-4/runs --to history.html",
    "bench history --json",
)


def history(
    experiment: Annotated[
        str | None,
        typer.Argument(
            metavar="[EXPERIMENT]", help="An experiment, or a group of experiments.", show_default=False
        ),
    ] = None,
    *,
    runs: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER",
            help="A folder of runs, or a run; repeat for several.",
            show_default="runs",
        ),
    ] = None,
    to: To = None,
    as_json: JsonLines = False,
) -> None:
    """Show an experiment across all runs, and where the machine or the version changed.

    Searches the folder runs, or only those given with --runs. Without EXPERIMENT,
    lists every experiment that was measured. Each run is compared with the latest
    earlier one on a similar machine.
    """
    from formicary_bench.reports.document.history import lines_of
    from formicary_bench.results.store.finding import find_all
    from formicary_bench.results.verdicts.history import history as collect

    folders, broken = find_all(runs or ())
    found = collect(folders, experiment)
    for sentence in [*broken, *found.remarks]:
        say(f"! {sentence}", err=True)
    if not found.tracks:
        what = f" of {shorten(experiment)}" if experiment else ""
        raise UsageError(
            f"no run{what} can be compared: specify folders of runs with --runs, or list what was "
            "measured with formicary bench history"
        )
    if to is not None:
        from formicary_bench.reports.document.history import history_sheet
        from formicary_bench.reports.formats.sheet import write_sheet

        write_sheet(history_sheet(found), to)
    if as_json:
        for line in lines_of(found):
            show_json(line)
        return
    _show(found, everything=experiment is not None)
    if to is not None:
        say(f"Page with charts: {to}")


def _show(found: History, *, everything: bool) -> None:
    from formicary_bench.reports.document.history import overview, track_tables
    from formicary_bench.reports.formats.terminal import console_for_reports, show_extra

    console = console_for_reports()
    if not everything:
        show_extra(overview(found), console)
        say()
        say("Show one with: formicary bench history EXPERIMENT")
        return
    for experiment in found.experiments:
        say()
        say(experiment)
        for table in track_tables(found, experiment):
            show_extra(table, console)
