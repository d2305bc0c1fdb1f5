"""`formicary lab check`: scenarios with a student's program, and what went wrong in them."""

from __future__ import annotations

import secrets
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from formicary.cli.options import Json, examples
from formicary.cli.output import say, show_json

if TYPE_CHECKING:
    from formicary_bench.labs.playing import Outcome

EPILOG = examples("lab check", "lab check ping-pong --exercise 1", "lab check ping-pong --json")

_LINES = 8  # of what a program prints
_SEED_BITS = 40  # so many that no program finds the seed by trying


def check(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A folder that `formicary lab start` has made.")
    ] = Path(),
    *,
    exercise: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Only this exercise.", show_default="all of them")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="The seed of all random values; it repeats a run.",
            show_default="another one each time",
        ),
    ] = None,
    time_out: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="How long each scenario may take.")
    ] = 10.0,
    as_json: Json = False,
) -> None:
    """Check a program against a lab's scenarios, and show what went wrong.

    The program runs in a process of its own, in virtual time: an hour takes
    milliseconds. What it is asked is different each time, and the same for the
    same seed. The first failure is shown with its messages; those of all
    failures go into FOLDER/pictures.

    The exit code is 0 if all holds, 1 if something does not, and 2 if the folder
    or an option cannot be used.
    """
    from msgspec import to_builtins

    from formicary.errors import UsageError
    from formicary_bench.labs.checking import check as checking
    from formicary_bench.labs.folders import lab_of
    from formicary_bench.labs.pictures import write_pictures
    from formicary_bench.labs.programs import FILE

    lab = lab_of(folder)
    if seed is None:
        seed = secrets.randbits(_SEED_BITS)
    played = failed = 0
    with closing(checking(lab, folder / FILE, exercise=exercise, seed=seed, seconds=time_out)) as outcomes:
        for outcome in outcomes:
            drawn = write_pictures(outcome.scenario, outcome.arrows, folder / "pictures")
            if as_json:
                show_json({**to_builtins(outcome), "seed": seed})
            else:
                _show(outcome, drawn, in_full=not outcome.passed and not failed)
            played += 1
            failed += not outcome.passed
    if not played:
        raise UsageError(f"the lab {lab.name} has no exercise {exercise}")
    if not as_json:
        say()
        say(
            f"{played - failed} of {played} hold"
            + (f"; repeat this run with --seed {seed}" if failed else ": well done")
        )
    if failed:
        raise typer.Exit(1)


def _show(outcome: Outcome, drawn: list[Path], *, in_full: bool) -> None:
    from formicary_bench.labs.pictures import sequence_text

    say(f"{'ok  ' if outcome.passed else 'FAIL'} {outcome.exercise}. {outcome.scenario}")
    if outcome.passed:
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
