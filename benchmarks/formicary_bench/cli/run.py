"""`formicary bench run`: measures an experiment, a selection, a plan, or the rest of a run."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from formicary.cli.options import examples
from formicary.cli.output import say
from formicary_bench.cli.show import show_run
from formicary_bench.experiments.registry import all_parameters
from formicary_bench.experiments.selections import SELECTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.runner.execution.run import Outcome
    from formicary_bench.vocabulary.parameters import Parameter


_SELECTIONS = "; ".join(f"{one.name}, {one.what}" for one in SELECTIONS.values())

_WHAT, _HOW, _OUTPUT = "Selection", "Method", "Output"

Experiment = Annotated[
    str | None,
    typer.Argument(
        help=f"An experiment of `formicary bench list`; a selection of them: {_SELECTIONS}; or everything, "
        "all experiments.",
        show_default="quick",
    ),
]

PlanFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Measure what this plan file specifies; see `formicary bench plan new`.",
        rich_help_panel=_WHAT,
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Only print what would be measured, how often, and about how long it takes.",
        rich_help_panel=_HOW,
    ),
]
Resume = Annotated[
    Path | None,
    typer.Option(
        metavar="RUN",
        help="Continue an interrupted run, given its folder.",
        rich_help_panel=_HOW,
    ),
]

Output = Annotated[
    Path | None,
    typer.Option(
        help="Folder to create for the run.",
        show_default="runs/<time>-<experiment>",
        rich_help_panel=_OUTPUT,
    ),
]
Tables = Annotated[
    bool,
    typer.Option(
        "--tables",
        help="Print all tables, as `formicary bench show` does, instead of a summary.",
        rich_help_panel=_OUTPUT,
    ),
]
Yes = Annotated[
    bool,
    typer.Option("--yes", "-y", help="Do not ask before runs longer than ten minutes.", rich_help_panel=_HOW),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON lines only.", rich_help_panel=_OUTPUT)]


def _option(parameter: Parameter) -> Any:
    """Return the annotation of a parameter's option."""
    if parameter.name == "profile":
        return Annotated[
            bool, typer.Option(parameter.option, help=parameter.help, rich_help_panel=parameter.panel)
        ]
    type_ = Path if parameter.name == "hosts" else str
    return Annotated[
        type_ | None,
        typer.Option(
            parameter.option,
            metavar=parameter.metavar,
            help=parameter.help,
            show_default=parameter.default,
            rich_help_panel=parameter.panel,
        ),
    ]


def with_parameters(function: Callable[..., None]) -> Callable[..., None]:
    """Replace a command's `**values` by all parameters as options."""
    own = inspect.signature(function)
    hints = get_type_hints(function, include_extras=True)
    kept = [one.replace(annotation=hints[name]) for name, one in own.parameters.items() if name != "values"]
    added = [
        inspect.Parameter(
            one.keyword,
            inspect.Parameter.KEYWORD_ONLY,
            default=False if one.name == "profile" else None,
            annotation=_option(one),
        )
        for one in all_parameters()
    ]
    function.__signature__ = own.replace(parameters=[*kept[:1], *added, *kept[1:]])  # type: ignore[attr-defined]
    return function


RUN = examples(
    "bench run",
    "bench run everything --preset quick",
    "bench run messaging/scale --preset paper --dry-run",
    "bench run messaging/pairs --pairs 1,10,100 --placement same-container",
    "bench run messaging/pairs --placement two-containers --route direct --tls on,off",
    "bench run messaging/size --payload 100,10000 --platform formicary,tcp --repeat 5",
    "bench run messaging/open-loop --rate 1000,5000 --arrivals poisson --route direct",
    "bench run messaging/saturation --p99 5ms --platform formicary-behaviours,tcp",
    "bench run directory/search --services 0,1000,100000 --platform formicary-replica",
    "bench run create --agents 50000 --json",
    "bench run memory --growth 60",
    "bench run messaging/cpu --repeat 100",
    "bench run messaging/pairs --hosts hosts.toml --on a,b --route direct,xmpp",
    "bench run messaging/location --preset paper --hosts hosts.toml",
    "bench run messaging/pairs --launcher slurm",
    "bench run --plan plan.toml",
    "bench run --resume runs/2026-03-14T15-09-26-quick",
)

_INTERRUPTED = 130  # as shells have it for a program that Ctrl-C has ended


@with_parameters
def run(
    experiment: Experiment = None,
    *,
    plan: PlanFile = None,
    dry_run: DryRun = False,
    resume: Resume = None,
    output: Output = None,
    tables: Tables = False,
    as_json: AsJson = False,
    yes: Yes = False,
    **values: Any,
) -> None:
    """Run measurements, keep every value in a folder, and write a report.

    Ctrl-C stops early and keeps what was measured so far (exit code 130); `--resume` continues the run.
    The exit code is 1 if something could not be measured.
    """
    from formicary_bench.worker.interruption import end_on_interrupt

    try:
        # From the first import on: modules written in C can lose a KeyboardInterrupt that is raised in them.
        with end_on_interrupt():
            outcome = _perform(
                experiment, plan, resume, output, values, dry_run=dry_run, as_json=as_json, yes=yes
            )
    except KeyboardInterrupt:  # while all was prepared
        say("formicary: interrupted", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    if outcome is not None:
        _conclude(outcome, as_json=as_json, tables=tables)


def _perform(
    experiment: str | None,
    plan: Path | None,
    resume: Path | None,
    output: Path | None,
    values: dict[str, Any],
    *,
    dry_run: bool,
    as_json: bool,
    yes: bool,
) -> Outcome | None:
    """Measure, and return the outcome; or print what would be measured."""
    from formicary_bench.cli.run_request import run_request
    from formicary_bench.plans.reading import HostsAsked
    from formicary_bench.worker.interruption import raise_if_interrupted

    words = [values.pop(name) for name in ("hosts", "on", "servers", "launcher", "interface")]
    request = run_request(experiment, values, plan=plan, resume=resume, output=output, dry_run=dry_run)
    selection = request.host_selection(HostsAsked(*words))
    if dry_run:
        from formicary_bench.cli import dry_run_view

        dry_run_view.show(request.run_plan(selection), as_json=as_json)
        return None
    from formicary_bench.runner.execution.display import Display

    raise_if_interrupted()
    with Display(quiet=as_json, asks=not (yes or as_json)) as display:
        outcome = request.perform(output, display, selection)
    if outcome.declined:
        say("formicary: nothing was measured; use --preset quick or fewer values for a shorter run", err=True)
        raise typer.Exit(1)
    if outcome.interrupted:
        say(f"formicary: interrupted{_kept(outcome.folder)}", err=True)
        raise typer.Exit(_INTERRUPTED)
    return outcome


def _conclude(outcome: Outcome, *, as_json: bool, tables: bool) -> None:
    """Report a finished run, and exit with its code."""
    if outcome.folder is None:
        say("formicary: nothing could be measured, for the reasons above", err=True)
        raise typer.Exit(1)
    show_run(outcome.folder, as_json=as_json, tables=tables)
    if outcome.problems:
        many = len(outcome.problems)
        say(f"formicary: {many} of the measurements failed, for the reasons above", err=True)
        raise typer.Exit(1)


def _kept(folder: RunFolder | None) -> str:
    if folder is None:
        return " before anything was measured"
    many = len(folder.manifest.repetitions)
    return (
        f"; the {many} measurements made so far are kept: formicary bench show {folder.path}, or "
        f"resume: formicary bench run --resume {folder.path}"
    )
