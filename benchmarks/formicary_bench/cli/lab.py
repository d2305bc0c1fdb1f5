"""`formicary lab`: exercises for students; a file for each command."""

from __future__ import annotations

import typer

from formicary.cli.command_tree import LazyCommand, group_of

_COMMANDS = (
    LazyCommand("list", "formicary_bench.cli.lab_folders:list_", "List the labs.", "LIST"),
    LazyCommand(
        "start",
        "formicary_bench.cli.lab_folders:start",
        "Create a folder with a lab's text and the program to complete.",
        "START",
    ),
    LazyCommand(
        "check",
        "formicary_bench.cli.lab_check:check",
        "Check a program against a lab's scenarios, and show what went wrong.",
    ),
    LazyCommand(
        "measure",
        "formicary_bench.cli.lab_measure:measure",
        "Guess what something costs, measure it, and see both in one picture.",
        "MEASURE",
    ),
    LazyCommand(
        "merge",
        "formicary_bench.cli.lab_measure:merge",
        "Draw one picture of a whole class's guesses and measurements.",
        "MERGE",
    ),
    LazyCommand(
        "solve", "formicary_bench.cli.lab_folders:solve", "Print a lab's solution, for teachers.", "SOLVE"
    ),
)

app = typer.Typer(
    cls=group_of(_COMMANDS),
    no_args_is_help=True,
    help="Learn with agents: exercises with a checker, and guesses to measure.",
    rich_help_panel="Learn",
)


@app.callback()
def lab() -> None:
    """Have Typer take for a group what has no commands of its own."""
