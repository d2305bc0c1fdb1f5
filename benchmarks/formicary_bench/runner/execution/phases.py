"""The phases of a repetition: a state machine, from events to instructions, without I/O.

The first worker prepares, so that the others can reach it, then all others. When all are ready they meet, and
when all have met they go. When all results are there, all stop, and when all have ended it is done. Anything
else breaks the repetition, with a sentence.

The phases of the load (T1, T2 and T3: warm, measuring, cooling) have no barriers: each pair passes on within
its traffic, as waiting would take away the load. So with several workers, the window opens when the last of
them enters T2, and closes when the first leaves it.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from formicary.processes.messages import Failed, Go, Stop
from formicary.processes.words import ended_how
from formicary_bench.remote.host_agent.protocol import MISSING_SECONDS
from formicary_bench.vocabulary.places import PROCESSES
from formicary_bench.worker import messages

QUIET_SECONDS = 30.0
"""The time without progress after which a worker counts as hanging."""

LOST_SECONDS = 10.0
"""The silence of a host after which a repetition is given up."""


class Stage(enum.Enum):
    """The stage of a repetition."""

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
    """Send a worker its job, with the endpoint of the first one as `peer`."""

    worker: int
    peer: str


@dataclass(frozen=True, slots=True)
class SendAll:
    """Send an order to all workers."""

    order: messages.Meet | Go | Stop


@dataclass(frozen=True, slots=True)
class Advance:
    """Show the progress in round trips, or agents."""

    done: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class Observe:
    """The window begins or ends, as marked by a worker; or a worker has accounted for its CPU time."""

    worker: int
    report: messages.Mark | messages.Accounted


@dataclass(frozen=True, slots=True)
class Show:
    """Show a sentence."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Finish:
    """The repetition went well.

    Attributes:
        results: the results of the workers that measure, by their numbers; at least one.
        full_load: whether no worker ended, as far as known, while another was in T2.
    """

    results: dict[int, messages.Result]
    full_load: bool = True


@dataclass(frozen=True, slots=True)
class Break:
    """The repetition failed; `reason` is a sentence without a full stop."""

    reason: str


Instruction = Prepare | SendAll | Advance | Observe | Show | Finish | Break


@dataclass
class Phases:
    """The state of a repetition; methods return what to do.

    Args:
        roles: the workers' roles.
        hosts: the names of their hosts; none for this machine.
        marks: whether the workers that measure mark when they enter and leave T2.
        quiet_s: as of `QUIET_SECONDS`.
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
    _results: dict[int, messages.Result] = field(default_factory=dict)
    _full_load: bool = True
    _ended: set[int] = field(default_factory=set)
    _steps: dict[int, int] = field(default_factory=dict)
    _missing: dict[str, float] = field(default_factory=dict)

    @property
    def deadline(self) -> float:
        """The latest time for a call of `passed`."""
        return min([self._quiet_until, *self._missing.values()])

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.stage in _OVER

    def begin(self, now: float) -> list[Instruction]:
        """Begin; all times are seconds on any monotonic clock."""
        if self.stage is not Stage.PLANNED:
            return []
        self.stage = Stage.PREPARING
        self._extend(now)
        return [Prepare(0, "")]

    def heard(self, worker: int, report: messages.Report, now: float) -> list[Instruction]:
        if self.is_over:
            return []
        match report:
            case Failed(reason):
                instructions = self._break(f"{self._name(worker)} failed: {reason.rstrip('.')}")
            case messages.Progress():
                instructions = self._advance(worker, report, now)
            case messages.Ready() if self.stage is Stage.PREPARING and self._is_awaited(worker):
                instructions = self._become_ready(worker, report, now)
            case messages.Met() if self.stage is Stage.READY and worker not in self._met:
                instructions = self._meet(worker, now)
            case messages.Accounted():
                instructions = [Observe(worker, report)]
            case messages.Mark() if self._is_measuring(worker):
                instructions = self._mark(worker, report)
            case messages.Done() | messages.Columns() if self._is_measuring(worker):
                instructions = self._take(worker, report, now)
            case _:
                instructions = self._refuse(worker, report)
        return instructions

    def ended(self, worker: int, code: int, last_words: str) -> list[Instruction]:
        """Note the end of a worker: its exit code, and the last line of its standard error."""
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
        """Check timeouts; to be called at `deadline` or before."""
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
        """Note that a host has not answered for `MISSING_SECONDS`."""
        if self.is_over or host in self._missing:
            return []
        self._missing[host] = now + LOST_SECONDS - MISSING_SECONDS
        return [Show(f"host {host} missing for {MISSING_SECONDS:g} s")]

    def back(self, host: str) -> list[Instruction]:
        """Note that a host answers."""
        if self.is_over or self._missing.pop(host, None) is None:
            return []
        return [Show(f"host {host} is back")]

    def _is_awaited(self, worker: int) -> bool:
        return worker not in self._ready and (worker == 0 or 0 in self._ready)

    def _become_ready(self, worker: int, report: messages.Ready, now: float) -> list[Instruction]:
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
        return [SendAll(messages.Meet())]

    def _meet(self, worker: int, now: float) -> list[Instruction]:
        self._met.add(worker)
        self._extend(now)
        if len(self._met) < len(self.roles):
            return []
        self.stage = Stage.WARM if self.marks else Stage.MEASURING
        return [SendAll(Go())]

    def _is_measuring(self, worker: int) -> bool:
        return self.stage in _LOADED and worker in self._measuring and worker not in self._results

    def _mark(self, worker: int, mark: messages.Mark) -> list[Instruction]:
        known = self._entered if mark.begins else self._left
        if not self.marks or worker in known or not (mark.begins or worker in self._entered):
            return self._refuse(worker, mark)
        known.add(worker)
        # If one leaves T2 before the last one enters it, there is no window.
        if mark.begins and self._entered == self._measuring and self.stage is Stage.WARM:
            self.stage = Stage.MEASURING
            return [Observe(worker, mark)]
        if not mark.begins and self.stage in {Stage.WARM, Stage.MEASURING}:
            was_open = self.stage is Stage.MEASURING
            self.stage = Stage.COOLING
            return [Observe(worker, mark)] if was_open else []
        return []

    def _take(self, worker: int, result: messages.Result, now: float) -> list[Instruction]:
        self._results[worker] = result
        self._extend(now)
        others = self._measuring - {worker}
        self._full_load = self._full_load and (not self.marks or others <= self._left)
        if set(self._results) < self._measuring:
            return []
        self.stage = Stage.COLLECTING
        return [SendAll(Stop())]

    def _advance(self, worker: int, progress: messages.Progress, now: float) -> list[Instruction]:
        if progress.done == self._steps.get(worker):
            return []
        self._steps[worker] = progress.done
        self._extend(now)
        if not self._is_measuring(worker):
            return []
        if self.hosts or len(self._measuring) > 1:  # their clocks differ
            done = sum(self._steps.get(one, 0) for one in self._measuring)
            return [Advance(done, int(now * 1e9))]
        return [Advance(progress.done, progress.at_ns)]

    def _refuse(self, worker: int, report: messages.Report) -> list[Instruction]:
        return self._break(f"{self._name(worker)} said {type(report).__name__} while {self.stage.value}")

    def _break(self, reason: str) -> list[Instruction]:
        self.stage = Stage.FAILED
        return [Break(reason)]

    def _extend(self, now: float) -> None:
        self._quiet_until = now + self.quiet_s

    def _name(self, worker: int) -> str:
        name = PROCESSES[self.roles[worker]]
        return f"{name} on {self.hosts[worker]}" if self.hosts else name
