"""A window of time in which processes are measured, from start to end of sampler and clocks."""

from __future__ import annotations

import socket
import time
from collections import Counter, defaultdict
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from formicary.profiling.model.declarations import with_group
from formicary.profiling.model.groups import Group, Rules, module_of
from formicary.profiling.model.profile import (
    BLOCKS,
    Collection,
    Frame,
    Method,
    Process,
    Profile,
    Role,
    Stack,
    Thread,
)
from formicary.profiling.sampling.clocks import Clocks, tick_s
from formicary.profiling.sampling.control import WindowFacts
from formicary.profiling.sampling.sampler import Sampler, Samples
from formicary.profiling.sampling.waits import in_doubt, seconds_of_a_switch, without_waits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from formicary.profiling.sampling.clocks import ProcessUse
    from formicary.profiling.sampling.sampler import SampledThread

RATE = 50
"""Samples per second of each thread. Twice as many cost about 3% of the throughput of a program that only
exchanges messages."""
_SECONDS_BETWEEN_LOOKS = 0.2
_FEW_SAMPLES = 30
_FEW_TICKS = 20
_MUCH_DOUBT = 0.1


class Window:
    """Measures a process and its children from entering until `end`.

    Args:
        pid: the process.
        rate: samples per second of each thread.
        native: whether to include machine code.
        servers: processes of the XMPP server that are not its children.

    Raises:
        TracingError: on entering: py-spy is missing, or not permitted.
        ProfilingError: on entering: the process does not exist, or is not Python.
    """

    def __init__(
        self, pid: int, *, rate: int = RATE, native: bool = False, servers: Iterable[int] = ()
    ) -> None:
        self._pid = pid
        self._rate = rate
        self._servers = frozenset(servers)
        self._sampler = Sampler(pid, rate=rate, native=native)

    def __enter__(self) -> Self:
        Clocks(self._pid, *self._servers)  # raises if they are gone, before anything starts
        with ExitStack() as undo:
            undo.enter_context(self._sampler)
            self._clocks = Clocks(self._pid, *self._servers)
            self._undo = undo.pop_all()
        self._began = time.time()
        self._from = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        self._undo.close()

    def wait(self, seconds: float | None = None, is_over: Callable[[], bool] = lambda: False) -> None:
        """Wait for the end of the window, reading the clocks meanwhile.

        Args:
            seconds: the limit; None for as long as the process runs.
            is_over: called several times a second; returns whether to stop.
        """
        end = None if seconds is None else self._from + seconds
        while self._clocks.look() and not is_over():
            left = _SECONDS_BETWEEN_LOOKS if end is None else end - time.monotonic()
            if left <= 0:
                break
            time.sleep(min(left, _SECONDS_BETWEEN_LOOKS))

    def end(self, ask: Callable[[], WindowFacts | None] = lambda: None) -> Profile:
        """End the window and return what was measured.

        Args:
            ask: gets what only the program knows, right after its clocks were read.
        """
        self._sampler.halt()
        self._clocks.look()
        lasted = time.monotonic() - self._from
        facts = ask() or WindowFacts()
        samples = self._sampler.stop()
        used = self._clocks.used()
        doubt_s = sum(
            in_doubt(thread, of_it.threads.get(thread.tid), self._rate)
            for of_it in used
            for thread in samples.threads
            if thread.pid == of_it.pid
        )
        frames = _Table()
        processes = tuple(self._process(of_it, samples, facts, frames) for of_it in used)
        ended_early = any(of_it.is_gone and of_it.pid == self._pid for of_it in used)
        return Profile(
            method=Method.SAMPLED,
            host=socket.gethostname(),
            began=self._began,
            window_s=lasted,
            rate_hz=self._rate,
            processes=processes,
            frames=tuple(map(with_group, frames.places)),
            warnings=tuple(_warnings(processes, samples, self._pid if ended_early else None, doubt_s)),
            is_partial=bool(samples.problem) or ended_early,
        )

    def _process(self, used: ProcessUse, samples: Samples, facts: WindowFacts, frames: _Table) -> Process:
        sampled = [thread for thread in samples.threads if thread.pid == used.pid]
        switch_s = seconds_of_a_switch(sampled, used.threads)
        seen = [
            without_waits(thread, used.threads.get(thread.tid), self._rate, switch_s) for thread in sampled
        ]
        waits = {
            all_.tid: len(all_.samples) - len(rest.samples) for all_, rest in zip(sampled, seen, strict=True)
        }
        is_root = used.pid == self._pid
        return Process(
            pid=used.pid,
            role=self._role(used, is_python=bool(seen) or is_root),
            name=used.name,
            user_s=used.times.user,
            system_s=used.times.system,
            threads=tuple(_threads(used, seen, waits, facts if is_root else WindowFacts())),
            stacks=tuple(stack for thread in seen for stack in _stacks(thread, frames)),
            collections=tuple(
                Collection(tid, frames.of(stack), seconds)
                for tid, stack, seconds in (facts.collections if is_root else ())
            ),
        )

    def _role(self, used: ProcessUse, *, is_python: bool) -> Role:
        if used.pid in self._servers or Rules().group_of_process(used.name) == Group.SERVER:
            return Role.SERVER
        return Role.CONTAINER if is_python else Role.PROGRAM


class _Table:
    def __init__(self) -> None:
        self.places: dict[Frame, int] = {}

    def of(self, stack: Iterable[Frame]) -> tuple[int, ...]:
        return tuple(self.places.setdefault(frame, len(self.places)) for frame in stack)


def _stacks(thread: SampledThread, frames: _Table) -> list[Stack]:
    """Return the stacks of a thread, each with its samples by block of time."""
    blocks: defaultdict[tuple[Frame, ...], Counter[int]] = defaultdict(Counter)
    for place, stack in enumerate(thread.samples):
        blocks[stack][place * BLOCKS // len(thread.samples)] += 1
    return [
        Stack(thread.tid, frames.of(stack), of_it.total(), tuple(sorted(of_it.items())))
        for stack, of_it in blocks.items()
    ]


def _threads(
    used: ProcessUse, seen: list[SampledThread], waits: dict[int, int], facts: WindowFacts
) -> list[Thread]:
    by_tid = {thread.tid: thread for thread in seen}
    threads = []
    for tid in dict.fromkeys([*used.threads, *by_tid]):
        thread = by_tid.get(tid)
        system = used.threads[tid].name if tid in used.threads else ""
        name = facts.threads.get(tid) or (thread.name if thread else "") or system or f"thread {tid}"
        is_python = thread is not None or tid in facts.threads or tid == used.pid
        seconds = used.threads[tid].cpu_s if tid in used.threads else 0.0
        threads.append(Thread(tid, name, kind_of(thread, is_python=is_python), seconds, waits.get(tid, 0)))
    return threads


def kind_of(seen: SampledThread | None, *, is_python: bool) -> str:
    """Return the kind of a thread, as far as its stacks show.

    Args:
        seen: the thread's samples, if any.
        is_python: whether Python knows the thread.
    """
    modules: Counter[str] = Counter()
    for stack, count in seen.stacks.items() if seen else ():
        for module in {module_of(frame.file) for frame in stack}:
            modules[module] += count
    if modules["asyncio.runners"] or modules["asyncio.base_events"]:
        return "loop"
    if modules["concurrent.futures.thread"]:
        return "executor"
    if modules["multiprocessing.pool"]:
        return "pool"
    return "python" if is_python else "native"


def _warnings(
    processes: tuple[Process, ...], samples: Samples, gone: int | None, doubt_s: float
) -> list[str]:
    said = samples.warnings()
    if gone is not None:
        said.append(
            f"process {gone} ended during the measurement: the CPU time of its last "
            f"{_SECONDS_BETWEEN_LOOKS:g} s is unknown"
        )
    cpu_s = sum(process.cpu_s for process in processes)
    if not samples.problem and samples.count < _FEW_SAMPLES:
        said.append(
            f"only {samples.count} samples: the program used {cpu_s:.2f} s of CPU; measure for "
            "longer, or under load"
        )
    if doubt_s > _MUCH_DOUBT * cpu_s:
        said.append(
            f"the machine was busy: {doubt_s:.2f} of {cpu_s:.2f} s of CPU may belong to event loops or to "
            "what they ran; close other programs, or account exactly: formicary run --cpu-by-group"
        )
    if cpu_s < _FEW_TICKS * tick_s():
        said.append(
            f"{cpu_s * 1000:.0f} ms of CPU time is little for clocks with a resolution of "
            f"{tick_s() * 1000:g} ms"
        )
    return said
