"""A worker: a fresh process with a role in a repetition. `python -m formicary_bench.worker.worker`.

It reads its job from standard input, reports when it is ready, and begins and ends on order. It also ends
with its controller, even if its event loop is blocked.
"""

from __future__ import annotations

import asyncio
import atexit
import gc
import os
import sys
import threading
import traceback
from contextlib import nullcontext
from dataclasses import dataclass, field
from importlib import import_module
from time import perf_counter_ns
from typing import TYPE_CHECKING, cast

from formicary.core.event_loop import loop_factory
from formicary.core.quoting import shorten
from formicary.errors import FormicaryError, UsageError
from formicary.processes.lines import Lines, encode
from formicary.processes.messages import Failed, Go, Stop
from formicary.processes.parent import take_standard_streams
from formicary_bench.vocabulary.parameters.shared import OnCores
from formicary_bench.vocabulary.places import PLATFORM_CORES
from formicary_bench.worker import messages
from formicary_bench.worker.marks import CpuAccounts, mark_now, mark_window
from formicary_bench.worker.workload import Workload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from formicary_bench.worker.workload import PreparedRole, Role


def use_cores(count: int) -> None:
    """Restrict this thread, and what it starts from now on, to this many cores; 0 for all.

    Raises:
        FormicaryError: there are fewer, or this system cannot do that.
    """
    if not count:
        return
    if not hasattr(os, "sched_setaffinity"):
        raise FormicaryError(PLATFORM_CORES)
    there = sorted(os.sched_getaffinity(0))
    if count > len(there):
        raise FormicaryError(f"{count} cores were asked for, and this process may use {len(there)}")
    os.sched_setaffinity(0, there[:count])


_SECONDS_BETWEEN_REPORTS = 0.25
_ORPHANED = 4  # exit code of a worker whose controller is gone
_OURS = "formicary_bench."


class Channel:
    """The connection to the controller."""

    def __init__(self) -> None:
        self._incoming, self._out = take_standard_streams()
        self._orders = _orders(self._incoming.fileno())

    def say(self, report: messages.Report) -> None:
        """Send the controller a message; end if it is gone."""
        try:
            self._out.write(encode(report) + b"\n")
            self._out.flush()
        except OSError:
            os._exit(_ORPHANED)

    def next(self) -> messages.Order:
        """Return the next order; end if the controller is gone."""
        for order in self._orders:
            return order
        os._exit(_ORPHANED)

    def listen(self, heard: Callable[[messages.Order], object]) -> None:
        """Call `heard` with further orders, in a thread: the loop may be blocked."""

        def run() -> None:
            while True:
                heard(self.next())

        threading.Thread(target=run, daemon=True).start()


def _orders(descriptor: int) -> Iterator[messages.Order]:
    # Not a file: a thread waiting in it would block the interpreter's shutdown.
    lines: Lines[messages.Order] = Lines(messages.Order)
    while data := os.read(descriptor, 1 << 16):
        yield from lines.feed(data)


async def play(job: messages.Job, channel: Channel) -> None:
    """Play the role of a job to its end."""
    work, signals = Workload(job), Signals()
    accounts = CpuAccounts(work)
    tasks = [
        asyncio.create_task(_report(work, channel)),
        asyncio.create_task(_obey(channel, signals, accounts)),
    ]
    try:
        with accounts.following() if job.configuration.profiled else nullcontext():
            await _play(work, signals, _Marking(work, channel, accounts))
    finally:
        for task in tasks:
            task.cancel()


@dataclass
class Signals:
    """The orders received so far."""

    meet: asyncio.Event = field(default_factory=asyncio.Event)
    go: asyncio.Event = field(default_factory=asyncio.Event)
    stop: asyncio.Event = field(default_factory=asyncio.Event)


async def _obey(channel: Channel, signals: Signals, accounts: CpuAccounts) -> None:
    """Obey orders in turn, so that accounting begins before the measurement."""
    loop = asyncio.get_running_loop()
    orders: asyncio.Queue[messages.Order] = asyncio.Queue()
    channel.listen(lambda order: loop.call_soon_threadsafe(orders.put_nowait, order))
    while True:
        match await orders.get():
            case messages.Account(step):
                channel.say(await accounts.obey(step))
            case messages.Meet():
                signals.meet.set()
            case Go():
                signals.go.set()
            case Stop():
                signals.stop.set()


async def _play(work: Workload, signals: Signals, marking: _Marking) -> None:
    channel = marking.channel
    if not work.job.module.startswith(_OURS):
        raise UsageError(f"{shorten(work.job.module)} is no module of the laboratory")
    play = cast("Role", getattr(import_module(work.job.module), work.job.role))
    async with play(work) as role:
        channel.say(messages.Ready(role.endpoint, measures=role.measure is not None))
        await signals.meet.wait()
        await role.meet()
        channel.say(messages.Met())
        await signals.go.wait()
        if role.measure is not None:
            began = perf_counter_ns()
            async with marking:
                await role.measure()
                _refuse_failures(role)
            _hand_over(work, channel, began)
        await signals.stop.wait()
        _refuse_failures(role)


class _Marking:
    """Marks the beginning and end of a measurement's window, if requested."""

    def __init__(self, work: Workload, channel: Channel, accounts: CpuAccounts) -> None:
        self.channel = channel
        self._work = work
        self._accounts = accounts
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> None:
        has_phases = self._work.exchange.measured and not self._work.job.exchange
        if self._work.job.marks and has_phases:
            self._task = asyncio.create_task(mark_window(self._work, self._say))
        elif self._work.job.marks:  # without phases, the role marks them
            self._work.mark = lambda begins: self._say(mark_now(self._work, begins=begins))

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._task and kind is None:  # it ends now; the marks come before the results
            await self._task
        elif self._task:
            self._task.cancel()

    def _say(self, mark: messages.Mark) -> None:
        if not mark.begins:
            self._accounts.freeze()
        self.channel.say(mark)


async def _report(work: Workload, channel: Channel) -> None:
    while True:
        channel.say(messages.Progress(work.done(), perf_counter_ns()))
        await asyncio.sleep(_SECONDS_BETWEEN_REPORTS)


def _refuse_failures(role: PreparedRole) -> None:
    if complaint := role.complaint():
        raise FormicaryError(complaint)


def _hand_over(work: Workload, channel: Channel, began: int) -> None:
    if work.columns:
        channel.say(messages.Columns(work.columns, work.elapsed_s, work.counters))
        return
    if work.times:
        with os.fdopen(work.job.handover, "wb") as file:
            for times in work.times:
                times.starts.tofile(file)
                times.rtts.tofile(file)
    channel.say(messages.Done(began, tuple(len(times.rtts) for times in work.times), work.counters))


def main() -> None:
    """Do a job; the exit code is 0 on success."""
    atexit.register(gc.freeze)  # end without a last garbage collection
    channel = Channel()
    job = channel.next()
    assert isinstance(job, messages.Job)
    try:
        use_cores(OnCores.of(job.configuration).cores)
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            runner.run(play(job, channel))
    except (Exception, SystemExit) as error:  # noqa: BLE001 -- whatever it is, the controller has to know
        if not isinstance(error, FormicaryError):
            traceback.print_exc()
        channel.say(Failed(_reason(error)))
        sys.exit(1)


def _reason(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) if isinstance(error, FormicaryError) else f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    main()
