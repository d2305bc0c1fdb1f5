"""Where the CPU time goes while all pairs are in T2 together: repetitions with `--profile`, and `.../cpu`.

Sampling begins when the worker reports the start of T2, and ends when it reports its end. Without phases, all
of it is profiled: sampling begins before it. If workers may not be sampled, they account for their CPU time
themselves.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from time import monotonic_ns
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from formicary.errors import ProfilingError
from formicary.profiling.model.groups import Group
from formicary.profiling.model.profile import Role
from formicary_bench.runner import RepetitionError
from formicary_bench.runner.execution.repetition import measure
from formicary_bench.runner.observers.observer import Observer
from formicary_bench.subjects.registry import has_driver
from formicary_bench.worker.marks import Carried
from formicary_bench.worker.messages import Account

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formicary.profiling.model.profile import Profile
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.store.raw import AnyRaw
    from formicary_bench.runner.execution.repetition import Task
    from formicary_bench.runner.execution.worker_hosts import Window
    from formicary_bench.runner.observers.observer import PlacedWorker, ProgressListener
    from formicary_bench.worker.messages import Accounted, Mark


@dataclass
class Marks(Observer):
    """Keeps the marks of the measuring worker at the start and end of T2."""

    marks = True
    kept: list[Mark] = field(default_factory=list)

    def mark(self, mark: Mark) -> None:
        self.kept.append(mark)


def counters(marks: list[Mark]) -> dict[str, float]:
    """Return what was counted between two marks; nothing if one is missing."""
    if len(marks) != 2:  # noqa: PLR2004 -- begin and end
        return {}
    begin, end = marks
    return {
        "seconds": (end.at_ns - begin.at_ns) / 1e9,
        "round_trips": end.done - begin.done,
        "wire_bytes": end.wire[0] - begin.wire[0],
        "wire_packets": end.wire[1] - begin.wire[1],
        **{
            name: float(after - before)
            for name, before, after in zip(Carried._fields, begin.carried, end.carried, strict=True)
        },
    }


SERVER = str(Group.SERVER)
"""The name of the server's CPU time when the workers account for theirs."""

_FEWEST_S = 0.2  # a shorter window says nothing
_WAITED_NS = 100_000_000
_NOR = "; and they could not account for it"


class Sampling(Marks):
    """Profiles each worker from the start of T2 to its end."""

    def __init__(self, undo: ExitStack, *, as_a_whole: bool = False) -> None:
        super().__init__()
        self.during: list[tuple[int, int]] = []
        self._undo = undo
        self._as_a_whole = as_a_whole
        self._workers: Mapping[str, PlacedWorker] = {}
        self._windows: dict[str, Window] = {}
        self._refused: dict[str, str] = {}  # by worker, why nobody may look into it
        self._accounts: dict[str, Profile] = {}
        self._profiles: dict[str, Profile] = {}
        self._awaited: set[str] = set()  # who has not begun to account yet
        self._opened_ns = 0

    def begin(self, workers: Mapping[str, PlacedWorker]) -> None:
        """Check whether the workers may be sampled; begin sampling if there are no phases."""
        self._workers = workers
        for name, (slot, process) in workers.items():
            with slot.host.window(process.pid, ()) as window:
                if window.refused:
                    self._refused[name] = window.refused.replace(f"process {process.pid}", "the workers")
        if self._as_a_whole:
            self._open_all()
            return
        for name in self._refused:  # each does it before it does anything else
            workers[name].process.send(Account("prepare"))

    def advance(self, done: int, at_ns: int) -> None:
        """Keep the progress, and its time."""
        if self._opened_ns and not self._profiles and at_ns >= self._opened_ns:
            self.during.append((done, at_ns))

    def mark(self, mark: Mark) -> None:
        super().mark(mark)
        if not mark.begins:
            if not any(slot.host.name for slot, _ in self._workers.values()):  # the clock is ours
                self.advance(mark.done, mark.at_ns)
            self._close_all()
        elif not self._as_a_whole:
            self._open_all()

    def heard(self, worker: str, report: Accounted) -> None:
        if report.profile is not None:
            self._accounts[worker] = report.profile
        elif report.failed and _NOR not in self._refused.get(worker, _NOR):
            self._refused[worker] += f"{_NOR}: {report.failed}"
        if report.step == "begin":
            self._awaited.discard(worker)
            self._note_opened()

    def profiles(self) -> dict[str, Profile]:
        """Return the profiles by the workers' names, after all have ended."""
        found: dict[str, Profile] = {}
        for name, profile in self._profiles.items():
            if name not in self._refused:
                found[name] = profile
            elif name not in self._accounts:
                warning = f"CPU time is known by process alone: {self._refused[name]}"
                found[name] = replace(profile, warnings=(warning,))
            else:
                found |= self._accounted(name, profile)
        return found

    def _accounted(self, name: str, whole: Profile) -> dict[str, Profile]:
        said = f"{self._refused[name]}; so the platform accounted for its time itself"
        own = self._accounts[name]
        found = {name: replace(own, warnings=(said, *own.warnings))}
        servers = tuple(process for process in whole.processes if process.role is Role.SERVER)
        if servers:  # by their clocks, over a window of their own
            host = self._workers[name].slot.host.name
            label = f"{SERVER}@{host}" if host else SERVER
            found[label] = replace(whole, processes=servers, warnings=(), is_partial=False)
        return found

    def _open_all(self) -> None:
        taken: set[tuple[str, int]] = set()
        for name, (slot, process) in self._workers.items():
            server = slot.host.name, slot.server.pid if slot.server else 0
            servers = (server[1],) if server[1] and server not in taken else ()
            taken.add(server)
            self._windows[name] = self._undo.enter_context(slot.host.window(process.pid, servers))
        for name in self._refused:
            self._awaited.add(name)
            self._workers[name].process.send(Account("begin"))
        self._note_opened()

    def give_up(self) -> None:
        """End the samplers: one that has stopped a worker which is then killed may wait forever."""
        self._undo.close()

    def _close_all(self) -> None:
        for name in self._refused:
            self._workers[name].process.send(Account("end"))
        self._profiles = {name: window.end() for name, window in self._windows.items()}

    def _note_opened(self) -> None:
        if not self._awaited:
            # What was said while the windows were opened has waited in the pipes.
            self._opened_ns = monotonic_ns() + _WAITED_NS


class ByThread(Marks):
    """Accounts for the CPU time of drivers, from before their first round trip to the end."""

    def __init__(self) -> None:
        super().__init__()
        self._workers: Mapping[str, PlacedWorker] = {}
        self._profiles: dict[str, Profile] = {}

    def begin(self, workers: Mapping[str, PlacedWorker]) -> None:
        self._workers = workers
        self._tell("begin")

    def mark(self, mark: Mark) -> None:
        """Have all of them end."""
        super().mark(mark)
        if not mark.begins:
            self._tell("end")

    def heard(self, worker: str, report: Accounted) -> None:
        if report.profile is not None:
            self._profiles[worker] = report.profile
        elif report.failed:
            raise RepetitionError(f"the CPU time of {worker} is unknown: {report.failed}")

    def profiles(self) -> dict[str, Profile]:
        """Return the profiles by the workers' names, after all have ended."""
        return {name: self._profiles[name] for name in self._workers if name in self._profiles}

    def _tell(self, step: Literal["begin", "end"]) -> None:
        for worker in self._workers.values():
            worker.process.send(Account(step))


def measure_profiled(task: Task, listener: ProgressListener) -> tuple[Repetition, AnyRaw, dict[str, Profile]]:
    """Measure once, in fresh processes that have ended when this returns.

    Returns:
        The repetition, its raw values, and the profile of each worker.

    Raises:
        RepetitionError: it failed.
    """
    exchange = task.configuration.exchange
    is_whole = not exchange.measured
    with ExitStack() as undo:
        sampling: ByThread | Sampling = (
            ByThread() if has_driver(task.configuration) else Sampling(undo, as_a_whole=is_whole)
        )
        try:
            known, data = measure(task, listener, observer=sampling)
        except ProfilingError as error:
            raise RepetitionError(str(error).rstrip(".")) from error
    profiles = sampling.profiles()
    if not profiles or min(profile.window_s for profile in profiles.values()) < _FEWEST_S:
        more = "more --agents" if is_whole else "larger --rounds, such as 10000,50000,10000"
        raise RepetitionError(f"T2 was too short to show where the CPU time goes; use {more}")
    counted = counters(sampling.kept)
    if isinstance(sampling, ByThread):
        counted["items"] = counted["round_trips"] = float(exchange.load * exchange.trips)
    elif is_whole:
        counted["items"] = counted["round_trips"]
    elif rate := _rate(sampling.during):
        counted["rate_during"] = rate
    return replace(known, counters=known.counters | counted), data, profiles


def _rate(looks: list[tuple[int, int]]) -> float:
    if len(looks) < 2 or looks[-1][1] == looks[0][1]:  # noqa: PLR2004 -- a difference
        return 0.0
    return (looks[-1][0] - looks[0][0]) * 1e9 / (looks[-1][1] - looks[0][1])
