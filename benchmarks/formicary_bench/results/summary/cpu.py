"""The figures of profiled repetitions: CPU time by process and group, per round trip.

There are two readings. By code, time belongs to what runs; as the papers have it, an agent's thread is the
agent's with all that it calls, so what agents call is theirs. Papers' figures are compared with the second.

All CPU times and shares in reports come from `summed`: in one process, on one host, in all.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from formicary.profiling.analysis.attribution import View, cpu_times
from formicary.profiling.model.groups import Group, Rule, Rules, is_library
from formicary.profiling.model.profile import ROUGH_COST, Method, Role
from formicary_bench.statistics.estimates import Estimate, mean_estimate
from formicary_bench.vocabulary.places import SERVER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from formicary.profiling.model.profile import Frame, Process, Profile
    from formicary_bench.results.store.model import Repetition

_FORMER = (
    Rule("communication", "module", "formicary_bench.designs.*"),
    Rule("agents", "module", "formicary_bench.platforms.*"),
    Rule("runtime", "module", "formicary_bench.*"),
)
RULES = Rules(former=_FORMER)
"""The groups of packages that did not declare them when older runs were measured."""


class _Strands(Rules):
    """Assigns to agents what they call, as papers do that look at threads."""

    def group_of_stack(self, frames: Sequence[Frame]) -> str:
        """Return `agents` where a frame is an agent's, else the group by code."""
        # A library's frame, such as that of any thread's beginning, is nobody's by itself.
        own = (frame for frame in frames if frame.group or not is_library(frame.file))
        is_of_agent = any(self.group_of(frame) == Group.AGENTS for frame in own)
        return Group.AGENTS if is_of_agent else super().group_of_stack(frames)


_STRANDS = _Strands(former=_FORMER)
_PLATFORM_AGENTS = {"", "df", "ams"}
"""Names whose accounted time is not that of measured agents: nobody, and the platform's own agents."""

ALL = "all"
"""All groups together."""

_US = 1e6


class CpuEstimate(msgspec.Struct, frozen=True):
    """CPU time of a group in a process, or in several together.

    Attributes:
        process: The worker's role, or `server`; with several hosts, followed by @ and the host.
        group: The group's name.
        us: Microseconds for each round trip, or use of the directory.
        share: Its share of the time of all groups there.
        values: The repetitions' values that `us` is the mean of.
    """

    process: str
    group: str
    us: Estimate
    share: float
    values: tuple[float, ...]

    @property
    def role(self) -> str:
        """The worker's role, or `server`."""
        return self.process.partition("@")[0]

    @property
    def host(self) -> str:
        """Its host; empty where all are on one."""
        return self.process.partition("@")[2]

    @property
    def margin_us(self) -> float:
        """Half the width of the interval; 0 where there is none."""
        return self.us.ci95[1] - self.us.mean if self.us.ci95 else 0.0


class CpuEstimates(msgspec.Struct, frozen=True, kw_only=True):
    """Where the CPU time of a configuration goes.

    Attributes:
        groups: By process and group, in order.
        strands: The same, with what agents call as theirs.
        window_s: The total duration of the windows, in seconds.
        cost: The loss of rate by profiling, relative to alternating repetitions without it; None if there
            were none.
        method: Whether it was `sampled`, `accounted` for by the platform itself, or that of `threads`.
        warnings: What a reader should know, in sentences.
    """

    groups: tuple[CpuEstimate, ...]
    strands: tuple[CpuEstimate, ...] = ()
    window_s: float
    cost: Estimate | None = None
    method: str = Method.SAMPLED
    warnings: tuple[str, ...] = ()

    @property
    def used(self) -> list[CpuEstimate]:
        """The groups that used any time, by process."""
        return [one for one in self.groups if one.us.mean > 0]

    @property
    def used_by_strands(self) -> list[CpuEstimate]:
        """The same, with what agents call as theirs."""
        return [one for one in self.strands if one.us.mean > 0]


def summed(parts: Iterable[CpuEstimate], process: str = "") -> list[CpuEstimate]:
    """Return each group's time in some processes together, and its share of the time of all."""
    by_group: dict[str, list[CpuEstimate]] = {}
    for part in parts:
        by_group.setdefault(part.group, []).append(part)
    together = {group: whole(of_it, process, group) for group, of_it in by_group.items()}
    all_us = sum(one.us.mean for one in together.values())
    return [
        msgspec.structs.replace(one, share=one.us.mean / all_us if all_us else 0.0)
        for one in map(together.__getitem__, in_order(together))
    ]


def whole(parts: Sequence[CpuEstimate], process: str = "", group: str = ALL) -> CpuEstimate:
    """Return the sum of some CPU times."""
    values = tuple(map(sum, zip(*(part.values for part in parts), strict=True))) or (0.0,)
    us = _estimate(values, math.hypot(*(part.margin_us for part in parts)))
    return CpuEstimate(process, group, us, 1.0, values)


def in_order(groups: Iterable[str]) -> list[str]:
    """Return groups' names without repetition: ours in their usual order, then a user's."""
    known = set(groups)
    return [*(str(group) for group in Group if group in known), *sorted(known - set(Group))]


def cpu_estimates(
    repetitions: Sequence[Repetition],
    profiles: Sequence[dict[str, Profile]],
    losses: Sequence[float] = (),
) -> CpuEstimates | None:
    """Compute the CPU times of a profiled configuration; None if there are none."""
    known = [
        (repetition, of_it)
        for repetition, of_it in zip(repetitions, profiles, strict=True)
        if of_it and (profiled_rate(repetition) or _items(repetition))
    ]
    if not known:
        return None
    return CpuEstimates(
        groups=_estimates([_by_group(repetition, of_it, RULES) for repetition, of_it in known]),
        strands=_estimates([_by_group(repetition, of_it, _STRANDS) for repetition, of_it in known]),
        window_s=sum(profile.window_s for _, of_it in known for profile in of_it.values()),
        cost=mean_estimate(losses) if losses else None,
        method=_method(of_it for _, of_it in known),
        warnings=tuple(dict.fromkeys(_warnings([one for _, of_it in known for one in of_it.values()]))),
    )


_Times = dict[tuple[str, str], tuple[float, float]]


def _estimates(parts: Sequence[_Times]) -> tuple[CpuEstimate, ...]:
    """Return the estimates of each process and group from the repetitions' values."""
    groups = []
    for process in dict.fromkeys(process for part in parts for process, _ in part):
        estimates = []
        for group in dict.fromkeys(group for part in parts for of, group in part if of == process):
            found = [part.get((process, group), (0.0, 0.0)) for part in parts]
            values = tuple(us for us, _ in found)
            estimates.append(CpuEstimate(process, group, _estimate(values, found[0][1]), 0.0, values))
        groups += summed(estimates, process)
    return tuple(groups)


def judged(cpu: CpuEstimates | None) -> dict[str, tuple[float, ...]]:
    """Return the judged figures of a profiled row: the repetitions' values for each group of each process."""
    return {name_of(one): one.values for one in cpu.groups if one.us.mean} if cpu else {}


def name_of(one: CpuEstimate) -> str:
    """Return the name under which a group's CPU time is judged."""
    return f"CPU time of {one.group}, {one.process} (µs)"


def profiled_rate(repetition: Repetition) -> float:
    """Return the round trips per second of a repetition while it was profiled."""
    counted = repetition.counters
    during = counted.get("rate_during", 0.0)
    seconds = counted.get("seconds", 0.0)
    return during or (counted.get("round_trips", 0.0) / seconds if seconds > 0 else 0.0)


def _by_group(repetition: Repetition, profiles: dict[str, Profile], rules: Rules) -> _Times:
    """Return microseconds per round trip, with half the width of the interval due to sampling."""
    found = {}
    for role, profile in profiles.items():
        scale = _US / (_items(repetition) or profile.window_s * profiled_rate(repetition))
        for process in profile.processes:
            name = _server_of(role) if process.role is Role.SERVER else role
            own = _with_strands(process) if rules is _STRANDS else process
            alone = msgspec.structs.replace(profile, processes=(own,))
            for used in cpu_times(alone, View.GROUP, rules):
                if used.cpu_s or (process.stacks and used.name != SERVER):
                    found[name, used.name] = used.cpu_s * scale, used.margin_s * scale
    return found


def _with_strands(process: Process) -> Process:
    """Return a process with all of its agents' time in `agents`."""
    accounts = tuple(
        one
        if one.agent.partition("/")[0] in _PLATFORM_AGENTS
        else msgspec.structs.replace(one, group=Group.AGENTS)
        for one in process.accounts
    )
    return msgspec.structs.replace(process, accounts=accounts)


def _server_of(worker: str) -> str:
    """Return the name of the server on a worker's host."""
    _, at, host = worker.partition("@")
    return f"{SERVER}{at}{host}"


def _estimate(values: tuple[float, ...], margin: float) -> Estimate:
    """Return the mean over the repetitions; of a single one, with the interval of its samples, if any."""
    if len(values) > 1 or not margin:
        return mean_estimate(values)
    return Estimate(values[0], (max(values[0] - margin, 0.0), values[0] + margin))


def _items(repetition: Repetition) -> float:
    """Return the number of operations while it was profiled, if all of it was."""
    return max(repetition.counters.get("items", 0.0), 0.0)


def _warnings(profiles: Sequence[Profile]) -> Iterator[str]:
    for profile in profiles:
        # What an accounted one says of its own cost is a number, another one each time.
        yield from profile.warnings[: 1 if profile.method is Method.ACCOUNTED else None]
    taken = [profile.cost for profile in profiles if profile.cost is not None]
    if taken:
        rough = "; where that is most of it, figures are approximate" if max(taken) >= ROUGH_COST else ""
        span = " to ".join(dict.fromkeys((f"{min(taken):.0%}", f"{max(taken):.0%}")))
        yield f"the accounting itself took {span} of each process's CPU time, which is subtracted{rough}"


def _method(profiles: Iterable[dict[str, Profile]]) -> str:
    methods = {profile.method for of_it in profiles for profile in of_it.values()}
    return next(iter(methods - {Method.SAMPLED}), Method.SAMPLED)
