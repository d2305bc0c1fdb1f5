"""`formicary bench`: measure, list what can be measured, show what was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from formicary.cli.options import examples
from formicary.cli.output import say
from formicary.errors import UsageError
from formicary_bench.cli import compare, listing, publish
from formicary_bench.cli import plan as plans
from formicary_bench.cli import report as reporting
from formicary_bench.cli import run as running
from formicary_bench.cli import show as showing
from formicary_bench.cli.listing import JsonLines  # noqa: TC001 - Typer resolves the annotations
from formicary_bench.cli.model import model
from formicary_bench.cli.platforms import app as platforms

CPU_GROUP = "runtime"

app = typer.Typer(
    no_args_is_help=True,
    help="Measure what messages between agents cost on this machine, beside what they cannot cost less than.",
)

_LISTED = ("what", "source", "varies", "placements")
_SIZES = {"loads": "pairs", **{name: name for name in ("payloads", "agents", "services", "containers")}}


app.command(name="run", epilog=running.RUN)(running.run)


@app.command(
    name="list",
    epilog=examples("bench list", "bench list --where 'experiment=messaging/pairs date>=2026-01-01'"),
)
def list_(
    *,
    where: Annotated[
        str | None,
        typer.Option(
            metavar="CONDITIONS",
            help="List old runs instead: those for which all conditions hold, by experiment, date, host and "
            "version.",
            show_default=False,
        ),
    ] = None,
    runs: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="With --where: where the runs are.", show_default="runs"),
    ] = None,
    as_json: JsonLines = False,
) -> None:
    """List the experiments: what they measure, what they vary, which paper they are from."""
    if where is not None:
        listing.list_runs(where, runs or Path("runs"), as_json=as_json)
        return
    if runs is not None:
        raise UsageError(
            "--runs is for old runs, and without --where the experiments are listed; add --where "
            "'date>=2026-01-01', say, or leave --runs out"
        )
    from formicary_bench.experiments.registry import EXPERIMENTS
    from formicary_bench.experiments.selections import SELECTIONS

    if as_json:
        for one in EXPERIMENTS.values():
            line = {"name": one.name} | {field: getattr(one, field) for field in _LISTED}
            say(json.dumps(line | {name: getattr(one, field) for name, field in _SIZES.items()}))
        return
    from rich import box
    from rich.table import Table

    from formicary_bench.reports.formats.terminal import console_for_reports

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("experiment", "measures", "varies", "placements", "from"):
        table.add_column(title, no_wrap=title == "experiment")
    for one in EXPERIMENTS.values():
        varies = ", ".join(f"--{name}" for name in one.varies)
        table.add_row(one.name, one.what, varies, ", ".join(one.placements), one.source)
    console_for_reports().print(table)
    for selection in SELECTIONS.values():
        say(f"{selection.what[0].upper()}{selection.what[1:]}: formicary bench run {selection.name}")


app.command(name="show", epilog=showing.SHOW)(showing.show)
app.add_typer(platforms, name="platforms")
app.command(name="report", epilog=reporting.REPORT)(reporting.report)
app.command(name="publish", epilog=publish.PUBLISH)(publish.publish)
app.add_typer(plans.app, name="plan")
app.command(name="compare", epilog=compare.COMPARE)(compare.compare)
app.command(name="gate", epilog=compare.GATE)(compare.gate)


app.command(
    epilog=examples(
        "bench model runs/2026-03-14T15-09-26-messaging-scale-out",
        "bench model scale-out-each scale-out-one directory --count 20,200 --json",
    )
)(model)
