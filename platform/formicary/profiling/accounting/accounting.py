"""Exact accounting of CPU time by group, where nothing may look into the process from outside.

While it is on, the clocks of the event loop's thread are read at every border between groups: when an agent
is resumed or calls the platform, a batch is packed or arrives, or the directory is asked. The cost is
measured at the start and subtracted. While it is off, it costs nothing.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple, Self

from formicary.container.loop_watch import THREAD
from formicary.core.errors import UsageError
from formicary.profiling.accounting.calibration import rehearse
from formicary.profiling.accounting.ledger import GROUPS, ledgers
from formicary.profiling.accounting.recording import Recording
from formicary.profiling.model.groups import NATIVE
from formicary.profiling.model.profile import ROUGH_COST, Account, Method, Process, Profile, Role, Thread

if TYPE_CHECKING:
    from formicary.container.container import Container
    from formicary.profiling.accounting.calibration import Costs

_NOISE_S = 0.01  # by which the process's clock may exceed the sum of its threads'
_UNCERTAIN = 0.25  # of the cost of borders, which is higher when they are not crossed in quick succession


class ThreadUse(NamedTuple):
    """The CPU time of a thread.

    Attributes:
        tid: its thread ID in the operating system.
        name: its name in Python.
        ns: nanoseconds.
    """

    tid: int
    name: str
    ns: int


class ThreadClocks:
    """CPU time of the process and its threads, except one, since this was created.

    Threads that have ended, or that are not Python's, cannot be read.

    Args:
        but: the excluded thread, by `threading.get_ident()`.
    """

    def __init__(self, but: int) -> None:
        self._but = but
        self._user, self._system = _process_times()
        self._before = {thread.native_id: ns for thread, ns in self._clocks()}

    def process(self) -> tuple[float, float]:
        """Return the CPU seconds of the process, user and system."""
        user, system = _process_times()
        return user - self._user, system - self._system

    def threads(self) -> list[ThreadUse]:
        """Return the CPU time of the current threads."""
        return [
            ThreadUse(thread.native_id or 0, thread.name, ns - self._before.get(thread.native_id, 0))
            for thread, ns in self._clocks()
        ]

    def _clocks(self) -> list[tuple[threading.Thread, int]]:
        clock_of = getattr(time, "pthread_getcpuclockid", None)  # macOS has none
        if clock_of is None:
            return []
        found = []
        for thread in threading.enumerate():
            if thread.ident is not None and thread.ident != self._but:
                try:
                    found.append((thread, time.clock_gettime_ns(clock_of(thread.ident))))
                except OSError:  # the thread has just ended
                    continue
        return found


def _process_times() -> tuple[float, float]:
    try:
        import resource
    except ImportError:  # not available on Windows
        used = os.times()
        return used.user, used.system
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime, usage.ru_stime


async def costs_of_borders() -> Costs:
    """Measure the cost of borders in this process: some 0.1 s of work, in its own thread.

    It takes much longer, and is less certain, while the event loop is busy.
    """
    with ThreadPoolExecutor(1, "rehearsal") as pool:  # so that the loop keeps no thread
        return await asyncio.get_running_loop().run_in_executor(pool, rehearse)


class Accounting:
    """Accounts for this process's CPU time by group, thread and agent; an async context manager.

    Args:
        containers: the containers of this event loop.
        costs: the result of `costs_of_borders`; None to measure on entering.

    Raises:
        UsageError: on entering: a container is not open, or the process is already accounted.
    """

    def __init__(self, *containers: Container, costs: Costs | None = None) -> None:
        self._containers = containers
        self._known = costs

    async def __aenter__(self) -> Self:
        for container in self._containers:
            if not container.is_open or container.scheduler.loop is not asyncio.get_running_loop():
                raise UsageError(
                    f"container {container.name} is not open in this event loop, which is being profiled"
                )
        if ledgers:
            raise UsageError("this process is already being accounted; stop the other accounting first")
        self._costs = self._known or await costs_of_borders()
        self._began, self._since = time.time(), time.monotonic()
        self._tid = threading.get_native_id()
        self._clocks = ThreadClocks(but=threading.get_ident())
        self._recording = Recording(self._containers, self._costs).__enter__()
        self._ledger = self._recording.ledger
        self._last: Profile | None = None
        for container in self._containers:
            container.accounting = self
        await asyncio.sleep(0)  # so that this task, too, resumes behind a border
        return self

    async def __aexit__(self, *_: object) -> None:
        self._last = self.profile()
        for container in self._containers:
            container.accounting = None
        self._recording.__exit__()

    def seconds_by_group(self) -> dict[str, float]:
        """Return CPU seconds so far, of all threads, by group."""
        seconds: defaultdict[str, float] = defaultdict(float)
        for account in self.profile().processes[0].accounts:
            seconds[account.group] += account.cpu_s
        return dict(seconds)

    def seconds_by_agent(self) -> dict[str, float]:
        """Return CPU seconds so far by behaviour or micro-agent."""
        seconds: defaultdict[str, float] = defaultdict(float)
        for account in self.profile().processes[0].accounts:
            if account.agent:
                seconds[account.agent] += account.cpu_s
        return dict(seconds)

    def profile(self) -> Profile:
        """Return the profile so far, or to the end; call it in the event loop."""
        if self._last is not None:
            return self._last
        loop_ns = self._ledger.read()
        user_s, system_s = self._clocks.process()
        threads, accounts = self._elsewhere(user_s + system_s - loop_ns / 1e9)
        cost = min(1.0, sum(self._ledger.charged) / max(1.0, (user_s + system_s) * 1e9))
        name = ", ".join(container.name for container in self._containers)
        loop = Thread(self._tid, threading.current_thread().name, "loop", loop_ns / 1e9)
        return Profile(
            method=Method.ACCOUNTED,
            host=socket.gethostname(),
            began=self._began,
            window_s=time.monotonic() - self._since,
            processes=(
                Process(
                    os.getpid(),
                    Role.CONTAINER,
                    name or "Python",
                    user_s,
                    system_s,
                    threads=(loop, *threads),
                    accounts=(*self._in_loop(), *accounts),
                ),
            ),
            cost=cost,
            warnings=self._warnings(cost),
        )

    def _in_loop(self) -> tuple[Account, ...]:
        """Return the accounts of the event loop's thread, one for each agent."""
        ledger = self._ledger
        spent: Counter[tuple[int, str]] = Counter()
        charged: Counter[tuple[int, str]] = Counter()
        for label, ns, cost in zip(ledger.labels, ledger.spent, ledger.charged, strict=True):
            spent[label] += ns
            charged[label] += cost
        uncertain = 1.96 * max(self._costs.spread, _UNCERTAIN)
        return tuple(
            Account(
                self._tid, GROUPS[label[0]], max(0.0, ns / 1e9), label[1], uncertain * charged[label] / 1e9
            )
            for label, ns in spent.items()
            if ns > 0 or not label[1]
        )

    def _elsewhere(self, rest_s: float) -> tuple[list[Thread], list[Account]]:
        """Return the other threads, and the accounts of their work.

        Args:
            rest_s: the CPU seconds that they used together.
        """
        tid = 0
        handed: Counter[int] = Counter()
        accounts = []
        for (tid, slot), ns in tuple(self._ledger.elsewhere.items()):
            group, agent = self._ledger.labels[slot]
            handed[tid] += ns
            accounts.append(Account(tid, GROUPS[group], ns / 1e9, agent))
        threads = [
            Thread(used.tid, used.name, "executor" if used.tid in handed else "python", used.ns / 1e9)
            for used in self._clocks.threads()
        ]
        known = {thread.tid for thread in threads}
        threads += [
            Thread(tid, "ended", "executor", ns / 1e9) for tid, ns in handed.items() if tid not in known
        ]
        for thread in threads:
            # A pool's overhead belongs to the runtime; a program's own thread belongs to the agents.
            left = thread.cpu_s - handed[thread.tid] / 1e9
            group_name = "runtime" if thread.kind == "executor" else "agents"
            if thread.name == THREAD:
                group_name = "platform"
            accounts.append(Account(thread.tid, group_name, max(0.0, left)))
        rest_s = max(0.0, rest_s - sum(thread.cpu_s for thread in threads))
        threads.append(Thread(0, "native, or ended", "native", rest_s))
        accounts.append(Account(0, NATIVE if rest_s > _NOISE_S else "runtime", rest_s))
        return threads, accounts

    def _warnings(self, cost: float) -> tuple[str, ...]:
        seconds = sum(self._ledger.charged) / 1e9
        took = (
            f"the accounting itself took {seconds:.3f} s of CPU ({cost:.0%} of all), which has been "
            f"subtracted: {self._costs.mean_us:.1f} µs for each switch between groups"
        )
        if cost < ROUGH_COST:
            return (took,)
        return took, "switches cost more than the work between them, so these figures are rough"


accounting = Accounting
