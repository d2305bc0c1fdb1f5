"""`formicary lab measure` and `formicary lab merge`: guesses and measurements, of one student or a class."""

from __future__ import annotations

import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from formicary.cli.options import Json, examples
from formicary.cli.output import say, show_json
from formicary.errors import UsageError
from formicary_bench import need_libraries

if TYPE_CHECKING:
    from formicary_bench.labs.measuring import Measurement

MEASURE = examples(
    "lab measure ping-pong",
    "lab measure ping-pong --guess 10,100,1000 --seconds 20 --who anna",
)
MERGE = examples("lab merge anna.json ben.json carla.json", "lab merge *.json --to class.html")


def measure(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The lab.")],
    *,
    guess: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER,...", help="Your guesses, one for each case.", show_default="prompted for"
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0, help="Approximate time to measure for.")] = 60.0,
    who: Annotated[
        str | None,
        typer.Option(help="Name of the person or machine.", show_default="this machine's name"),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The file to write.", show_default="NAME-WHO.json"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Guess what something costs, measure it, and see both in one picture.

    Writes a small file for `formicary lab merge`, and a page with the picture.
    """
    need_libraries()
    import formicary
    from formicary_bench.labs import charts, measuring
    from formicary_bench.labs.material import lab_named
    from formicary_bench.results.store.machine import cpu_model

    lab = lab_named(name)
    if not lab.is_measured:
        raise UsageError(f"the lab {name} has nothing to measure; see `formicary lab list --json`")
    measurement = measuring.load_measurement(lab)
    guesses = _guesses(measurement, guess)
    if not as_json:
        say(f"measuring for about {seconds:g} s; leave the machine idle meanwhile", err=True)
    found: dict[str, list[float]] = {case: [] for case in measurement.cases}
    for case, value in measuring.measure(measurement, seconds):
        found[case].append(value)
    by = who or platform.node() or "somebody"
    answers = tuple(
        measuring.Answer(case, guesses[number], tuple(values))
        for number, (case, values) in enumerate(found.items())
    )
    result = measuring.Result(
        lab=name,
        question=measurement.question,
        unit=measurement.unit,
        who=by,
        machine=cpu_model(),
        python=platform.python_version(),
        formicary=formicary.__version__,
        answers=answers,
    )
    path = to or Path(f"{name}-{_file_name(by)}.json")
    measuring.write_result(result, path)
    picture = path.with_suffix(".html")
    if path.is_file():  # and no pipe, beside which nothing is to be
        charts.write_picture([result], picture)
    if as_json:
        show_json(result)
        return
    for line in charts.picture([result]):
        say(line)
    say()
    for answer in answers:
        say(charts.spoken(answer, result.unit))
    say()
    say(f"The picture: {picture}; for your class: {path}" if path.is_file() else f"For your class: {path}")


def merge(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Files written by `formicary lab measure`.")
    ],
    *,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Also write the picture to this file, as a page or .svg.", show_default=False
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Draw one picture of a whole class's guesses and measurements.

    Invalid files and those of other labs are skipped with a warning; the exit
    code is 2 if none is left.
    """
    need_libraries()
    from formicary_bench.labs import charts, measuring

    found, warnings = measuring.read_results(files)
    for warning in warnings:
        say(f"formicary: {warning}", err=True)
    if to is not None:
        charts.write_picture(found, to)
    if as_json:
        for result in found:
            show_json(result)
        return
    say(found[0].question)
    for line in charts.picture(found):
        say(line)
    say()
    for sentence in charts.class_sentences(found):
        say(sentence)
    if to is not None:
        say(f"The picture: {to}")


def _guesses(measurement: Measurement, typed: str | None) -> list[float]:
    """Return a guess for each case, as typed, or ask for them.

    Raises:
        UsageError: their number is wrong, one is not a number above zero, or nobody can be asked.
    """
    cases = list(measurement.cases)
    if typed is not None:
        return [_number(text) for text in _split(typed, cases)]
    if not sys.stdin.isatty():
        raise UsageError(f"there is no terminal to ask for guesses; use --guess with {len(cases)} numbers")
    say(measurement.question)
    return [_guess(f"  {case}, in {measurement.unit}: ") for case in cases]


def _guess(question: str) -> float:
    while True:
        try:
            return _number(input(question))
        except EOFError:
            raise UsageError("no guess was entered, so nothing is measured") from None
        except UsageError as error:
            say(error, err=True)


def _split(typed: str, cases: list[str]) -> list[str]:
    parts = typed.split(",")
    if len(parts) != len(cases):
        raise UsageError(
            f"--guess takes {len(cases)} numbers separated by commas, one for each of: {'; '.join(cases)}"
        )
    return parts


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise UsageError(f"a guess must be a number above 0, not {text.strip()!r}")
    return value


def _file_name(who: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in who)[:60]
