"""`formicary bench`: measure, list what can be measured, show what was; a file for each command."""

from __future__ import annotations

import typer

from formicary.cli.command_tree import LazyCommand, group_of

CPU_GROUP = "runtime"

_COMMANDS = (
    LazyCommand(
        "run", "formicary_bench.cli.run:run", "Measure, keep every value in a folder, and report.", "RUN"
    ),
    LazyCommand(
        "list",
        "formicary_bench.cli.listing:list_",
        "List the experiments: what they measure, what they vary, which paper they are from.",
        "LIST",
    ),
    LazyCommand(
        "show",
        "formicary_bench.cli.show:show",
        "Show a run again, from its folder alone, and make its report anew.",
        "SHOW",
    ),
    LazyCommand(
        "platforms",
        "formicary_bench.cli.platforms:app",
        "List all that can be measured, and what is missing to run each; install drivers of other platforms.",
    ),
    LazyCommand(
        "report",
        "formicary_bench.cli.report:report",
        "Make a report of a run, from its folder alone: a page, tables or figures.",
        "REPORT",
    ),
    LazyCommand(
        "publish",
        "formicary_bench.cli.publish:publish",
        "Put a run into a folder of static files: the page, its figures and tables, and all raw values.",
        "PUBLISH",
    ),
    LazyCommand(
        "claims",
        "formicary_bench.cli.claims:claims",
        "Say what the papers conclude, and what a run says of it: reproduced, refuted, or cannot tell.",
        "CLAIMS",
    ),
    LazyCommand(
        "verify",
        "formicary_bench.cli.verify:verify",
        "Measure again on this machine what a run claims, and say which of it holds.",
        "VERIFY",
    ),
    LazyCommand("plan", "formicary_bench.cli.plan:app", "Make and check files that say what a run measures."),
    LazyCommand(
        "compare",
        "formicary_bench.cli.compare:compare",
        "Say of two runs what became faster or slower: two versions, two machines, or two platforms.",
        "COMPARE",
    ),
    LazyCommand(
        "history",
        "formicary_bench.cli.history:history",
        "Show an experiment over all runs: what changed, and where the machine or the version is another.",
        "HISTORY",
    ),
    LazyCommand(
        "gate",
        "formicary_bench.cli.compare:gate",
        "Say in an exit code whether a run is slower than another one: for checks that a change has to pass.",
        "GATE",
    ),
    LazyCommand(
        "model",
        "formicary_bench.cli.model:model",
        "Say how runs of messaging/scale-out go on over more hosts than there were: which part is used up "
        "first.",
        "MODEL",
    ),
)

app = typer.Typer(
    cls=group_of(_COMMANDS),
    no_args_is_help=True,
    help="Measure what messages between agents cost on this machine, beside the same without agents.",
)


@app.callback()
def bench() -> None:
    """Have Typer take for a group what has no commands of its own."""
