"""Removes samples of threads that wait and only appear to run.

The sampler considers a thread running when the system says so, which includes threads just woken and queued
for a processor. Each time the sampler stops a program, it wakes waiting threads, and so do timers and
messages. On a busy machine they queue for long, and are sampled repeatedly with the function in which they
waited, though they use no CPU.

py-spy reports neither a thread's clock at a sample nor, mostly, its time: of its formats, only Chrome traces
have times, and only for samples that differ from the one before. (The clock's gain since then would not help:
it covers waiting, queueing and work.) But the clock says how many samples a thread is worth in total. If
there are more, those in functions made for waiting are dropped, and those in the function in which an event
loop waits, which also works there, as far as there are too many and the loop does wait at times.

Waiting takes some CPU time itself, as does each stop by the sampler: tens of microseconds, which samples
cannot show. But the operating system counts how often a thread stopped, and a thread of the process that only
waits shows the cost of each stop. As many samples are kept as that is worth.

If the thread also queued while it worked, the loop's own work cannot be determined; `in_doubt` returns how
much it may be.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from formicary.profiling.model.groups import module_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from formicary.profiling.model.profile import Frame
    from formicary.profiling.sampling.clocks import ThreadUse
    from formicary.profiling.sampling.sampler import SampledThread

_NEVER_WAITS = 0.9
"""A thread seen running for this share of its time also queues while it works: its loop calls `select`
but does not wait, so those samples are real."""

_ONLY_WAITS = 0.9
"""The share of waiting samples of a thread that only starts and waits."""

_FEWEST_SWITCHES = 50
"""The number of switches from which the cost of one is known."""

_WAITING: dict[str, frozenset[str]] = {
    "threading": frozenset({"Condition.wait", "Thread._wait_for_tstate_lock", "Thread.join"}),
    "concurrent.futures.thread": frozenset({"_worker"}),
    "concurrent.futures.process": frozenset({"_process_worker"}),
    "multiprocessing.connection": frozenset({"Connection._recv", "wait", "SocketListener.accept"}),
    "multiprocessing.queues": frozenset({"Queue.get", "SimpleQueue.get"}),
    "multiprocessing.synchronize": frozenset({"Condition.wait", "SemLock.__enter__"}),
    "multiprocessing.popen_fork": frozenset({"Popen.poll"}),
    "subprocess": frozenset({"Popen._try_wait", "Popen._wait"}),
    "socket": frozenset({"socket.accept", "SocketIO.readinto"}),
    "ssl": frozenset({"SSLSocket.read"}),
}
"""Functions of the standard library that do little but wait, by module."""

_LOOPS: dict[str, frozenset[str]] = {
    "selectors": frozenset(
        f"{kind}Selector.select" for kind in ("Epoll", "Poll", "Select", "Kqueue", "Devpoll", "_PollLike")
    ),
    # An event loop not written in Python works and waits in the function that runs it.
    "asyncio.runners": frozenset({"Runner.run", "run"}),
    "uvloop": frozenset({"run"}),
}
"""Functions in which event loops both wait and use the CPU."""


def without_waits(
    thread: SampledThread, used: ThreadUse | None, rate: int, switch_s: float = 0.0
) -> SampledThread:
    """Return a thread without its waiting samples, except for the CPU cost of waiting.

    Args:
        thread: as the sampler saw it.
        used: its clock's reading; None, which keeps all samples, if it could not be read.
        rate: samples per second.
        switch_s: CPU seconds to stop and resume, from `seconds_of_a_switch`.
    """
    count = len(thread.samples)
    worth = used.cpu_s * rate if used else math.inf
    if used is None or _is_chance(count, worth):
        return thread
    never_waits = count >= _NEVER_WAITS * used.lived_s * rate
    waits, works, in_loop = [], 0, 0
    for place, stack in enumerate(thread.samples):
        is_loop = bool(stack) and _is_in(stack, _LOOPS)
        # One without a function waits for the interpreter's lock, to start or to end.
        if (is_loop and not never_waits) or not stack or _is_in(stack, _WAITING):
            waits.append(place)
            in_loop += is_loop
        else:
            works += 1
    # Of a loop, as many as the others leave: it works in that function, too.
    of_loop = min(in_loop, worth - works)
    part = min(0.5, used.switches * switch_s / used.cpu_s) if used.cpu_s else 0.0
    kept = min(len(waits), max(0, round(max(of_loop, works * part / (1 - part)))))
    # Spread evenly over the window.
    chosen = {waits[number * len(waits) // kept] for number in range(kept)}
    left_out = set(waits) - chosen
    return replace(
        thread, samples=[stack for place, stack in enumerate(thread.samples) if place not in left_out]
    )


def in_doubt(thread: SampledThread, used: ThreadUse | None, rate: int) -> float:
    """Return the CPU seconds of a thread that may belong to its event loop or to what that ran.

    Args:
        thread: as the sampler saw it.
        used: its clock's reading; None if it could not be read.
        rate: samples per second.
    """
    count = len(thread.samples)
    worth = used.cpu_s * rate if used else math.inf
    if _is_chance(count, worth):
        return 0.0
    in_loop = sum(bool(stack) and _is_in(stack, _LOOPS) for stack in thread.samples)
    works = count - in_loop - sum(not stack or _is_in(stack, _WAITING) for stack in thread.samples)
    # The loop's time is least if all the others worked, and most if they all queued.
    return (min(in_loop, worth) - max(0.0, min(in_loop, worth - works))) / rate


def seconds_of_a_switch(sampled: Iterable[SampledThread], used: Mapping[int, ThreadUse]) -> float:
    """Return the cost for a thread to stop and resume, from the thread that works least.

    Args:
        sampled: the threads of a process, as the sampler saw them.
        used: their clocks' readings, by thread ID.

    Returns:
        CPU seconds; 0 if no thread only waits.
    """
    costs = []
    for thread in sampled:
        waits = sum(not stack or _is_in(stack, _WAITING) for stack in thread.samples)
        of_it = used.get(thread.tid)
        if of_it and of_it.switches >= _FEWEST_SWITCHES and waits >= _ONLY_WAITS * len(thread.samples):
            costs.append(of_it.cpu_s / of_it.switches)
    return min(costs, default=0.0)


def _is_chance(count: int, worth: float) -> bool:
    """Return whether chance explains the number of samples."""
    return count <= worth + 2 * math.sqrt(worth)


def _is_in(stack: tuple[Frame, ...], functions: dict[str, frozenset[str]]) -> bool:
    """Return whether the innermost function of a stack is in a set."""
    names = functions.get(module_of(stack[-1].file))
    return names is not None and stack[-1].function in names
