"""What a student guessed and measured: a small file, and those of a class read together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary.core.files import output_file
from formicary.core.quoting import sentence
from formicary.errors import FormicaryError, UsageError
from formicary_bench.files.refusals import next_step
from formicary_bench.statistics.typical import Typical, typical

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FORMAT = "formicary lab 1"
_LARGEST = 1_000_000  # bytes of a file


class Answer(msgspec.Struct, frozen=True):
    """One case: its name, the guess, and the figures of the rounds, all in the measurement's unit."""

    case: str
    guess: float
    values: tuple[float, ...]

    @property
    def measured(self) -> Typical:
        """The mean of the rounds, with its interval."""
        found = typical(self.values)
        assert found is not None
        return found

    @property
    def factor(self) -> float:
        """How many times the measured figure the guess is."""
        return self.guess / self.measured.value


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What `formicary lab measure` leaves.

    Attributes:
        lab: the name of the lab.
        question: what was asked.
        unit: of all figures.
        who: who has measured.
        machine: the processor.
        python: Python's version.
        formicary: ours.
        answers: one for each case.
        format: which kind of file it is.
    """

    lab: str
    question: str
    unit: str
    who: str
    machine: str
    python: str
    formicary: str
    answers: tuple[Answer, ...]
    format: str = FORMAT

    def of(self, case: str) -> Answer | None:
        """Return the answer about a case, if there is one."""
        return next((answer for answer in self.answers if answer.case == case), None)


def write_result(result: Result, path: Path) -> None:
    """Write a result, in place of an older one.

    Raises:
        FormicaryError: it cannot be written.
    """
    try:
        with output_file(path) as temporary:
            temporary.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")
    except OSError as error:
        raise FormicaryError(
            f"{path} cannot be written ({error.strerror or error}): "
            f"{next_step(error, 'choose another file with --to')}"
        ) from error


def read_results(paths: Iterable[Path]) -> tuple[list[Result], list[str]]:
    """Read the results of a class, all of the lab that the first one is of.

    Args:
        paths: their files.

    Returns:
        The results, and a sentence for each file that is left out.

    Raises:
        UsageError: none of them is a result.
    """
    found: list[Result] = []
    warnings: list[str] = []
    for path in paths:
        try:
            result = _read(path)
        except UsageError as error:
            warnings.append(str(error))
            continue
        if found and result.lab != found[0].lab:
            warnings.append(f"{path} is from the lab {sentence(result.lab)}, not {found[0].lab}: skipped")
            continue
        found.append(result)
    if not found:
        raise UsageError("; ".join(warnings) or "no file was given")
    return found, warnings


def _read(path: Path) -> Result:
    try:
        if path.stat().st_size > _LARGEST:
            raise UsageError(f"{path} is too large to be a result of `formicary lab measure`: skipped")
        result = msgspec.json.decode(path.read_bytes(), type=Result)
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}): skipped") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not a result of `formicary lab measure` ({error}): skipped") from error
    if result.format != FORMAT:
        raise UsageError(f"{path} is from another version of `formicary lab measure`: skipped")
    if not result.answers or not all(map(_is_sound, result.answers)):
        raise UsageError(f"{path} has figures that are not above zero, or none at all: skipped")
    return result


def _is_sound(answer: Answer) -> bool:
    return bool(answer.values) and answer.guess > 0 and min(answer.values) > 0
