"""What profiled repetitions say: CPU time by process and group, for each round trip."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary.profiling.attribution import View, figures
from formicary.profiling.groups import Rule, Rules
from formicary.profiling.model import Role
from formicary_bench.results.memory import Figure, mean_figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.profiling.model import Profile
    from formicary_bench.results.model import Repetition

RULES = Rules(
    (
        Rule("agents", "module", "formicary_bench.platforms.*", "the laboratory's agents"),
        Rule("runtime", "module", "formicary_bench.*", "what measures"),
    )
)
"""The laboratory's agents are the users' code here, wherever it is installed."""

SERVER = "server"
_US = 1e6


class CpuFigure(msgspec.Struct, frozen=True):
    """CPU time of a group in a process.

    Attributes:
        process: The worker's role, or `server`.
        group: The group's name.
        us: Microseconds for each round trip, or use of the directory.
        share: What part of the process's time that is.
        values: The repetitions' values that `us` is the mean of.
    """

    process: str
    group: str
    us: Figure
    share: float
    values: tuple[float, ...]


class CpuFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Where the CPU time of a configuration goes.

    Attributes:
        groups: By process and group, in order.
        window_s: How long the windows were in all.
        cost: By how much it is slower while it is profiled, as a part of its rate; None where that is not
            known.
        warnings: What a reader should know, in sentences.
    """

    groups: tuple[CpuFigure, ...]
    window_s: float
    cost: Figure | None = None
    warnings: tuple[str, ...] = ()


def cpu_figures(
    repetitions: Sequence[Repetition], profiles: Sequence[dict[str, Profile]]
) -> CpuFigures | None:
    """Compute the figures of a profiled configuration; None where there are none.

    Args:
        repetitions: Its repetitions.
        profiles: Their profiles, by the workers' roles.
    """
    known = [
        (rate, of_it)
        for repetition, of_it in zip(repetitions, profiles, strict=True)
        if of_it and (rate := _rate(repetition))
    ]
    if not known:
        return None
    parts = [_by_group(rate, of_it) for rate, of_it in known]
    keys = dict.fromkeys(key for part in parts for key in part)
    values = {key: tuple(part.get(key, (0.0, 0.0))[0] for part in parts) for key in keys}
    whole: dict[str, float] = {}
    for (process, _), of_key in values.items():
        whole[process] = whole.get(process, 0.0) + sum(of_key)
    return CpuFigures(
        groups=tuple(
            CpuFigure(
                process,
                group,
                _figure(of_key, parts[0].get((process, group), (0.0, 0.0))[1]),
                sum(of_key) / whole[process] if whole[process] else 0.0,
                of_key,
            )
            for (process, group), of_key in values.items()
        ),
        window_s=sum(profile.window_s for _, of_it in known for profile in of_it.values()),
        cost=_cost(repetitions),
        warnings=tuple(
            dict.fromkeys(word for _, of_it in known for one in of_it.values() for word in one.warnings)
        ),
    )


def _rate(repetition: Repetition) -> float:
    """Give the round trips per second at which a repetition went while it was profiled."""
    counted = repetition.counters
    during = counted.get("rate_during", 0.0)
    seconds = counted.get("seconds", 0.0)
    return during or (counted.get("round_trips", 0.0) / seconds if seconds > 0 else 0.0)


def _by_group(rate: float, profiles: dict[str, Profile]) -> dict[tuple[str, str], tuple[float, float]]:
    """Give microseconds for each round trip, with half of the interval that the sampling gives them."""
    found = {}
    for role, profile in profiles.items():
        scale = _US / profile.window_s / rate
        for process in profile.processes:
            name = SERVER if process.role is Role.SERVER else role
            alone = msgspec.structs.replace(profile, processes=(process,))
            for figure in figures(alone, View.GROUP, RULES):
                if figure.cpu_s or (process.stacks and figure.name != SERVER):
                    found[name, figure.name] = figure.cpu_s * scale, figure.margin_s * scale
    return found


def _figure(values: tuple[float, ...], margin: float) -> Figure:
    if len(values) > 1:
        return mean_figure(values)
    return Figure(values[0], (max(values[0] - margin, 0.0), values[0] + margin))


def _cost(repetitions: Sequence[Repetition]) -> Figure | None:
    counted = [one.counters for one in repetitions]
    losses = [
        1 - one["rate_during"] / one["rate_before"]
        for one in counted
        if one.get("rate_before", 0.0) > 0 and "rate_during" in one
    ]
    return mean_figure(losses) if losses else None
