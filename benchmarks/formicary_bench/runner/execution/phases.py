"""What follows what in one repetition: a state machine, from events to instructions, without any I/O.

First one worker prepares, as the others may have to know how to reach it; then all others do at once. When
all are ready they are told to meet, and when all have met, to go. When all that measure have handed over
their results, all are told to stop, and when all have ended well it is done. Whatever else happens ends the
repetition, with a sentence.

The three phases of the load (T1, T2 and T3: warm, measuring, cooling) have no barrier between them. Each pair
goes over from one to the next within its own traffic, since to stop and wait there would take away the very
load at which is measured. So where several workers measure, their windows open when the last of them has said
that it is in T2, and close when the first one has left it.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from formicary.processes.messages import Failed, Go, Stop
from formicary.processes.words import ended_how
from formicary_bench.remote.host_agent.protocol import MISSING_SECONDS
from formicary_bench.vocabulary.places import PROCESSES
from formicary_bench.worker.messages import (
    Accounted,
    Columns,
    Done,
    Mark,
    Meet,
    Met,
    Progress,
    Ready,
    Report,
    Result,
)

QUIET_SECONDS = 30.0
"""How long nothing may advance before a worker counts as hanging."""

LOST_SECONDS = 10.0
"""How long a host may not be heard of before the repetition is given up."""


class Stage(enum.Enum):
    """Where a repetition is."""

    PLANNED = "planned"
    PREPARING = "preparing"
    READY = "meeting"
    WARM = "warming up"
    MEASURING = "measuring"
    COOLING = "cooling down"
    COLLECTING = "ending"
    DONE = "done"
    FAILED = "failed"


_LOADED = {Stage.WARM, Stage.MEASURING, Stage.COOLING}
_OVER = {Stage.DONE, Stage.FAILED}


@dataclass(frozen=True, slots=True)
class Prepare:
    """Send a worker its job; `peer` is how it reaches the first one."""

    worker: int
    peer: str


@dataclass(frozen=True, slots=True)
class SendAll:
    """Send an order to all workers."""

    order: Meet | Go | Stop


@dataclass(frozen=True, slots=True)
class Advance:
    """Show how many round trips, or agents, are done."""

    done: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class Observe:
    """All pairs of all workers are in T2 from now on, or no longer, as the worker that made it so says.

    Or it is what a worker accounts for.
    """

    worker: int
    report: Mark | Accounted


@dataclass(frozen=True, slots=True)
class Show:
    """Show the user a sentence."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Finish:
    """The repetition went well; these are the results of the workers that measure, by their numbers.

    Attributes:
        results: at least one.
        full_load: whether none of them had ended while another one was still in T2, as far as they have told.
    """

    results: dict[int, Result]
    full_load: bool = True


@dataclass(frozen=True, slots=True)
class Break:
    """The repetition is worthless; `reason` is what happened, without a full stop."""

    reason: str


Instruction = Prepare | SendAll | Advance | Observe | Show | Finish | Break


@dataclass
class Phases:
    """The state of one repetition. Every method returns what is to be done now.

    Args:
        roles: the workers' roles.
        hosts: the names of the hosts on which they run; on this machine if there are none.
        marks: whether the workers that measure say when they enter T2 and when they leave it.
        quiet_s: see `QUIET_SECONDS`.
    """

    roles: tuple[str, ...]
    hosts: tuple[str, ...] = ()
    marks: bool = False
    quiet_s: float = QUIET_SECONDS
    stage: Stage = Stage.PLANNED
    _quiet_until: float = 0.0
    _measuring: set[int] = field(default_factory=set)
    _ready: set[int] = field(default_factory=set)
    _met: set[int] = field(default_factory=set)
    _entered: set[int] = field(default_factory=set)
    _left: set[int] = field(default_factory=set)
    _results: dict[int, Result] = field(default_factory=dict)
    _full_load: bool = True
    _ended: set[int] = field(default_factory=set)
    _steps: dict[int, int] = field(default_factory=dict)
    _missing: dict[str, float] = field(default_factory=dict)

    @property
    def deadline(self) -> float:
        """When `passed` is to be called at the latest."""
        return min([self._quiet_until, *self._missing.values()])

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to be done."""
        return self.stage in _OVER

    def begin(self, now: float) -> list[Instruction]:
        """Begin; `now` is in seconds, as everywhere here, on any clock that does not jump."""
        if self.stage is not Stage.PLANNED:
            return []
        self.stage = Stage.PREPARING
        self._extend(now)
        return [Prepare(0, "")]

    def heard(self, worker: int, report: Report, now: float) -> list[Instruction]:
        """Called with what a worker says."""
        if self.is_over:
            return []
        match report:
            case Failed(reason):
                instructions = self._break(f"{self._name(worker)} failed: {reason.rstrip('.')}")
            case Progress():
                instructions = self._advance(worker, report, now)
            case Ready() if self.stage is Stage.PREPARING and self._is_awaited(worker):
                instructions = self._become_ready(worker, report, now)
            case Met() if self.stage is Stage.READY and worker not in self._met:
                instructions = self._meet(worker, now)
            case Accounted():
                instructions = [Observe(worker, report)]
            case Mark() if self._is_measuring(worker):
                instructions = self._mark(worker, report)
            case Done() | Columns() if self._is_measuring(worker):
                instructions = self._take(worker, report, now)
            case _:
                instructions = self._refuse(worker, report)
        return instructions

    def ended(self, worker: int, code: int, last_words: str) -> list[Instruction]:
        """Called when a worker's process has ended.

        Args:
            worker: which one.
            code: its exit code, negative for a signal.
            last_words: the last line that it wrote to standard error.
        """
        if self.is_over:
            return []
        if code or self.stage is not Stage.COLLECTING:
            said = f"; its last words: {last_words}" if last_words else ""
            return self._break(f"{self._name(worker)} {ended_how(code)} while {self.stage.value}{said}")
        self._ended.add(worker)
        if len(self._ended) < len(self.roles):
            return []
        self.stage = Stage.DONE
        return [Finish(self._results, self._full_load)]

    def passed(self, now: float) -> list[Instruction]:
        """Called at `deadline` at the latest, and as often as one likes."""
        if self.is_over or self.stage is Stage.PLANNED:
            return []
        for host, until in self._missing.items():
            if now >= until:
                return self._break(
                    f"host {host} was missing for {LOST_SECONDS:g} s while {self.stage.value}: see whether "
                    "it runs, and whether it can be reached"
                )
        if now < self._quiet_until:
            return []
        return self._break(
            f"nothing advanced for {self.quiet_s:g} s while {self.stage.value}, and what hung was ended"
        )

    def missing(self, host: str, now: float) -> list[Instruction]:
        """Called when a host has not answered for `MISSING_SECONDS`."""
        if self.is_over or host in self._missing:
            return []
        self._missing[host] = now + LOST_SECONDS - MISSING_SECONDS
        return [Show(f"host {host} missing for {MISSING_SECONDS:g} s")]

    def back(self, host: str) -> list[Instruction]:
        """Called when a host answers; nothing happens unless it was missing."""
        if self.is_over or self._missing.pop(host, None) is None:
            return []
        return [Show(f"host {host} is back")]

    def _is_awaited(self, worker: int) -> bool:
        return worker not in self._ready and (worker == 0 or 0 in self._ready)

    def _become_ready(self, worker: int, report: Ready, now: float) -> list[Instruction]:
        self._ready.add(worker)
        if report.measures:
            self._measuring.add(worker)
        self._extend(now)
        if len(self._ready) < len(self.roles):
            others = range(1, len(self.roles)) if worker == 0 else ()
            return [Prepare(other, report.endpoint) for other in others]
        if not self._measuring:
            return self._break("none of the processes has anything to measure")
        self.stage = Stage.READY
        return [SendAll(Meet())]

    def _meet(self, worker: int, now: float) -> list[Instruction]:
        self._met.add(worker)
        self._extend(now)
        if len(self._met) < len(self.roles):
            return []
        self.stage = Stage.WARM if self.marks else Stage.MEASURING
        return [SendAll(Go())]

    def _is_measuring(self, worker: int) -> bool:
        return self.stage in _LOADED and worker in self._measuring and worker not in self._results

    def _mark(self, worker: int, mark: Mark) -> list[Instruction]:
        known = self._entered if mark.begins else self._left
        if not self.marks or worker in known or not (mark.begins or worker in self._entered):
            return self._refuse(worker, mark)
        known.add(worker)
        # One that has left T2 before the last one has entered it leaves no window.
        if mark.begins and self._entered == self._measuring and self.stage is Stage.WARM:
            self.stage = Stage.MEASURING
            return [Observe(worker, mark)]
        if not mark.begins and self.stage in {Stage.WARM, Stage.MEASURING}:
            was_open = self.stage is Stage.MEASURING
            self.stage = Stage.COOLING
            return [Observe(worker, mark)] if was_open else []
        return []

    def _take(self, worker: int, result: Result, now: float) -> list[Instruction]:
        self._results[worker] = result
        self._extend(now)
        others = self._measuring - {worker}
        self._full_load = self._full_load and (not self.marks or others <= self._left)
        if set(self._results) < self._measuring:
            return []
        self.stage = Stage.COLLECTING
        return [SendAll(Stop())]

    def _advance(self, worker: int, progress: Progress, now: float) -> list[Instruction]:
        if progress.done == self._steps.get(worker):
            return []
        self._steps[worker] = progress.done
        self._extend(now)
        if not self._is_measuring(worker):
            return []
        if self.hosts or len(self._measuring) > 1:  # their clocks differ from each other, and from ours
            done = sum(self._steps.get(one, 0) for one in self._measuring)
            return [Advance(done, int(now * 1e9))]
        return [Advance(progress.done, progress.at_ns)]

    def _refuse(self, worker: int, report: Report) -> list[Instruction]:
        return self._break(f"{self._name(worker)} said {type(report).__name__} while {self.stage.value}")

    def _break(self, reason: str) -> list[Instruction]:
        self.stage = Stage.FAILED
        return [Break(reason)]

    def _extend(self, now: float) -> None:
        self._quiet_until = now + self.quiet_s

    def _name(self, worker: int) -> str:
        name = PROCESSES[self.roles[worker]]
        return f"{name} on {self.hosts[worker]}" if self.hosts else name
