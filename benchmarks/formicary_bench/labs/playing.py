"""Plays scenarios with a student's program, in this process and in virtual time, and says how each went."""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import sys
import warnings
from importlib.util import module_from_spec, spec_from_file_location
from typing import TYPE_CHECKING

import msgspec

from formicary.testing import NothingLeftError, run_virtual
from formicary_bench.labs.mistakes import line_of_error, quoted, with_code
from formicary_bench.labs.programs import Broken
from formicary_bench.labs.recording import Arrow, about
from formicary_bench.labs.scenarios import Scenario, Stage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from formicary_bench.labs.programs import Program

LONGEST = 24 * 3600.0
"""Seconds of virtual time after which a scenario is over, whatever it waits for."""

_PRINTED = 2000  # characters of what a program prints: the last ones
_ARROWS = 500


class Outcome(msgspec.Struct, frozen=True):
    """What came of a scenario.

    Attributes:
        scenario: its name.
        exercise: of which exercise it is.
        sentence: what must hold.
        problem: what is wrong, as a sentence; empty if it holds.
        hint: what else was seen that may be the reason, such as a forgotten `await`.
        arrows: the messages that show it.
        printed: what the program has printed, the end of it.
    """

    scenario: str
    exercise: int
    sentence: str
    problem: str = ""
    hint: str = ""
    arrows: tuple[Arrow, ...] = ()
    printed: str = ""

    @property
    def holds(self) -> bool:
        """Whether all is well."""
        return not self.problem


def load_scenarios(path: Path) -> dict[str, Scenario]:
    """Return the scenarios of a lab's `check.py` by their names, in their order."""
    spec = spec_from_file_location("lab_check", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["lab_check"] = module
    spec.loader.exec_module(module)
    found = [value for value in vars(module).values() if isinstance(value, Scenario)]
    return {each.name: each for each in found}


def play(scenario: Scenario, program: Program, seed: int = 0) -> Outcome:
    """Play a scenario.

    Args:
        scenario: the scenario.
        program: the student's program.
        seed: of all chance in it.
    """
    stage: list[Stage] = []

    async def main() -> None:
        async with asyncio.timeout(LONGEST), Stage(program, seed) as made:
            stage.append(made)
            await scenario.play(made)

    problem, arrows, error = "", [], None
    with _quiet() as (printed, unawaited):
        try:
            run_virtual(main(), seed=seed)
        except (Exception, SystemExit) as raised:  # noqa: BLE001 -- whatever it is, it is said in a sentence
            error = raised
            problem = _what_failed(raised, program.path)
    known = stage[0] if stage else None
    if known is not None:
        failures = known.failures
        if failures and not isinstance(error, SystemExit):
            # Another exception than what must hold is that of the agent itself, which somebody has joined.
            said = problem if isinstance(error, Broken) else ""
            problem = _with_failure(said, with_code(str(failures[0]), program.path))
        names = error.about if isinstance(error, Broken) else ()
        arrows = about(known.recorder.arrows, names, getattr(error, "conversation", ""))
    return Outcome(
        scenario.name,
        scenario.exercise,
        scenario.sentence,
        problem,
        unawaited[0] if problem and unawaited else "",
        tuple(arrows[-_ARROWS:]) if problem else (),
        printed.getvalue()[-_PRINTED:],
    )


def _with_failure(problem: str, failure: str) -> str:
    return f"{problem}; an agent has failed: {failure}" if problem else f"an agent has failed: {failure}"


def _what_failed(error: BaseException, path: Path) -> str:
    line = line_of_error(error, path)
    where = f" ({quoted(path, line)})" if line else ""
    if isinstance(error, Broken):
        return str(error)
    if isinstance(error, SystemExit):
        return f"the program ends its process by sys.exit(){where}; let the agents end by stop()"
    if isinstance(error, TimeoutError):
        return f"the scenario is not over after {LONGEST / 3600:g} hours of virtual time"
    if isinstance(error, NothingLeftError):
        return f"all wait, and nobody will wake them: {error}"
    own = "" if line else " while your program was checked"
    return f"{type(error).__name__}: {error}{own}{where}"


@contextlib.contextmanager
def _quiet() -> Iterator[tuple[io.StringIO, list[str]]]:
    """Keep what is printed, and what was forgotten to be awaited; log nothing."""
    printed = io.StringIO()
    unawaited: list[str] = []

    def notice(message: Warning | str, category: type[Warning], file: str, line: int, *_: object) -> None:
        del category
        if "was never awaited" in str(message):
            unawaited.append(f"{message}; write `await` before it ({file.rpartition('/')[2]}, line {line})")

    before = logging.root.manager.disable
    logging.disable()
    try:
        with (
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("always")
            warnings.showwarning = notice  # type: ignore[assignment]
            yield printed, unawaited
    finally:
        logging.disable(before)
