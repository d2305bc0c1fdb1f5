"""`formicary lab check`: scenarios with a student's program, and what went wrong in them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from formicary.cli.options import Json, examples
from formicary.cli.output import say, show_json

if TYPE_CHECKING:
    from formicary_bench.labs.playing import Outcome

EPILOG = examples("lab check", "lab check ping-pong --exercise 1", "lab check ping-pong --json")

_LINES = 8  # of what a program prints


def check(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A folder that `formicary lab start` has made.")
    ] = Path(),
    *,
    exercise: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Only this exercise.", show_default="all of them")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of all chance in the scenarios.")] = 0,
    time_out: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="How long each scenario may take.")
    ] = 10.0,
    as_json: Json = False,
) -> None:
    """Check a program against a lab's scenarios, and show what went wrong.

    The program runs in a process of its own, in virtual time: an hour takes
    milliseconds, and the same seed gives the same. The first failure is shown
    with its messages; those of all failures go into FOLDER/pictures.

    The exit code is 0 if all holds, 1 if something does not, and 2 if the folder
    or an option cannot be used.
    """
    from formicary.errors import UsageError
    from formicary_bench.labs.checking import check as checking
    from formicary_bench.labs.folders import lab_of
    from formicary_bench.labs.pictures import write_pictures
    from formicary_bench.labs.programs import FILE

    lab = lab_of(folder)
    outcomes: list[Outcome] = []
    for outcome in checking(lab, folder / FILE, exercise=exercise, seed=seed, seconds=time_out):
        is_first = outcome.problem and all(each.holds for each in outcomes)
        outcomes.append(outcome)
        drawn = write_pictures(outcome.scenario, outcome.arrows, folder / "pictures")
        if as_json:
            show_json(outcome)
        else:
            _show(outcome, drawn, in_full=bool(is_first))
    if not outcomes:
        raise UsageError(f"the lab {lab.name} has no exercise {exercise}")
    failed = sum(not each.holds for each in outcomes)
    if not as_json:
        say()
        say(f"{len(outcomes) - failed} of {len(outcomes)} hold" + ("" if failed else ": well done"))
    if failed:
        raise typer.Exit(1)


def _show(outcome: Outcome, drawn: list[Path], *, in_full: bool) -> None:
    from formicary_bench.labs.pictures import sequence_text

    say(f"{'ok  ' if outcome.holds else 'FAIL'} {outcome.exercise}. {outcome.scenario}")
    if outcome.holds:
        return
    say(f"     {outcome.problem}")
    if outcome.hint:
        say(f"     hint: {outcome.hint}")
    if drawn:
        say(f"     picture: {drawn[0]}")
    if not in_full:
        return
    say(f"     What must hold: {outcome.sentence}")
    for line in sequence_text(outcome.arrows):
        say(f"     {line}")
    printed = outcome.printed.splitlines()
    if printed:
        say("     The program has printed:")
        for line in printed[-_LINES:]:
            say(f"       {line}")
