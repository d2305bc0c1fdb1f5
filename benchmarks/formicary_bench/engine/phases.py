"""What follows what in one repetition: a pure state machine, told what happened, telling what to do.

The workers prepare one after the other, in the order of the roles, as one may have to know how to reach the
one before it. When all are ready they are told to go at once. When the last one, which measures, has handed
over its results, all are told to stop. Whatever else happens ends the repetition, with a sentence.
"""

from __future__ import annotations

import enum
import signal
from dataclasses import dataclass, field

from formicary_bench.engine.messages import Created, Done, Failed, Go, Mark, Progress, Ready, Report, Stop

QUIET_SECONDS = 30.0
"""How long nothing may advance before a worker counts as hanging."""


class Stage(enum.Enum):
    """Where a repetition is."""

    PREPARING = "preparing"
    MEASURING = "measuring"
    ENDING = "ending"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Prepare:
    """Give a worker its job; `peer` is how it reaches the one before it."""

    worker: int
    peer: str


@dataclass(frozen=True, slots=True)
class TellAll:
    """Tell all workers."""

    order: Go | Stop


@dataclass(frozen=True, slots=True)
class Advance:
    """Show how many round trips, or agents, are done."""

    done: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class Observe:
    """All pairs have entered T2, or the first one has left it."""

    mark: Mark


@dataclass(frozen=True, slots=True)
class Finish:
    """The repetition went well; this is its result."""

    result: Done | Created


@dataclass(frozen=True, slots=True)
class Break:
    """The repetition is worthless; `reason` is what happened, without a full stop."""

    reason: str


Instruction = Prepare | TellAll | Advance | Observe | Finish | Break

_DOING = {
    "both": "the measuring process",
    "ask": "the asking process",
    "echo": "the echoing process",
    "create": "the creating process",
}


@dataclass
class Phases:
    """The course of one repetition. Every method returns what is to be done now.

    Args:
        roles: the workers' roles; the last one measures.
        quiet_s: see `QUIET_SECONDS`.
    """

    roles: tuple[str, ...]
    quiet_s: float = QUIET_SECONDS
    stage: Stage = Stage.PREPARING
    deadline: float = 0.0
    result: Done | Created | None = None
    _ready: int = 0
    _ended: set[int] = field(default_factory=set)
    _steps: dict[int, int] = field(default_factory=dict)

    def begin(self, now: float) -> list[Instruction]:
        """Begin; `now` is in seconds, as everywhere here, on any clock that does not jump."""
        self._extend(now)
        return [Prepare(0, "")]

    def heard(self, worker: int, report: Report, now: float) -> list[Instruction]:
        """Take what a worker says."""
        if self.stage is Stage.OVER:
            return []
        match report:
            case Failed(reason):
                return self._break(f"{self._name(worker)} failed: {reason.rstrip('.')}")
            case Progress(done, at_ns):
                return self._advance(worker, done, at_ns, now)
            case Ready(endpoint) if self.stage is Stage.PREPARING and worker == self._ready:
                return self._become_ready(endpoint, now)
            case Mark() | Done() | Created() if self._measures(worker):
                return [Observe(report)] if isinstance(report, Mark) else self._end(report, now)
        return self._break(f"{self._name(worker)} said {type(report).__name__} while {self.stage.value}")

    def ended(self, worker: int, code: int, last_words: str) -> list[Instruction]:
        """Take that a worker's process has ended.

        Args:
            worker: which one.
            code: its exit code, negative for a signal.
            last_words: the last line that it wrote to standard error.
        """
        if self.stage is Stage.OVER:
            return []
        if code or self.stage is not Stage.ENDING:
            said = f"; its last words: {last_words}" if last_words else ""
            return self._break(f"{self._name(worker)} {_end(code)} while {self.stage.value}{said}")
        self._ended.add(worker)
        if len(self._ended) < len(self.roles) or self.result is None:
            return []
        self.stage = Stage.OVER
        return [Finish(self.result)]

    def passed(self, now: float) -> list[Instruction]:
        """Take that time has passed."""
        if self.stage is Stage.OVER or now < self.deadline:
            return []
        return self._break(
            f"nothing advanced for {self.quiet_s:g} s while {self.stage.value}, and what hung was ended"
        )

    def _measures(self, worker: int) -> bool:
        return self.stage is Stage.MEASURING and worker == len(self.roles) - 1

    def _end(self, result: Done | Created, now: float) -> list[Instruction]:
        self.result = result
        self.stage = Stage.ENDING
        self._extend(now)
        return [TellAll(Stop())]

    def _become_ready(self, endpoint: str, now: float) -> list[Instruction]:
        self._ready += 1
        self._extend(now)
        if self._ready < len(self.roles):
            return [Prepare(self._ready, endpoint)]
        self.stage = Stage.MEASURING
        return [TellAll(Go())]

    def _advance(self, worker: int, done: int, at_ns: int, now: float) -> list[Instruction]:
        if done == self._steps.get(worker):
            return []
        self._steps[worker] = done
        self._extend(now)
        return [Advance(done, at_ns)] if self._measures(worker) else []

    def _break(self, reason: str) -> list[Instruction]:
        self.stage = Stage.OVER
        return [Break(reason)]

    def _extend(self, now: float) -> None:
        self.deadline = now + self.quiet_s

    def _name(self, worker: int) -> str:
        return _DOING.get(self.roles[worker], self.roles[worker])


def _end(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
