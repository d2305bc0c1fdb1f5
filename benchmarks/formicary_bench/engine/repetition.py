"""One repetition: fresh processes, one measurement, its raw values."""

from __future__ import annotations

import os
import selectors
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from formicary_bench.engine.errors import RepetitionError
from formicary_bench.engine.interruption import welcome
from formicary_bench.engine.messages import Created, Done, Go, Job
from formicary_bench.engine.phases import (
    QUIET_SECONDS,
    Advance,
    Break,
    Finish,
    Instruction,
    Observe,
    Phases,
    Prepare,
    TellAll,
)
from formicary_bench.engine.processes import Worker
from formicary_bench.experiments.catalogue import CREATE
from formicary_bench.platforms.catalogue import APART
from formicary_bench.results.load import load_of
from formicary_bench.results.model import Repetition
from formicary_bench.results.raw import COOL_DOWN, MEASURED, WARM_UP, Creations, RoundTrips

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary_bench.engine.messages import Mark, Server
    from formicary_bench.results.model import Configuration

_SECONDS_TO_END = 5.0
_MEASURED_BY_NS = 8  # bytes of a time


class Watcher(Protocol):
    """Who looks on while round trips are made."""

    def advance(self, done: int, at_ns: int) -> None:
        """See how many are done at a time of the worker's clock."""


class Observer(Protocol):
    """Who measures from outside while round trips are made.

    Attributes:
        marks: whether to be told when all pairs are in T2 together.
    """

    marks: bool

    def begin(self, processes: dict[str, int]) -> None:
        """Learn that all are prepared and begin now: the workers' process ids, by role."""

    def advance(self, done: int, at_ns: int) -> None:
        """See how many are done at a time of the worker's clock."""

    def mark(self, mark: Mark) -> None:
        """Learn that all pairs have entered T2, or that the first one has left it."""


class Nobody:
    """Measures nothing from outside."""

    marks = False

    def begin(self, processes: dict[str, int]) -> None:
        """Do nothing."""

    def advance(self, done: int, at_ns: int) -> None:
        """Do nothing."""

    def mark(self, mark: Mark) -> None:
        """Do nothing."""


NOBODY = Nobody()


@dataclass(frozen=True)
class Task:
    """What is measured.

    Attributes:
        configuration: what to measure.
        number: 1 for its first repetition.
        seed: for the random generators.
        server: the XMPP server, where one takes part.
    """

    configuration: Configuration
    number: int
    seed: int
    server: Server | None = None


def measure(
    task: Task, watcher: Watcher, *, observer: Observer = NOBODY, quiet_s: float = QUIET_SECONDS
) -> tuple[Repetition, RoundTrips | Creations]:
    """Measure once, in fresh processes, which are gone when this returns.

    Args:
        task: what to measure.
        watcher: told of the progress.
        observer: measures from outside meanwhile.
        quiet_s: seconds without any progress after which the repetition is given up.

    Raises:
        RepetitionError: nothing came of it; says what happened.
    """
    started = datetime.now(UTC)
    with tempfile.TemporaryFile() as handover:
        result = Course(task, watcher, observer, handover.fileno(), quiet_s=quiet_s).run()
        data = (
            _creations(result)
            if isinstance(result, Created)
            else _round_trips(task.configuration, result, handover.fileno())
        )
    known = Repetition(
        configuration=task.configuration.key,
        number=task.number,
        seed=task.seed,
        started=started,
        ended=datetime.now(UTC),
    )
    return _with_figures(known, data), data


def roles_of(configuration: Configuration) -> tuple[str, ...]:
    """Return the roles of a configuration's workers; the last one measures."""
    if configuration.experiment == CREATE.name:
        return ("create",)
    return ("echo", "ask") if configuration.placement == APART else ("both",)


class Course:
    """The thin shell around `Phases`: it waits, and does what it is told.

    Args:
        task: what to measure.
        watcher: told of the progress.
        observer: measures from outside meanwhile.
        handover: the file to which the worker that measures writes; -1 where it writes nothing.
        quiet_s: seconds without any progress after which the repetition is given up.
    """

    def __init__(
        self,
        task: Task,
        watcher: Watcher,
        observer: Observer,
        handover: int = -1,
        *,
        quiet_s: float = QUIET_SECONDS,
    ) -> None:
        self._task = task
        self._handover = handover
        self._watcher = watcher
        self._observer = observer
        self._roles = roles_of(task.configuration)
        self._phases = Phases(self._roles, quiet_s)
        self._result: Done | Created | None = None
        self._workers: list[Worker] = []

    def run(self) -> Done | Created:
        """Go through all of it, and return what the worker that measures has to say.

        Raises:
            RepetitionError: nothing came of it; says what happened.
        """
        with ExitStack() as stack, selectors.DefaultSelector() as selector:
            for number in range(len(self._roles)):
                worker = stack.enter_context(Worker(self._handover))
                self._workers.append(worker)
                selector.register(worker, selectors.EVENT_READ, number)
            self._perform(self._phases.begin(time.monotonic()))
            while self._result is None:
                self._wait(selector)
        return self._result

    def _wait(self, selector: selectors.BaseSelector) -> None:
        with welcome():
            events = selector.select(max(0.0, self._phases.deadline - time.monotonic()))
        for key, _ in events:
            worker = self._workers[key.data]
            reports = worker.read()
            if reports is None:
                selector.unregister(worker)
                code = worker.wait(_SECONDS_TO_END)
                self._perform(self._phases.ended(key.data, code, worker.last_words()))
            for report in reports or ():
                self._perform(self._phases.heard(key.data, report, time.monotonic()))
        self._perform(self._phases.passed(time.monotonic()))

    def _perform(self, instructions: Iterable[Instruction]) -> None:
        for instruction in instructions:
            match instruction:
                case Prepare(worker, peer):
                    self._workers[worker].tell(self._job(self._roles[worker], peer))
                case TellAll(order):
                    if isinstance(order, Go):
                        self._observer.begin(self._pids())
                    for each in self._workers:
                        each.tell(order)
                case Advance(done, at_ns):
                    self._watcher.advance(done, at_ns)
                    self._observer.advance(done, at_ns)
                case Observe(mark):
                    self._observer.mark(mark)
                case Finish(result):
                    self._result = result
                case Break(reason):
                    raise RepetitionError(reason)

    def _job(self, role: str, peer: str) -> Job:
        task = self._task
        about = task.configuration, role, task.seed, self._handover, peer, task.server
        return Job(*about, marks=self._observer.marks)

    def _pids(self) -> dict[str, int]:
        return {role: worker.pid for role, worker in zip(self._roles, self._workers, strict=True)}


def _creations(result: Created) -> Creations:
    import numpy as np

    return Creations(
        batch=np.arange(len(result.agents), dtype=np.int32),
        agents=np.array(result.agents, dtype=np.int64),
        seconds=np.array(result.seconds, dtype=np.float64),
        bytes=np.array(result.bytes, dtype=np.int64),
    )


def _round_trips(configuration: Configuration, result: Done, handover: int) -> RoundTrips:
    """Read what the worker has handed over: for each pair all beginnings, then all times."""
    import numpy as np

    trips = configuration.warm_up + configuration.measured + configuration.cool_down
    pairs = configuration.load
    size = pairs * 2 * trips * _MEASURED_BY_NS
    if set(result.counts) != {trips} or len(result.counts) != pairs or os.fstat(handover).st_size != size:
        raise RepetitionError("the measuring process handed over fewer round trips than it should have made")
    values = np.frombuffer(os.pread(handover, size, 0), dtype=np.int64).reshape(pairs, 2, trips)
    phases = np.repeat(
        np.array([WARM_UP, MEASURED, COOL_DOWN], dtype=np.int8),
        [configuration.warm_up, configuration.measured, configuration.cool_down],
    )
    return RoundTrips(
        pair=np.repeat(np.arange(pairs, dtype=np.int32), trips),
        index=np.tile(np.arange(trips, dtype=np.int32), pairs),
        start_ns=(values[:, 0] - result.began_ns).ravel(),
        rtt_ns=values[:, 1].ravel(),
        phase=np.tile(phases, pairs),
    )


def _with_figures(known: Repetition, data: RoundTrips | Creations) -> Repetition:
    import msgspec

    if isinstance(data, Creations):
        return msgspec.structs.replace(known, elapsed_s=float(data.seconds.sum()))
    load = load_of(data)
    if load is None:
        raise RepetitionError("no round trip was measured")
    return msgspec.structs.replace(
        known,
        full_load=load.full,
        elapsed_s=load.elapsed_s,
        round_trips=load.round_trips,
        window_s=load.window_s,
        round_trips_in_window=load.round_trips_in_window,
    )
