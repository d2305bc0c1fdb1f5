"""`formicary bench plan`: make plans, and check them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from formicary.cli.options import examples
from formicary.cli.output import say

app = typer.Typer(no_args_is_help=True, help="Create and check plan files, which say what a run measures.")

PlanFile = Annotated[Path, typer.Argument(metavar="FILE", help="The plan.")]


@app.command(epilog=examples("bench plan new plan.toml", "bench plan new plan.toml messaging/pairs create"))
def new(
    file: PlanFile,
    experiments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[EXPERIMENT]...", help="What it measures.", show_default="all that need no hosts"
        ),
    ] = None,
) -> None:
    """Write a plan with comments, to be changed; a file that is there is not overwritten."""
    from formicary_bench.plans.writing import write

    many = len(write(file, experiments or []))
    say(f"{file} measures {many} experiment{'s' * (many > 1)}: formicary bench plan check {file}")


@app.command(epilog=examples("bench plan check plan.toml", "bench plan check plan.toml --hosts hosts.toml"))
def check(
    file: PlanFile,
    *,
    hosts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The hosts that it is for.", show_default="the plan's, or this machine alone"
        ),
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(metavar="NAME,...", help="With --hosts: which take part.", show_default="all"),
    ] = None,
) -> None:
    """Say all that is wrong with a plan, by line, and what of it cannot be measured; measure nothing.

    The exit code is 2 if something is wrong. What a platform cannot do is listed, and is no mistake.
    """
    from formicary_bench.cli.run_request import run_request
    from formicary_bench.plans.reading import HostsAsked

    request = run_request(None, {}, plan=file)
    run_plan = request.run_plan(request.host_selection(HostsAsked(hosts, on)))
    for sentence in (*run_plan.notes, *run_plan.left_out):
        say(f"! {sentence}")
    names = {one.experiment for one in run_plan.plan}
    say(
        f"{file} is in order: {len(names)} experiment{'s' * (len(names) > 1)}, {len(run_plan.plan)} "
        f"configurations, {sum(run_plan.repeats.values())} measurements"
    )
