"""One repetition: fresh processes, one measurement, its raw values."""

from __future__ import annotations

import selectors
import time
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

import msgspec

from formicary.processes.messages import Go
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.results.store.model import Repetition
from formicary_bench.results.store.raw import AnyRaw, RoundTrips, of_columns
from formicary_bench.results.summary.load import load_of
from formicary_bench.runner import RepetitionError
from formicary_bench.runner.execution.own_network import delay_of, delayed_network
from formicary_bench.runner.execution.phases import (
    QUIET_SECONDS,
    Advance,
    Break,
    Finish,
    Instruction,
    Observe,
    Phases,
    Prepare,
    SendAll,
    Show,
)
from formicary_bench.runner.execution.worker_hosts import LocalHost, WorkerSlot, round_trips
from formicary_bench.runner.observers.hosts import HostObserver
from formicary_bench.runner.observers.observer import NOBODY, Observer, PlacedWorker, ProgressListener
from formicary_bench.runner.observers.validity import why_late, why_restless
from formicary_bench.subjects.registry import subject_of
from formicary_bench.vocabulary.parameters.shared import paced_rate
from formicary_bench.vocabulary.places import ASK, BOTH, ECHO, MEMBER, N_HOSTS, SAME
from formicary_bench.worker.interruption import allow_interrupts
from formicary_bench.worker.messages import Accounted, Columns, Job

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager
    from types import TracebackType

    from formicary_bench.runner.execution.worker_hosts import WorkerProcess
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.worker.messages import Mark, Order, Server

_SECONDS_TO_END = 5.0
_SECONDS_BETWEEN_LOOKS = 0.5  # at which hosts are missing


def _none() -> frozenset[str]:
    return frozenset()


@dataclass(frozen=True)
class Task:
    """A repetition to measure.

    Attributes:
        configuration: the configuration.
        number: 1 for its first repetition.
        seed: for random generators.
        server: the XMPP server, if one takes part, and all workers are on this machine.
        slots: the workers, and where they run; by default those of the configuration, on this machine.
        missing: returns the names of hosts that do not answer.
        warm: whether to warm up another platform first.
    """

    configuration: Configuration
    number: int
    seed: int
    server: Server | None = None
    slots: tuple[WorkerSlot, ...] = ()
    missing: Callable[[], frozenset[str]] = _none
    warm: bool = True

    def repetition(self, started: datetime, **known: Any) -> Repetition:
        """Return the record of this repetition, which ends now."""
        return Repetition(
            configuration=self.configuration.key,
            number=self.number,
            seed=self.seed,
            started=started,
            ended=datetime.now(UTC),
            **known,
        )


def measure(
    task: Task, listener: ProgressListener, *, observer: Observer = NOBODY, quiet_s: float = QUIET_SECONDS
) -> tuple[Repetition, AnyRaw]:
    """Measure once, in fresh processes.

    Args:
        task: the repetition.
        listener: follows it.
        observer: measures from outside meanwhile.
        quiet_s: the timeout for any progress, in seconds.

    Raises:
        RepetitionError: it failed.
    """
    started = datetime.now(UTC)
    watching = HostObserver(observer) if any(slot.host.name for slot in task.slots) else None
    with (
        delayed_network(delay_of(task.configuration)),
        RepetitionRun(task, listener, watching or observer, quiet_s=quiet_s) as running,
    ):
        done = running.finish()
        first = next(iter(done.results.values()))
        members: tuple[int, ...] = ()
        counted = first.counters
        data: AnyRaw
        if isinstance(first, Columns):
            data = of_columns(first.columns)
        else:
            handed = {worker: running.workers[worker].raw_values() for worker in done.results}
            data, members = round_trips(task.configuration, done.results, handed)
    known = task.repetition(
        started,
        members=members if len(members) > 1 else (),
        elapsed_s=first.elapsed_s if isinstance(first, Columns) else 0.0,
        counters=(watching.counters() if watching else {}) | counted,
        lost=_lost(task.configuration, data),
        invalid=(*(watching.why_invalid() if watching else ()), *why_late(task.configuration, counted)),
        # In an open loop, senders poll the clock, so all are busy.
        notes=(
            *(watching.notes() if watching and not paced_rate(task.configuration) else ()),
            *why_restless(counted),
        ),
    )
    return _with_figures(known, data, full_load=done.full_load), data


def _lost(configuration: Configuration, data: AnyRaw) -> int:
    """Return how many messages of an open loop were not answered; in a closed loop, all are."""
    if not paced_rate(configuration) or not isinstance(data, RoundTrips):
        return 0
    return configuration.exchange.load * configuration.exchange.trips - len(data.pair)


def roles_of(configuration: Configuration) -> tuple[str, ...]:
    """Return the roles of a configuration's workers."""
    roles = EXPERIMENTS[configuration.experiment].roles
    if roles:
        return roles
    if configuration.placement == N_HOSTS:
        return (MEMBER,) * configuration.hosts
    return (BOTH,) if configuration.placement == SAME else (ECHO, ASK)


class RepetitionRun:
    """A running repetition, with its workers: performs what `Phases` decides. Arguments as of `measure`."""

    def __init__(
        self, task: Task, listener: ProgressListener, observer: Observer, *, quiet_s: float = QUIET_SECONDS
    ) -> None:
        self._task = task
        self._listener = listener
        self._observer = observer
        here = LocalHost()
        self._slots = task.slots or tuple(
            WorkerSlot(role, here, server=task.server) for role in roles_of(task.configuration)
        )
        roles = tuple(slot.role for slot in self._slots)
        self._hosts = tuple(slot.host.name for slot in self._slots if slot.host.name)
        self._marks = observer.marks or len(roles) > 2  # noqa: PLR2004 -- several measure: at the same time?
        self._phases = Phases(roles, self._hosts, self._marks, quiet_s)
        self._finished: Finish | None = None
        self._stack = ExitStack()
        self.workers: list[WorkerProcess] = []

    def __enter__(self) -> Self:
        try:
            for slot in self._slots:
                worker: AbstractContextManager[WorkerProcess] = slot.host.worker()
                self.workers.append(self._stack.enter_context(worker))
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is not None:
                self._observer.give_up()
        finally:
            self._stack.close()

    def finish(self) -> Finish:
        """Run to the end, and return the results of the workers."""
        with selectors.DefaultSelector() as selector:
            for number, worker in enumerate(self.workers):
                selector.register(worker, selectors.EVENT_READ, number)
            self._perform(self._phases.begin(time.monotonic()))
            while self._finished is None:
                self._wait(selector)
        return self._finished

    def _wait(self, selector: selectors.BaseSelector) -> None:
        left = max(0.0, self._phases.deadline - time.monotonic())
        with allow_interrupts():
            events = selector.select(min(left, _SECONDS_BETWEEN_LOOKS) if self._hosts else left)
        self._look_for_hosts()  # first: a host whose last report has come is back
        for key, _ in events:
            worker = self.workers[key.data]
            reports = worker.read()
            if reports is None:
                selector.unregister(worker)
                code = worker.wait(_SECONDS_TO_END)
                self._perform(self._phases.ended(key.data, code, worker.last_words()))
            for report in reports or ():
                self._perform(self._phases.heard(key.data, report, time.monotonic()))
        self._perform(self._phases.passed(time.monotonic()))

    def _look_for_hosts(self) -> None:
        missing = self._task.missing() if self._hosts else ()
        for host in dict.fromkeys(self._hosts):
            if host in missing:
                self._perform(self._phases.missing(host, time.monotonic()))
            else:
                self._perform(self._phases.back(host))

    def _perform(self, instructions: Iterable[Instruction]) -> None:
        for instruction in instructions:
            match instruction:
                case Prepare(worker, peer):
                    self.workers[worker].send(self._job(worker, peer))
                case SendAll(order):
                    self._tell_all(order)
                case Advance(done, at_ns):
                    self._listener.advance(done, at_ns)
                    self._observer.advance(done, at_ns)
                case Observe(worker, report):
                    self._observe(self._slots[worker].label, report)
                case Show(sentence):
                    self._listener.say(sentence)
                case Finish():
                    self._finished = instruction
                case Break(reason):
                    raise RepetitionError(reason)

    def _tell_all(self, order: Order) -> None:
        if isinstance(order, Go):
            self._observer.begin(self._placed())
        for worker in self.workers:
            worker.send(order)

    def _job(self, worker: int, peer: str) -> Job:
        slot, configuration = self._slots[worker], self._task.configuration
        experiment = EXPERIMENTS[configuration.experiment]
        subject = subject_of(configuration.platform, configuration.kind)
        return Job(
            configuration,
            slot.role,
            self._task.seed,
            peer=peer,
            server=slot.server,
            marks=self._marks,
            member=worker,
            members=len(self._slots),
            listen=slot.listen,
            module=subject.module if subject.exchanges else experiment.played_by or subject.module,
            exchange=experiment.exchange if subject.exchanges else "",
            warm=self._task.warm,
        )

    def _observe(self, worker: str, report: Mark | Accounted) -> None:
        if isinstance(report, Accounted):
            self._observer.heard(worker, report)
        else:
            self._observer.mark(report)

    def _placed(self) -> dict[str, PlacedWorker]:
        return {
            slot.label: PlacedWorker(slot, worker)
            for slot, worker in zip(self._slots, self.workers, strict=True)
        }


def _with_figures(known: Repetition, data: AnyRaw, *, full_load: bool) -> Repetition:
    if not isinstance(data, RoundTrips):
        return known
    load = load_of(data, known.members)
    if load is None:
        raise RepetitionError("no round trip was measured")
    return msgspec.structs.replace(
        known,
        full_load=load.full and full_load,
        elapsed_s=load.elapsed_s,
        round_trips=load.round_trips,
        window_s=load.window_s,
        round_trips_in_window=load.round_trips_in_window,
    )
