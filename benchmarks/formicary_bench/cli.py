"""`formicary bench`: measure, list what can be measured, show what was."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from formicary_bench import compare, listing, publish
from formicary_bench import report as reporting
from formicary_bench.drivers.cli import app as platforms
from formicary_bench.plans import cli as plans
from formicary_bench.scaling.cli import model

if TYPE_CHECKING:
    from formicary_bench.engine.run import Outcome
    from formicary_bench.results.folder import RunFolder

app = typer.Typer(
    no_args_is_help=True,
    help="Measure what messages between agents cost on this machine, beside what they cannot cost less than.",
)

_INTERRUPTED = 130  # as shells have it for a program that Ctrl-C has ended

_LISTED = (
    "name",
    "what",
    "source",
    "varies",
    "placements",
    "loads",
    "payloads",
    "agents",
    "services",
    "containers",
)

Output = Annotated[
    Path | None,
    typer.Option(help="Folder to make for the run.", show_default="runs/<time>-<experiment>"),
]
RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")]
Json = Annotated[bool, typer.Option("--json", help="Print lines of JSON only.")]


def _examples(*commands: str) -> str:
    # One paragraph each: within a paragraph, Typer joins the lines.
    return "\n\n".join(["Examples:", *(f"  formicary bench {command}" for command in commands)])


@app.command(
    epilog=_examples(
        "run",
        "run messaging/pairs --pairs 1,10,100 --placement same-container",
        "run messaging/pairs --placement two-containers --route direct --tls on,off",
        "run messaging/size --payload 100,10000 --platform formicary,tcp --repeat 5",
        "run create --agents 50000 --json",
        "run directory/search --services 0,1000,100000 --platform formicary-replica",
        "run memory --growth 60",
        "run network --pairs 1,10,100",
        "run messaging/cpu --repeat 100",
        "run messaging/open-loop --rate 1000,5000 --arrivals poisson --route direct",
        "run messaging/saturation --p99 5ms --platform formicary-behaviours,tcp",
        "run messaging/pairs --hosts hosts.toml --on a,b --route direct,xmpp",
        "run messaging/pairs --hosts hosts.toml --placement two-containers,two-hosts --route direct --tls on",
        "run everything --preset quick",
        "run messaging/pairs --preset paper --dry-run",
        "run --plan plan.toml",
        "run --resume runs/2026-03-14T15-09-26-quick",
    )
)
def run(
    experiment: Annotated[
        str | None,
        typer.Argument(
            help="An experiment of `formicary bench list`, or a selection of them: quick, a minute with some "
            "of all; links, all that there is between containers; directory, all that agents find each "
            "other by; everything.",
            show_default="quick",
        ),
    ] = None,
    *,
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="quick|paper",
            help="How much of it is measured where you do not say: as little as says something, or as much "
            "as in the papers.",
            show_default="the experiment's own; everything: quick",
        ),
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Measure what this plan says; see `formicary bench plan new`."),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Measure nothing: say what would be, how often, and about how long."),
    ] = False,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN", help="Go on with a run that was interrupted, by the folder that it has made."
        ),
    ] = None,
    pairs: Annotated[
        str | None,
        typer.Option(metavar="N,...", help="How many pairs, or senders.", show_default="the experiment's"),
    ] = None,
    payload: Annotated[
        str | None,
        typer.Option(metavar="BYTES,...", help="Size of a body.", show_default="the experiment's"),
    ] = None,
    agents: Annotated[
        str | None,
        typer.Option(
            metavar="N,...",
            help="How many agents to create, or to have register and end.",
            show_default="the experiment's",
        ),
    ] = None,
    services: Annotated[
        str | None,
        typer.Option(
            metavar="N,...", help="How many services are registered before.", show_default="the experiment's"
        ),
    ] = None,
    containers: Annotated[
        str | None,
        typer.Option(
            metavar="N,...",
            help="How many other containers are to learn of a registration.",
            show_default="the experiment's",
        ),
    ] = None,
    growth: Annotated[
        str | None,
        typer.Option(
            metavar="SECONDS",
            help="With memory: also have pairs talk for so long, and say whether what they hold grows.",
            show_default="no; memory/growth: 20",
        ),
    ] = None,
    count: Annotated[
        str | None,
        typer.Option(
            metavar="N,...",
            help="With messaging/scale-out: how many hosts.",
            show_default="from 1 to as many as there are",
        ),
    ] = None,
    traffic: Annotated[
        str | None,
        typer.Option(
            metavar="KIND,...",
            help="Over many hosts: whom agents talk to. ring: those of the next host; all-to-all: evenly "
            "those of all other hosts.",
            show_default="all-to-all; messaging/scale-out: both",
        ),
    ] = None,
    spread: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE,...",
            help="Where services are, if there are two containers. apart: with the directory, and not with "
            "its user; beside: with its user; split: half of them in each.",
            show_default="apart; two-hosts: as in the papers",
        ),
    ] = None,
    hosts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Measure over the hosts of this inventory, prepared with `formicary hosts prepare`.",
            show_default="on this machine alone",
        ),
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="With --hosts: which of them take part, by names of hosts and groups. In the order of the "
            "file, the first with containers asks, the second answers.",
            show_default="all",
        ),
    ] = None,
    servers: Annotated[
        str | None,
        typer.Option(
            metavar="each|one",
            help="With --hosts: an XMPP server on each host, all of them a federation, or one for all hosts.",
            show_default="each",
        ),
    ] = None,
    placement: Annotated[
        str | None,
        typer.Option(
            metavar="PLACE,...",
            help="same-container, two-containers; with hosts also two-hosts, n-hosts.",
            show_default="both; with hosts: two-hosts",
        ),
    ] = None,
    route: Annotated[
        str | None,
        typer.Option(
            metavar="ROUTE,...",
            help="What carries our agents' messages between two containers: xmpp (through Prosody), direct "
            "(without any server), auto (what the platform chooses where there is a server).",
            show_default="xmpp,direct",
        ),
    ] = None,
    tls: Annotated[
        str | None,
        typer.Option(
            metavar="on|off,...",
            help="Whether links do TLS, and beside them the baselines tcp and components.",
            show_default="off; between hosts on for direct links",
        ),
    ] = None,
    platform: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="formicary (or formicary-behaviours, formicary-micro; formicary-replica, formicary-central, "
            "formicary-lookup), spade, a baseline: tasks, callbacks, tcp, components, or another of "
            "`formicary bench platforms`.",
            show_default="all but those with a driver",
        ),
    ] = None,
    repeat: Annotated[
        str | None,
        typer.Option(metavar="N", help="How often, each time in fresh processes.", show_default="3"),
    ] = None,
    rate: Annotated[
        str | None,
        typer.Option(
            metavar="N,...",
            help="With messaging/open-loop: messages per second of all senders together, which do not wait "
            "for answers.",
            show_default="1000,5000",
        ),
    ] = None,
    arrivals: Annotated[
        str | None,
        typer.Option(
            metavar="KIND,...",
            help="How messages follow each other there: constant, after equal times; poisson, in bunches.",
            show_default="constant",
        ),
    ] = None,
    p99: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="With messaging/saturation: within what time 99% of all messages are to be answered.",
            show_default="5ms",
        ),
    ] = None,
    rounds: Annotated[
        str | None,
        typer.Option(
            metavar="T1,T2,T3",
            help="Round trips of each pair, or uses of the directory: warm-up, measured, cool-down.",
            show_default="500,1000,500; directory: 50,100,0; quick: by load",
        ),
    ] = None,
    warm_up: Annotated[
        str | None,
        typer.Option(
            "--warm-up",
            metavar="detect|paper|N",
            help="What is left out as warm-up. detect: until the times have settled; paper: the first 500 "
            "round trips of each pair; N: the first N.",
            show_default="as in --rounds, and reports say if that is too short",
        ),
    ] = None,
    profile: Annotated[
        bool,
        typer.Option(
            "--profile",
            help="Also see where the CPU time goes, by group, in further and longer repetitions: the others "
            "stay undisturbed.",
        ),
    ] = False,
    seed: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="Seed of the order of measurements and of the agents.", show_default="random"
        ),
    ] = None,
    output: Output = None,
    as_json: Json = False,
) -> None:
    """Measure, keep every value in a folder, and report.

    Ctrl-C ends it early and keeps what was measured until then (exit code 130). The exit code is 1 if
    something could not be measured.
    """
    from formicary_bench.engine.asking import Words, ask
    from formicary_bench.engine.hosting import read_hosting

    words = Words(
        preset=preset,
        pairs=pairs,
        payload=payload,
        agents=agents,
        services=services,
        containers=containers,
        growth=growth,
        count=count,
        traffic=traffic,
        spread=spread,
        placement=placement,
        route=route,
        tls=tls,
        platform=platform,
        rate=rate,
        arrivals=arrivals,
        p99=p99,
        rounds=rounds,
        warm_up=warm_up,
        profile=profile,
        repeat=repeat,
        seed=seed,
    )
    asked = ask(experiment, words, plan=plan, going_on=resume, output=output, dry_run=dry_run)
    hosting = read_hosting(hosts, on, servers)
    if dry_run:
        from formicary_bench.plans import dry_run_view

        dry_run_view.show(asked.programme(hosting), output, as_json=as_json)
        return
    from formicary_bench.engine.display import Display

    with Display(quiet=as_json) as display:
        outcome = asked.perform(output, display, hosting)
    _conclude(outcome, as_json=as_json)


@app.command(
    name="list", epilog=_examples("list", "list --where 'experiment=messaging/pairs date>=2026-01-01'")
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
    runs: Annotated[Path, typer.Option(metavar="FOLDER", help="With --where: where the runs are.")] = Path(
        "runs"
    ),
    as_json: Json = False,
) -> None:
    """List the experiments: what they measure, what they vary, which paper they are from."""
    if where is not None:
        listing.list_runs(where, runs, as_json=as_json)
        return
    from formicary_bench.experiments.catalogue import EXPERIMENTS
    from formicary_bench.experiments.selections import SELECTIONS

    if as_json:
        for one in EXPERIMENTS:
            typer.echo(json.dumps({field: getattr(one, field) for field in _LISTED}))
        return
    from rich import box
    from rich.table import Table

    from formicary_bench.reports.terminal import console_for_reports

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("experiment", "measures", "varies", "placements", "from"):
        table.add_column(title, no_wrap=title == "experiment")
    for one in EXPERIMENTS:
        varies = ", ".join(f"--{name}" for name in one.varies)
        table.add_row(one.name, one.what, varies, ", ".join(one.placements), one.source)
    console_for_reports().print(table)
    for selection in SELECTIONS.values():
        typer.echo(f"{selection.what[0].upper()}{selection.what[1:]}: formicary bench run {selection.name}")


@app.command(
    epilog=_examples(
        "show runs/2026-03-14T15-09-26-quick", "show my-run --warm-up detect", "show my-run --json"
    )
)
def show(
    folder: RunPath,
    *,
    warm_up: Annotated[
        str | None,
        typer.Option(
            "--warm-up",
            metavar="detect|paper|N",
            help="What is left out as warm-up this time. detect: until the times have settled; paper: the "
            "first 500 round trips of each pair; N: the first N.",
            show_default="as the run has it",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show a run again, from its folder alone, and make its report anew."""
    from formicary_bench.results.folder import RunFolder
    from formicary_bench.results.warm_up import with_rule

    run_folder = RunFolder.open(folder)
    if warm_up is not None:
        run_folder.manifest = with_rule(run_folder.manifest, warm_up)
    _show(run_folder, as_json=as_json)


app.add_typer(platforms, name="platforms")
app.command(name="report", epilog=reporting.REPORT)(reporting.report)
app.command(name="publish", epilog=publish.PUBLISH)(publish.publish)
app.add_typer(plans.app, name="plan")
app.command(name="compare", epilog=compare.COMPARE)(compare.compare)
app.command(name="gate", epilog=compare.GATE)(compare.gate)


app.command(
    epilog=_examples(
        "model runs/2026-03-14T15-09-26-messaging-scale-out",
        "model scale-out-each scale-out-one directory --count 20,200 --json",
    )
)(model)


def _conclude(outcome: Outcome, *, as_json: bool) -> None:
    """Report a run that has ended, and end with its exit code."""
    if outcome.interrupted:
        typer.echo(f"formicary: interrupted{_kept(outcome.folder)}", err=True)
        raise typer.Exit(_INTERRUPTED)
    if outcome.folder is None:
        typer.echo("formicary: nothing could be measured, for the reasons above", err=True)
        raise typer.Exit(1)
    _show(outcome.folder, as_json=as_json)
    if outcome.problems:
        many = len(outcome.problems)
        typer.echo(f"formicary: {many} of the measurements failed, for the reasons above", err=True)
        raise typer.Exit(1)


def _kept(folder: RunFolder | None) -> str:
    if folder is None:
        return " before anything was measured"
    many = len(folder.manifest.repetitions)
    return (
        f"; the {many} measurements made until then are kept: formicary bench show {folder.path}, or go on "
        f"with them: formicary bench run --resume {folder.path}"
    )


def _show(run_folder: RunFolder, *, as_json: bool) -> None:
    from formicary_bench.reports import html, json_lines, terminal
    from formicary_bench.results.summary import digests

    found = digests(run_folder)
    rows = [digest.row for digest in found]
    if as_json:
        json_lines.write(rows, sys.stdout)
    else:
        terminal.show(run_folder, rows)
    report = html.write_html(run_folder, found)
    typer.echo(f"\nThe report, with plots: open {report}", err=as_json)
