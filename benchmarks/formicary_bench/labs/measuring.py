"""Guess, then measure: a lab's question and cases, how they are measured, and the file of the results.

A lab's `measure.py` has one `Measurement`. Each case is a coroutine function that measures for so many
seconds and returns a figure in the measurement's unit::

    async def one_process(seconds: float) -> float:
        async with Container("c1") as container:
            await container.start(EchoAgent("echo"))
            return await time_of_asking(container, "echo", seconds)
"""

from __future__ import annotations

import asyncio
import random
from time import perf_counter
from typing import TYPE_CHECKING

import msgspec

from formicary import Agent, CyclicBehaviour, Message, OneShotBehaviour, Template
from formicary.core.event_loop import loop_factory
from formicary.core.files import output_file
from formicary.core.quoting import sentence
from formicary.errors import UsageError
from formicary_bench.files.refusals import writing
from formicary_bench.statistics.estimates import Typical, typical

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator
    from pathlib import Path

    from formicary import Container
    from formicary_bench.labs.material import Lab

    Case = Callable[[float], Awaitable[float]]


ROUNDS = 10
"""The number of rounds; each measures all cases in a random order, each in a new event loop."""

SHORTEST = 0.01
"""The shortest measurement of a case in a round, in seconds."""

_WARM_UP = 0.2  # of the time of a case, before what is counted
_MICROSECONDS = 1e6
_BETWEEN_LOOKS = 20  # round trips between two looks at the clock


class Measurement(msgspec.Struct, frozen=True):
    """The measurement of a lab.

    Attributes:
        question: the question to guess, as a sentence.
        unit: the unit of the figures, such as `µs`.
        cases: what is measured, by name.
    """

    question: str
    unit: str
    cases: dict[str, Case]


def load_measurement(lab: Lab) -> Measurement:
    """Return the measurement of a lab's `measure.py`."""
    found: Measurement = lab.module("measure").MEASUREMENT
    return found


def measure(measurement: Measurement, seconds: float) -> Iterator[tuple[str, float]]:
    """Measure all cases, ten times each, and yield each figure as it is measured.

    Args:
        measurement: the cases.
        seconds: about how long all of it takes, without setting up and ending cases.
    """
    each = max(seconds / ROUNDS / len(measurement.cases), SHORTEST)
    for _ in range(ROUNDS):
        cases = list(measurement.cases.items())
        random.shuffle(cases)
        for name, case in cases:
            with asyncio.Runner(loop_factory=loop_factory()) as runner:
                yield name, runner.run(_run(case, each))


async def _run(case: Case, seconds: float) -> float:
    return await case(seconds)


class EchoAgent(Agent):
    """Answers every request with its body, wherever it lives."""

    async def setup(self) -> None:
        self.add_behaviour(_Responder(), Template(performative="request"))


class _Responder(CyclicBehaviour):
    async def run(self) -> None:
        message = await self.receive()
        await self.reply(message, body=message.body)


class _Requester(OneShotBehaviour):
    """Asks again and again; `microseconds` is the mean time of a question and its answer."""

    def __init__(self, to: str, seconds: float, body: str) -> None:
        super().__init__()
        self.message = Message(to=to, performative="request", body=body)
        self.seconds = seconds
        self.microseconds = 0.0

    async def run(self) -> None:
        await self._ask_for(self.seconds * _WARM_UP)
        self.microseconds = await self._ask_for(self.seconds)

    async def _ask_for(self, seconds: float) -> float:
        began, trips, passed = perf_counter(), 0, 0.0
        while passed < seconds:
            for _ in range(_BETWEEN_LOOKS):
                await self.send(self.message)
                await self.receive()
            trips += _BETWEEN_LOOKS
            passed = perf_counter() - began
        return passed / trips * _MICROSECONDS


async def time_of_asking(container: Container, to: str, seconds: float, body: str = "hello") -> float:
    """Return the mean time of a question and its answer, in microseconds."""
    asker, behaviour = Agent("asker"), _Requester(to, seconds, body)
    asker.add_behaviour(behaviour)
    await container.start(asker)
    await behaviour.join()
    return behaviour.microseconds


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
        """The ratio of the guess to the measured figure."""
        return self.guess / self.measured.value


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """The result of `formicary lab measure`.

    Attributes:
        lab: the name of the lab.
        question: the question.
        unit: of all figures.
        who: who measured.
        machine: the processor.
        python: Python's version.
        formicary: the version of Formicary.
        answers: one for each case.
        format: the kind of file.
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
        """Return the answer to a case, if there is one."""
        return next((answer for answer in self.answers if answer.case == case), None)


def write_result(result: Result, path: Path) -> None:
    """Write a result, replacing an older one.

    Raises:
        FormicaryError: it cannot be written.
    """
    with writing(path, "choose another file with --to"), output_file(path) as temporary:
        temporary.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")


def read_results(paths: Iterable[Path]) -> tuple[list[Result], list[str]]:
    """Read the results of a class; those of another lab than the first are left out.

    Returns:
        The results, and a sentence for each file that is left out.

    Raises:
        UsageError: none is a valid result.
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
