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
        Path, typer.Argument(metavar="FOLDER", help="A folder created by `formicary lab start`.")
    ] = Path(),
    *,
    exercise: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Only this exercise.", show_default="all")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Seed of all random values; repeats a run.",
            show_default="a new one each time",
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="Time limit for each scenario.")
    ] = 10.0,
    as_json: Json = False,
) -> None:
    """Check a program against a lab's scenarios, and show what went wrong.

    The program runs in its own process, in virtual time: an hour takes
    milliseconds. Its inputs differ each time, but are the same for the same seed.
    The first failure is shown with its messages; pictures of all failures are
    saved to FOLDER/pictures.

    The exit code is 0 if every scenario passes, 1 if one does not, and 2 if the
    folder or an option is invalid.
    """
    from msgspec import to_builtins

    from formicary.errors import UsageError
    from formicary_bench.labs.checking import check as checking
    from formicary_bench.labs.material import lab_of
    from formicary_bench.labs.programs import FILE
    from formicary_bench.labs.recording import write_pictures

    lab = lab_of(folder)
    if seed is None:
        seed = secrets.randbits(_SEED_BITS)
    played = failed = 0
    with closing(checking(lab, folder / FILE, exercise=exercise, seed=seed, seconds=timeout)) as outcomes:
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
            f"{played - failed} of {played} passed"
            + (f"; repeat this run with --seed {seed}" if failed else ": well done")
        )
    if failed:
        raise typer.Exit(1)


def _show(outcome: Outcome, drawn: list[Path], *, in_full: bool) -> None:
    from formicary_bench.labs.recording import sequence_text

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
    say(f"     Expected: {outcome.sentence}")
    for line in sequence_text(outcome.arrows):
        say(f"     {line}")
    printed = outcome.printed.splitlines()
    if printed:
        say("     The program printed:")
        for line in printed[-_LINES:]:
            say(f"       {line}")
