"""Plays scenarios in virtual time with a student's program in another process, and judges each.

The judge keeps the clock, the network, the partners of the program's agents, and the conditions to check.
"""

from __future__ import annotations

import asyncio
import random
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from formicary.testing import NothingLeftError
from formicary_bench.labs.examinee import Examinee, Gone, JudgesLoop
from formicary_bench.labs.exchange import Final
from formicary_bench.labs.programs import Broken, unlogged
from formicary_bench.labs.recording import Arrow, about
from formicary_bench.labs.scenarios import Scenario, Stage

if TYPE_CHECKING:
    from formicary_bench.labs.material import Lab


SECONDS = 10.0
"""The limit of a program's CPU time in a scenario; a solution needs a fraction of a second."""

LONGEST = 24 * 3600.0
"""Seconds of virtual time after which a scenario is over, whatever it waits for."""

_SENTENCE = 4000  # characters
_ARROWS = 500


class Outcome(msgspec.Struct, frozen=True):
    """The outcome of a scenario.

    Attributes:
        scenario: its name.
        exercise: its exercise.
        sentence: what must hold.
        passed: whether it holds.
        problem: what is wrong, as a sentence; empty if it passed.
        hint: a possible reason, such as a forgotten `await`.
        arrows: the messages that show it.
        printed: the end of the program's output.
    """

    scenario: str
    exercise: int
    sentence: str
    passed: bool
    problem: str = ""
    hint: str = ""
    arrows: tuple[Arrow, ...] = ()
    printed: str = ""


def load_scenarios(lab: Lab) -> dict[str, Scenario]:
    """Return the scenarios of a lab's `check.py` by name, in order."""
    found = [value for value in vars(lab.module("check")).values() if isinstance(value, Scenario)]
    return {each.name: each for each in found}


def play(scenario: Scenario, examinee: Examinee, seed: int, seconds: float = SECONDS) -> Outcome:
    """Play a scenario.

    Args:
        scenario: the scenario.
        examinee: the program, in its process.
        seed: the seed of all random numbers in it; the program cannot derive it from its own.
        seconds: the limit of the program's CPU time.
    """
    stage: list[Stage] = []
    chance = random.Random(f"{seed} {scenario.name}")

    async def main() -> None:
        async with asyncio.timeout(LONGEST), Stage(examinee, chance) as made:
            stage.append(made)
            await scenario.play(made)

    problem, final, error = "", Final((), "", ""), None
    with unlogged():
        try:
            examinee.begin(random.Random(f"{seed} of the program").getrandbits(63), seconds)
            with asyncio.Runner(loop_factory=partial(JudgesLoop, examinee, chance.getrandbits(63))) as runner:
                runner.run(main())
        except Exception as raised:  # noqa: BLE001 -- whatever it is, it is said in a sentence
            error, problem = raised, _what_failed(raised)
        try:
            if not examinee.is_gone:
                final = examinee.finish()
        except Broken as raised:
            problem = problem or str(raised)
    known = stage[0] if stage else None
    failures = (*final.failures, *(map(str, known.failures) if known is not None else ()))
    if failures and not isinstance(error, Gone):
        problem = (
            f"{problem}; an agent failed: {failures[0]}" if problem else f"an agent failed: {failures[0]}"
        )
    arrows: list[Arrow] = []
    if problem and known is not None:
        names = error.about if isinstance(error, Broken) else ()
        arrows = about(known.recorder.arrows, names, getattr(error, "conversation", ""))[-_ARROWS:]
    return Outcome(
        scenario.name,
        scenario.exercise,
        scenario.sentence,
        not problem,
        problem[:_SENTENCE],
        final.hint if problem else "",
        tuple(arrows),
        final.printed,
    )


def _what_failed(error: Exception) -> str:
    if isinstance(error, Broken):
        return str(error)
    if isinstance(error, TimeoutError):
        return f"the scenario has not ended after {LONGEST / 3600:g} hours of virtual time"
    if isinstance(error, NothingLeftError):
        return f"all agents are waiting, and nothing will wake them: {error}"
    return f"{type(error).__name__}: {error} while your program was checked"
