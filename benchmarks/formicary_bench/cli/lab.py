"""`formicary lab`: exercises for students; a file for each command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from formicary.cli.command_tree import LazyCommand, group_of
from formicary.cli.options import Json, examples
from formicary.cli.output import say, show_json, show_table

_COMMANDS = (
    LazyCommand("list", "formicary_bench.cli.lab:list_", "List the labs.", "LIST"),
    LazyCommand(
        "start",
        "formicary_bench.cli.lab:start",
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
    LazyCommand("solve", "formicary_bench.cli.lab:solve", "Print a lab's solution, for teachers.", "SOLVE"),
)

app = typer.Typer(
    cls=group_of(_COMMANDS),
    no_args_is_help=True,
    help="Learn with agents: exercises with a checker, and guesses to measure.",
    rich_help_panel="Learn",
)


@app.callback()
def lab() -> None:
    """Make Typer treat this as a group, though it has no commands of its own."""


LIST = examples("lab list", "lab list --json")
START = examples("lab start ping-pong", "lab start ping-pong my-folder --notebook")
SOLVE = examples("lab solve ping-pong")

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the lab, as in `formicary lab list`.")]


def list_(*, as_json: Json = False) -> None:
    """List the labs."""
    from formicary_bench.labs.material import all_labs

    labs = all_labs().values()
    if as_json:
        for lab in labs:
            show_json({"lab": lab.name, "title": lab.title, "aim": lab.aim, "measured": lab.is_measured})
    else:
        show_table(["LAB", "TITLE"], [(lab.name, lab.title) for lab in labs])


def start(
    name: Name,
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="The folder to create.", show_default="./NAME")
    ] = None,
    *,
    notebook: Annotated[
        bool, typer.Option("--notebook", help="Also create a Jupyter notebook of the text.")
    ] = False,
) -> None:
    """Create a folder with a lab's text and the program to complete.

    The program runs as it is, but is incomplete. README.md explains what to do,
    step by step.
    """
    from formicary_bench.labs.material import lab_named, make_folder

    target = folder or Path(name)
    for path in make_folder(lab_named(name), target, notebook=notebook):
        say(f"{path}")
    say()
    say(f"Read {target / 'README.md'}, complete {target / 'program.py'}, and check it:")
    say(f"  formicary lab check {target}")
    say("Watch its agents in a browser, and create others there:")
    say(f"  cd {target}")
    say("  formicary run program.py --watch --listen --allow-create program")


def solve(name: Name) -> None:
    """Print a lab's solution, for teachers.

    It is only one of many: whatever passes `formicary lab check` is one.
    """
    from formicary_bench.labs.material import lab_named

    lab = lab_named(name)
    say(f"formicary: solution of the lab {name}, for teachers", err=True)
    for line in lab.text("solution.py").splitlines():
        say(line)
