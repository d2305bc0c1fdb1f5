"""Samples of threads that wait, and only look as if they ran.

The sampler takes a thread as running when the system says so, and that is also said of one that was just
woken and stands in line for a processor. Each time the sampler stops a program it wakes the threads that
wait; and so do timers and messages. On a busy machine they stand in line for long, and are seen there again
and again, with the function in which they waited, though they use no CPU.

py-spy does not tell what the thread's clock said at a sample, and hardly when it was: of its formats only
that for Chrome's traces has times, and those of samples that differ from the one before. (What the clock
gained since then would not tell either: there is time to wait, to stand in line and to work.) But the clock
says how many samples a thread is worth in all. Where there are more, those in a function made for waiting
are left out; and those in the function in which an event loop waits, which works there as well, as far as
there are too many and the loop is not one that never waits.

To wait takes some time of its own, and so does each stop by the sampler: tens of microseconds, which samples
cannot show among so many others. But the operating system counts how often a thread has stopped, and a
thread of the process that does nothing but wait shows what that takes. As many samples stay as are worth it.

What a loop's own work is worth nobody can tell, though, where the thread stood in line while it worked, too:
`in_doubt` says how much that may be.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from formicary.profiling.model.modules import module_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from formicary.profiling.model.profile import Frame
    from formicary.profiling.sampling.clocks import ThreadUse
    from formicary.profiling.sampling.sampler import SampledThread

_NEVER_WAITS = 0.9
"""A thread that was seen running in so large a part of its time stands in line as one that works, too: there,
`select` is asked without waiting, and costs what it costs."""

_ONLY_WAITS = 0.9
"""Which part of a thread's samples has it wait, if it does nothing else but begin."""

_FEWEST_SWITCHES = 50
"""From how many on they show what one takes."""

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
"""Functions of the standard library that do next to nothing but wait, by module."""

_LOOPS: dict[str, frozenset[str]] = {
    "selectors": frozenset(
        f"{kind}Selector.select" for kind in ("Epoll", "Poll", "Select", "Kqueue", "Devpoll", "_PollLike")
    ),
    # An event loop that is not written in Python works and waits in the function that runs it.
    "asyncio.runners": frozenset({"Runner.run", "run"}),
    "uvloop": frozenset({"run"}),
}
"""Functions in which event loops wait, and use the CPU as well."""


def without_waits(
    thread: SampledThread, used: ThreadUse | None, rate: int, switch_s: float = 0.0
) -> SampledThread:
    """Return a thread without the samples that have it wait, but for those that stand for what waiting takes.

    Args:
        thread: as the sampler saw it.
        used: what its clock says; None if it could not be read, and all samples are kept.
        rate: samples per second.
        switch_s: what it takes to stop and to go on again, in seconds of CPU, as of `seconds_of_a_switch`.
    """
    count = len(thread.samples)
    worth = used.cpu_s * rate if used else math.inf
    if used is None or _is_chance(count, worth):
        return thread
    never_waits = count >= _NEVER_WAITS * used.lived_s * rate
    waits, works, in_loop = [], 0, 0
    for place, stack in enumerate(thread.samples):
        is_loop = bool(stack) and _is_in(stack, _LOOPS)
        # One without a function waits for the interpreter's lock, to begin or to end.
        if (is_loop and not never_waits) or not stack or _is_in(stack, _WAITING):
            waits.append(place)
            in_loop += is_loop
        else:
            works += 1
    # Of a loop, what the others leave: it works in that function, too.
    of_loop = min(in_loop, worth - works)
    part = min(0.5, used.switches * switch_s / used.cpu_s) if used.cpu_s else 0.0
    kept = min(len(waits), max(0, round(max(of_loop, works * part / (1 - part)))))
    # From all over the window alike.
    chosen = {waits[number * len(waits) // kept] for number in range(kept)}
    left_out = set(waits) - chosen
    return replace(
        thread, samples=[stack for place, stack in enumerate(thread.samples) if place not in left_out]
    )


def in_doubt(thread: SampledThread, used: ThreadUse | None, rate: int) -> float:
    """Return how many of a thread's seconds of CPU either an event loop or what it ran may have used.

    Args:
        thread: as the sampler saw it.
        used: what its clock says; None if it could not be read.
        rate: samples per second.
    """
    count = len(thread.samples)
    worth = used.cpu_s * rate if used else math.inf
    if _is_chance(count, worth):
        return 0.0
    in_loop = sum(bool(stack) and _is_in(stack, _LOOPS) for stack in thread.samples)
    works = count - in_loop - sum(not stack or _is_in(stack, _WAITING) for stack in thread.samples)
    # The loop's at least where all the others are work; at most where they all stood in line.
    return (min(in_loop, worth) - max(0.0, min(in_loop, worth - works))) / rate


def seconds_of_a_switch(sampled: Iterable[SampledThread], used: Mapping[int, ThreadUse]) -> float:
    """Return what it takes a thread to stop and to go on again: as much as the one that works least takes.

    Args:
        sampled: the threads of a process, as the sampler saw them.
        used: what their clocks say, by number.

    Returns:
        Seconds of CPU; 0 if there is no thread that only waits.
    """
    costs = []
    for thread in sampled:
        waits = sum(not stack or _is_in(stack, _WAITING) for stack in thread.samples)
        of_it = used.get(thread.tid)
        if of_it and of_it.switches >= _FEWEST_SWITCHES and waits >= _ONLY_WAITS * len(thread.samples):
            costs.append(of_it.cpu_s / of_it.switches)
    return min(costs, default=0.0)


def _is_chance(count: int, worth: float) -> bool:
    """Return whether there are no more samples than by chance."""
    return count <= worth + 2 * math.sqrt(worth)


def _is_in(stack: tuple[Frame, ...], functions: dict[str, frozenset[str]]) -> bool:
    """Return whether the innermost function of a stack is one of some."""
    names = functions.get(module_of(stack[-1].file))
    return names is not None and stack[-1].function in names
