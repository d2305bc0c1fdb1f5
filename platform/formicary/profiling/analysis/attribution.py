"""CPU times of a profile by group, thread, agent or function, each with its interval.

The operating system's clocks give a thread's total; the samples divide it. So the times of a view sum to the
processes' clocks.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from formicary.core.errors import UsageError
from formicary.profiling.model.groups import NATIVE, Group, Rules, is_native, module_of
from formicary.profiling.model.profile import Frame, Method, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.profiling.model.profile import Process, Profile, Stack

UNKNOWN = "(unknown)"
"""Time of processes without samples."""
NOBODY = "(no agent)"
COLLECTOR = "(garbage collector)"
TICK_S = 0.01
"""The coarsest resolution of threads' clocks."""
_NORMAL = 1.959964  # standard deviations on each side
# The same for Student's t, from 1 degree of freedom on.
_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160)
_FEWEST_BLOCKS = 8
_DEPEND = 1.1  # neighbouring blocks of few samples share some work, and so differ too little
_RARE = 5  # samples of a kind, or of all others: too few to show their spread


class Estimate(NamedTuple):
    """A number of seconds and its variance."""

    seconds: float
    variance: float = 0.0

    def __add__(self, other: object) -> Estimate:
        """Return the sum of two independent estimates."""
        assert isinstance(other, Estimate)
        return Estimate(self.seconds + other.seconds, self.variance + other.variance)

    @property
    def margin(self) -> float:
        """Half the width of the 95% interval, in seconds."""
        return _NORMAL * math.sqrt(self.variance)


NOTHING = Estimate(0.0)


def of_samples(
    seconds: float, count: int, total: int, expected: float, blocks: Sequence[tuple[int, int]] = ()
) -> Estimate:
    """Estimate the part of some seconds that a kind of samples represents.

    Successive samples are correlated, since work takes time and waits for a processor in between. So the
    variance is that of successive blocks of samples, from the differences of neighbours (von Neumann 1941):
    it holds for the share that the program has if it continues in the same way, and a single change, such as
    after a start, widens it little. With too few samples for blocks it is binomial, by Agresti and Coull.

    Args:
        seconds: the seconds that all samples represent.
        count: number of samples of the kind.
        total: number of all samples; not 0.
        expected: the number expected for these seconds. If there are more, the thread was sometimes sampled
            while it waited for a processor; the surplus adds no certainty.
        blocks: for each block of time with samples, the number of the kind and of all; empty if unknown.
    """
    share = count / total
    of_share = _of_blocks(share, total, blocks) if len(blocks) >= _FEWEST_BLOCKS else 0.0
    if len(blocks) < _FEWEST_BLOCKS or min(count, total - count) < _RARE:
        worth = min(total, max(1.0, expected))
        careful = (share * worth + 2) / (worth + 4)
        of_share = max(of_share, careful * (1 - careful) / (worth + 4))
    # Two readings, each of which misses up to a tick.
    return Estimate(seconds * share, seconds**2 * of_share + share**2 * TICK_S**2 / 6)


def _of_blocks(share: float, total: int, blocks: Sequence[tuple[int, int]]) -> float:
    """Return the variance of a share, widened from the normal distribution to Student's t."""
    number = len(blocks)
    off = [count - share * size for count, size in blocks]
    differences = sum((after - before) ** 2 for before, after in pairwise(off))
    variance = _DEPEND * differences / (2 * (number - 1)) * number / total**2
    freedom = 2 * (number - 1) ** 2 // (3 * number - 4)
    return variance * (_STUDENT[min(freedom, len(_STUDENT)) - 1] / _NORMAL) ** 2


class View(StrEnum):
    """What to split the time by."""

    GROUP = "group"
    THREAD = "thread"
    AGENT = "agent"
    FUNCTION = "function"


class CpuTime(msgspec.Struct, frozen=True):
    """CPU time of one group, thread, agent or function.

    Attributes:
        name: its name.
        cpu_s: CPU seconds within the window.
        margin_s: half the width of the 95% interval.
        share: its share of the total.
        group: of a function, its group; else empty.
    """

    name: str
    cpu_s: float
    margin_s: float
    share: float
    group: str = ""


Key = tuple[str, str]  # name and group
Frames = tuple[Frame, ...]
_COLLECTOR_FRAME = Frame(COLLECTOR, "")
_NATIVE_FRAME = Frame(f"({NATIVE})", "")


def cpu_times(profile: Profile, view: View, rules: Rules | None = None) -> list[CpuTime]:
    """Return CPU times, largest first; for groups, all of ours, in their usual order.

    Raises:
        UsageError: the profile lacks the data for the view.
    """
    if view is View.AGENT and profile.method is Method.SAMPLED:
        raise UsageError("a sampled profile has no agents; use --by agent to account for them")
    rules = rules or Rules()
    total: defaultdict[Key, Estimate] = defaultdict(lambda: NOTHING)
    for process in profile.processes:
        for key, estimate in _of_process(process, profile, view, rules).items():
            total[key] += estimate
    whole = sum(estimate.seconds for estimate in total.values())
    found = [
        CpuTime(name, value.seconds, value.margin, value.seconds / whole if whole else 0.0, group)
        for (name, group), value in total.items()
    ]
    if view is not View.GROUP:
        return sorted(found, key=lambda used: -used.cpu_s)
    by_name = {used.name: used for used in found}
    names = dict.fromkeys([*rules.names(), *by_name])
    return [by_name.get(name, CpuTime(name, 0.0, 0.0, 0.0)) for name in names]


def _of_process(process: Process, profile: Profile, view: View, rules: Rules) -> dict[Key, Estimate]:
    if view is View.THREAD:
        return _of_threads(process)
    if process.role is not Role.CONTAINER:
        group = rules.group_of_process(process.name) or UNKNOWN
        group = Group.SERVER if process.role is Role.SERVER else group
        key = (group, "") if view is View.GROUP else (f"{process.name} ({process.pid})", group)
        return {key: Estimate(process.cpu_s)}
    if profile.method is not Method.SAMPLED:
        return _of_accounts(process, view)
    return _of_samples(process, profile, _namer(view, rules))


def _of_threads(process: Process) -> dict[Key, Estimate]:
    used: dict[Key, float] = {}
    for thread in process.threads:
        used[f"{thread.name} ({thread.kind}, {process.pid}/{thread.tid})", ""] = thread.cpu_s
    rest = process.cpu_s - sum(used.values())
    if rest > TICK_S * (1 + len(process.threads)):
        used[f"(ended threads of {process.name}, {process.pid})", ""] = rest
    return {key: Estimate(seconds, TICK_S**2 / 6) for key, seconds in used.items()}


def _of_accounts(process: Process, view: View) -> dict[Key, Estimate]:
    if view is View.FUNCTION:
        raise UsageError(
            "a profile by accounting has no functions; use --by group, or a machine that permits py-spy"
        )
    total: defaultdict[Key, Estimate] = defaultdict(lambda: NOTHING)
    for account in process.accounts:
        name = account.group if view is View.GROUP else account.agent or NOBODY
        total[name, ""] += Estimate(account.cpu_s, (account.error_s / 1.96) ** 2)
    return dict(total)


def _of_samples(process: Process, profile: Profile, name: Callable[[Frames], Key]) -> dict[Key, Estimate]:
    seconds = thread_seconds(process, profile.rate_hz)
    counts: defaultdict[int, Counter[Key]] = defaultdict(Counter)
    blocks: defaultdict[int, defaultdict[Key, Counter[int]]] = defaultdict(lambda: defaultdict(Counter))
    for stack in process.stacks:
        key = name(tuple(profile.frames[place] for place in stack.frames))
        counts[stack.tid][key] += stack.count
        for block, count in stack.blocks:
            blocks[stack.tid][key][block] += count
    native = {thread.tid for thread in process.threads if thread.kind == "native"}
    total: defaultdict[Key, Estimate] = defaultdict(lambda: NOTHING)
    for tid, used in seconds.items():
        of_it = counts[tid]
        sizes = sum(blocks[tid].values(), Counter())
        if not of_it:
            key = name((_NATIVE_FRAME,) if tid in native else ()) if process.stacks else (UNKNOWN, "")
            total[key] += Estimate(used, TICK_S**2 / 6)
        for key, count in of_it.items():
            in_time = [(blocks[tid][key][block], size) for block, size in sorted(sizes.items())]
            total[key] += of_samples(used, count, of_it.total(), used * profile.rate_hz, in_time)
    _move_collections(total, process, profile, name)
    return dict(total)


def _move_collections(
    total: defaultdict[Key, Estimate],
    process: Process,
    profile: Profile,
    name: Callable[[Frames], Key],
) -> None:
    """Move the garbage collector's time away from the stacks that it interrupted."""
    collector = name((_COLLECTOR_FRAME,))
    for collection in process.collections:
        key = name(tuple(profile.frames[place] for place in collection.frames))
        moved = min(collection.cpu_s, total[key].seconds)
        total[key] = total[key]._replace(seconds=total[key].seconds - moved)
        total[collector] += Estimate(moved)


def thread_seconds(process: Process, rate_hz: float) -> dict[int, float]:
    """Return the CPU seconds of each thread, scaled to sum to those of its process.

    Time on no thread's clock was used by threads that ended between two readings: it goes to those with more
    samples than clock time, in proportion.

    Args:
        process: a process.
        rate_hz: samples per second; not 0.
    """
    clocks = {thread.tid: thread.cpu_s for thread in process.threads}
    seen: Counter[int] = Counter()
    for stack in process.stacks:
        seen[stack.tid] += stack.count
    rest = max(0.0, process.cpu_s - sum(clocks.values()))
    missing = {tid: max(0.0, count / rate_hz - clocks.get(tid, 0.0)) for tid, count in seen.items()}
    if whole := sum(missing.values()):
        for tid, seconds in missing.items():
            clocks[tid] = clocks.get(tid, 0.0) + min(rest, whole) * (seconds / whole)
    total = sum(clocks.values())
    if not total:
        return {0: process.cpu_s} if process.cpu_s else {}
    # Divide the times first: the quotient is at most 1, however small they are.
    return {tid: process.cpu_s * (seconds / total) for tid, seconds in clocks.items() if seconds}


def stack_seconds(process: Process, rate_hz: float) -> list[tuple[Stack, float]]:
    """Return each stack with its seconds; arguments as of `thread_seconds`."""
    seconds = thread_seconds(process, rate_hz) if process.stacks else {}
    counts: Counter[int] = Counter()
    for stack in process.stacks:
        counts[stack.tid] += stack.count
    return [
        (stack, seconds.get(stack.tid, 0.0) * stack.count / counts[stack.tid]) for stack in process.stacks
    ]


def _namer(view: View, rules: Rules) -> Callable[[Frames], Key]:
    if view is View.GROUP:
        return lambda frames: (_group(frames, rules), "")
    return lambda frames: (function_of(frames), _group(frames, rules))


def _group(frames: Frames, rules: Rules) -> str:
    if frames == (_NATIVE_FRAME,):
        return NATIVE
    return Group.RUNTIME if frames == (_COLLECTOR_FRAME,) else rules.group_of_stack(frames)


def function_of(frames: Sequence[Frame]) -> str:
    """Return the innermost function of a stack, with its module; of machine code, with its library."""
    if not frames:
        return "(native)"
    frame = frames[-1]
    if frame in {_COLLECTOR_FRAME, _NATIVE_FRAME}:
        return frame.function
    where = frame.file.rpartition("/")[2] if is_native(frame.file) else module_of(frame.file)
    return f"{where}:{frame.function}"
