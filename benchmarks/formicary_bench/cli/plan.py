"""`formicary bench plan`: write plans, and check them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from formicary.cli.options import examples
from formicary.cli.output import say
from formicary.core.quoting import counted

app = typer.Typer(no_args_is_help=True, help="Create and check plan files, which say what a run measures.")

PlanFile = Annotated[Path, typer.Argument(metavar="FILE", help="The plan file.")]


@app.command(epilog=examples("bench plan new plan.toml", "bench plan new plan.toml messaging/pairs create"))
def new(
    file: PlanFile,
    experiments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[EXPERIMENT]...",
            help="Experiments to include.",
            show_default="all that do not need hosts",
        ),
    ] = None,
) -> None:
    """Write a plan with comments for editing; an existing file is not overwritten."""
    from formicary_bench.plans.writing import write

    many = len(write(file, experiments or []))
    say(f"{file} measures {counted(many, 'experiment')}; check it with: formicary bench plan check {file}")


@app.command(epilog=examples("bench plan check plan.toml", "bench plan check plan.toml --hosts hosts.toml"))
def check(
    file: PlanFile,
    *,
    hosts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The hosts to plan for.", show_default="the plan's, or only this machine"
        ),
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(metavar="NAME,...", help="With --hosts: only these hosts.", show_default="all"),
    ] = None,
) -> None:
    """Check a plan, listing its errors by line and what cannot be measured; measure nothing.

    The exit code is 2 if the plan is invalid. What a platform cannot do is
    listed, but is not an error.
    """
    from formicary_bench.cli.run_request import run_request
    from formicary_bench.plans.reading import HostsAsked

    request = run_request(None, {}, plan=file)
    run_plan = request.run_plan(request.host_selection(HostsAsked(hosts, on)))
    for sentence in (*run_plan.notes, *run_plan.left_out):
        say(f"! {sentence}")
    names = {one.experiment for one in run_plan.plan}
    say(
        f"{file} is valid: {counted(len(names), 'experiment')}, "
        f"{counted(len(run_plan.plan), 'configuration')}, "
        f"{counted(sum(run_plan.repeats.values()), 'measurement')}"
    )
