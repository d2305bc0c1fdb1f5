"""`formicary lab`: exercises for students; a file for each command."""

from __future__ import annotations

import typer

from formicary.cli.command_tree import LazyCommand, group_of

_COMMANDS = (
    LazyCommand("list", "formicary_bench.cli.lab_folders:list_", "List the labs.", "LIST"),
    LazyCommand(
        "start",
        "formicary_bench.cli.lab_folders:start",
        "Make a folder with a lab's text and the program to complete.",
        "START",
    ),
    LazyCommand(
        "check",
        "formicary_bench.cli.lab_check:check",
        "Play a lab's scenarios with a program, and show the messages where something goes wrong.",
    ),
    LazyCommand(
        "measure",
        "formicary_bench.cli.lab_measure:measure",
        "Ask what you guess that something costs, measure it, and show both in one picture.",
        "MEASURE",
    ),
    LazyCommand(
        "merge",
        "formicary_bench.cli.lab_measure:merge",
        "Make one picture of what a whole class has guessed and measured.",
        "MERGE",
    ),
    LazyCommand(
        "solve", "formicary_bench.cli.lab_folders:solve", "Print a lab's solution, for teachers.", "SOLVE"
    ),
)

app = typer.Typer(
    cls=group_of(_COMMANDS),
    no_args_is_help=True,
    help="Learn with agents: exercises, a checker that shows what went wrong, and guesses to measure.",
)


@app.callback()
def lab() -> None:
    """Have Typer take for a group what has no commands of its own."""
