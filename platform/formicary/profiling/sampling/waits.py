"""Samples of threads that wait, and only look as if they ran.

The sampler takes a thread as running when the system says so, and that is also said of one that was just
woken and stands in line for a processor. Each time the sampler stops a program it wakes the threads that
wait; and so do timers and messages. On a busy machine they stand in line for long, and are seen there again
and again, with the function in which they waited, though they use no CPU.

py-spy tells neither when it took a sample nor what the thread's clock said, so a single sample cannot be
weighed. But the clock says how many samples a thread is worth in all. Where there are more, those in a
function made for waiting are left out; and those in the function in which an event loop waits, which works
there as well, as far as there are too many and the loop is not one that never waits.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from formicary.profiling.model.code_names import unmark
from formicary.profiling.model.modules import module_of

if TYPE_CHECKING:
    from formicary.profiling.model.profile import Frame
    from formicary.profiling.sampling.clocks import ThreadUse
    from formicary.profiling.sampling.sampler import SampledThread

_NEVER_WAITS = 0.9
"""A thread that was seen running in so large a part of its time stands in line as one that works, too: there,
`select` is asked without waiting, and costs what it costs."""

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


def without_waits(thread: SampledThread, used: ThreadUse | None, rate: int) -> SampledThread:
    """Return a thread without the samples that have it wait.

    Args:
        thread: as the sampler saw it.
        used: what its clock says; None if it could not be read, and all samples are kept.
        rate: samples per second.
    """
    count = len(thread.samples)
    worth = used.cpu_s * rate if used else math.inf
    if used is None or count <= worth + 2 * math.sqrt(worth):  # no more than chance has it
        return thread
    # One without a function waits for the interpreter's lock, to begin or to end.
    rest = [stack for stack in thread.samples if stack and not _is_in(stack, _WAITING)]
    if count >= _NEVER_WAITS * used.lived_s * rate:
        return replace(thread, samples=rest)
    loops = [place for place, stack in enumerate(rest) if _is_in(stack, _LOOPS)]
    too_many = max(0, min(len(loops), round(len(rest) - worth)))
    # From all over the window alike.
    left_out = {loops[number * len(loops) // too_many] for number in range(too_many)}
    return replace(thread, samples=[stack for place, stack in enumerate(rest) if place not in left_out])


def _is_in(stack: tuple[Frame, ...], functions: dict[str, frozenset[str]]) -> bool:
    """Tell whether the innermost function of a stack is one of some."""
    names = functions.get(module_of(stack[-1].file))
    return names is not None and unmark(stack[-1].function)[1] in names
