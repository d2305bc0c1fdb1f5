"""`formicary bench`: measure, list what can be measured, show what was; a file for each command."""

from __future__ import annotations

import typer

from formicary.cli.command_tree import LazyCommand, group_of
from formicary.core.systems import need_posix
from formicary_bench import need_libraries

CPU_GROUP = "runtime"

_COMMANDS = (
    LazyCommand(
        "run",
        "formicary_bench.cli.run:run",
        "Run measurements, keep every value in a folder, and write a report.",
        "RUN",
    ),
    LazyCommand(
        "list",
        "formicary_bench.cli.listing:list_",
        "List the experiments: what they measure and vary, and the paper they come from.",
        "LIST",
    ),
    LazyCommand(
        "show",
        "formicary_bench.cli.show:show",
        "Show all tables of an earlier run, and rebuild its report.",
        "SHOW",
    ),
    LazyCommand(
        "platforms",
        "formicary_bench.cli.platforms:app",
        "List the platforms that can be measured, and install drivers for others.",
    ),
    LazyCommand(
        "report",
        "formicary_bench.cli.report:report",
        "Export a run as a page, tables or figures.",
        "REPORT",
    ),
    LazyCommand(
        "publish",
        "formicary_bench.cli.publish:publish",
        "Export a run as a static site: page, figures, tables and raw values.",
        "PUBLISH",
    ),
    LazyCommand(
        "claims",
        "formicary_bench.cli.claims:claims",
        "Check the papers' conclusions against a run: reproduced, refuted or inconclusive.",
        "CLAIMS",
    ),
    LazyCommand(
        "verify",
        "formicary_bench.cli.verify:verify",
        "Measure a run's claims again on this machine, and report which hold.",
        "VERIFY",
    ),
    LazyCommand(
        "plan",
        "formicary_bench.cli.plan:app",
        "Create and check plan files, which say what a run measures.",
    ),
    LazyCommand(
        "compare",
        "formicary_bench.cli.compare:compare",
        "Compare two runs, or measure two versions in turn and compare them.",
        "COMPARE",
    ),
    LazyCommand(
        "history",
        "formicary_bench.cli.history:history",
        "Show an experiment across all runs, and where the machine or the version changed.",
        "HISTORY",
    ),
    LazyCommand(
        "gate",
        "formicary_bench.cli.compare:gate",
        "Fail if a run is slower than a baseline; for continuous integration.",
        "GATE",
    ),
    LazyCommand(
        "model",
        "formicary_bench.cli.model:model",
        "Extrapolate messaging/scale-out to more hosts, and find the first bottleneck.",
        "MODEL",
    ),
)

app = typer.Typer(
    cls=group_of(_COMMANDS),
    no_args_is_help=True,
    help="Measure the cost of agent communication against the same work without agents.",
    rich_help_panel="Laboratory",
)


@app.callback()
def bench() -> None:
    """Make sure that the laboratory runs here and its libraries are there, whichever command it is."""
    need_posix("measurements")
    need_libraries()
