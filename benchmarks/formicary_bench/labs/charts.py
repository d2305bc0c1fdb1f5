"""Guesses and measurements in one picture: as text for the terminal, as a page, and as SVG."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from formicary.core.files import output_file
from formicary.core.quoting import printable
from formicary_bench.files.refusals import writing
from formicary_bench.reports import formatting
from formicary_bench.reports.charts import scales
from formicary_bench.reports.charts.lines import Dot, Dots
from formicary_bench.reports.charts.plots import Chart
from formicary_bench.reports.charts.series import Series
from formicary_bench.reports.document.sheet import Sheet
from formicary_bench.reports.document.tables import Column, Extra

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from formicary_bench.labs.measuring import Answer, Result

_WIDE = 56  # characters of the picture in the terminal
_CLOSE = 2.0  # a guess within this factor is a good one
_MEASURED = Series("measured", "a", "circle", "")
_GUESSED = Series("guessed", "e", "nabla", "")
_METHOD = (
    "Medians of ten rounds, each in a new event loop, with 95% intervals. The cases of a round "
    "were measured in random order, so that temporary disturbances affect all of them."
)


def written(unit: str) -> Callable[[float], str]:
    """Return a function that writes figures of a unit."""
    if unit == "µs":
        return formatting.duration
    return lambda value: f"{formatting.digits(value)} {unit}"


def spoken(answer: Answer, unit: str) -> str:
    """Return the measurement and the guess of a case as a sentence."""
    text, measured = written(unit), answer.measured
    between = f" ({' to '.join(map(text, measured.bounds))})" if measured.bounds else ""
    factor = answer.factor
    if 1 / _CLOSE <= factor <= _CLOSE:
        verdict = "close"
    else:
        verdict = (
            f"{formatting.digits(max(factor, 1 / factor), 2)} times too {'much' if factor > 1 else 'little'}"
        )
    return f"{answer.case}: {text(measured.value)}{between}; guessed {text(answer.guess)}, {verdict}"


def picture(results: Sequence[Result]) -> list[str]:
    """Draw results for a terminal: a line for each, with `?` for the guess and `[o]` for the interval."""
    unit = results[0].unit
    lines: list[str] = []
    shown = [(result, answer) for result in results for answer in result.answers]
    reach = [each for _, answer in shown for each in (answer.guess, *answer.values)]
    scale = scales.logarithmic(reach, written(unit))
    label = max(len(name) for name in _labels(results)) if len(results) > 1 else 0
    for case in _cases(results):
        lines.append(printable(case))
        for result, name in zip(results, _labels(results), strict=True):
            answer = result.of(case)
            if answer is not None:
                beside = printable(name)[:label].ljust(label) if label else ""
                lines.append(f"  {beside} {_bar(answer, scale)} {written(unit)(answer.measured.value)}")
    lines.append("  " + " " * label + " " + _axis(scale))
    return lines


def class_sentences(results: Sequence[Result]) -> list[str]:
    """Return the results of a class: how much machines differ, and how good the guesses were."""
    unit, said = results[0].unit, []
    for case in _cases(results):
        answers = [answer for result in results if (answer := result.of(case)) is not None]
        values = [answer.measured.value for answer in answers]
        close = sum(1 / _CLOSE <= answer.factor <= _CLOSE for answer in answers)
        text = written(unit)
        said.append(
            f"{case}: {text(min(values))} to {text(max(values))}, median {text(median(values))}; the largest "
            f"is {formatting.digits(max(values) / min(values), 2)} times the smallest; "
            f"guesses from {text(min(a.guess for a in answers))} to {text(max(a.guess for a in answers))}, "
            f"{close} of {len(answers)} within a factor of {_CLOSE:g}"
        )
    return said


def page(results: Sequence[Result]) -> Sheet:
    """Return a page with one picture of all results."""
    first = results[0]
    is_class = len(results) > 1
    said = class_sentences(results) if is_class else [spoken(each, first.unit) for each in first.answers]
    return Sheet(
        title=f"{first.lab}: guessed and measured",
        found=f"{len(results)} machines" if is_class else first.who,
        is_good=True,
        picture=chart(results),
        remarks=[f"{sentence}." for sentence in said],
        parts=[],
        method=_METHOD,
        facts=Extra(
            "Machines",
            [
                Column("who", tuple(_labels(results)), names=True),
                Column("processor", tuple(result.machine for result in results), names=True),
                Column("Python", tuple(result.python for result in results), names=True),
                Column("Formicary", tuple(result.formicary for result in results), names=True),
            ],
        ),
    )


def chart(results: Sequence[Result]) -> Chart:
    """Draw all results: for each case the figure of each machine with its interval, and each guess."""
    first = results[0]
    text = written(first.unit)
    groups: dict[str, list[Dot]] = {}
    rows: list[tuple[str, str, str, str]] = []
    for case in _cases(results):
        dots = groups.setdefault(case, [])
        for result, name in zip(results, _labels(results), strict=True):
            if (answer := result.of(case)) is None:
                continue
            known = answer.measured
            who = f"{name}, " if len(results) > 1 else ""
            dots.append(
                Dot(
                    Series(f"{who}measured", _MEASURED.colour, _MEASURED.mark, ""),
                    known.value,
                    text(known.value),
                    known.bounds,
                    values=known.values,
                )
            )
            guess = Series(f"{who}guessed", _GUESSED.colour, _GUESSED.mark, "")
            dots.append(Dot(guess, answer.guess, text(answer.guess)))
            between = " to ".join(map(text, known.bounds)) if known.bounds else formatting.NOTHING
            rows.append((f"{case}, {name}", text(answer.guess), text(known.value), between))
    titles = ("case", "guess", "measured", "95% interval")
    columns = [
        Column(title, cells, names=not number)
        for number, (title, cells) in enumerate(zip(titles, zip(*rows, strict=True), strict=True))
    ]
    caption = "Small dots are the rounds, the line is the 95% interval of their mean."
    return Chart(first.question, caption, Dots(groups, first.unit, text), columns)


def write_picture(results: Sequence[Result], path: Path) -> None:
    """Write one picture of all results: a page, or only the drawing if the file's name ends in `.svg`.

    Raises:
        FormicaryError: it cannot be written.
    """
    if path.suffix != ".svg":
        from formicary_bench.reports.formats.sheet import write_sheet

        write_sheet(page(results), path)
        return
    from formicary_bench.reports.charts.printing import WIDTHS, draw_for_print

    with writing(path, "choose another file with --to"), output_file(path) as temporary:
        temporary.write_text(draw_for_print(chart(results), WIDTHS[2]), encoding="utf-8")


def _cases(results: Sequence[Result]) -> list[str]:
    return list(dict.fromkeys(answer.case for result in results for answer in result.answers))


def _labels(results: Sequence[Result]) -> list[str]:
    """Return the names of the people who measured, numbered where several have the same."""
    names = [result.who for result in results]
    return [
        f"{name} ({names[: number + 1].count(name)})" if names.count(name) > 1 else name
        for number, name in enumerate(names)
    ]


def _bar(answer: Answer, scale: scales.Scale) -> str:
    def at(value: float) -> int:
        return round(scale.place(value) * (_WIDE - 1))

    cells = ["·"] * _WIDE
    known = answer.measured
    low, high = map(at, known.bounds or (known.value, known.value))
    cells[low : high + 1] = "-" * (high - low + 1)
    cells[low], cells[high] = "[", "]"
    cells[at(known.value)] = "o"
    cells[at(answer.guess)] = "?"
    return "".join(cells)


def _axis(scale: scales.Scale) -> str:
    line = [" "] * (_WIDE + 12)
    free = 0
    for tick in scale.ticks:
        place = round(tick.place * (_WIDE - 1))
        if place >= free:
            line[place : place + len(tick.text)] = tick.text
            free = place + len(tick.text) + 1
    return "".join(line).rstrip()
