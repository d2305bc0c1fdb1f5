"""The presets: all experiments in a few minutes (`quick`), or as the papers set them (`paper`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.presets.paper import PAPERS
from formicary_bench.experiments.presets.quick import QUICK_PARTS
from formicary_bench.experiments.presets.sizes import Sizes
from formicary_bench.vocabulary.names import GROWTH

if TYPE_CHECKING:
    from formicary_bench.experiments.catalogue import Experiment

PRESETS = QUICK, PAPER = "quick", "paper"

EVERYTHING = "everything"
"""The name that stands for all experiments."""

QUICK_PROFILES = 4
"""How many times shorter what is profiled is in a quick run: T2 still takes longer than profiles need."""

_MOST = {"loads": 10, "payloads": 10_000, "agents": 1000, "services": 1000, "containers": 3, "rates": 1000}
_QUICK_SECONDS = 4  # in which memory is looked at often enough


def sizes_of(experiment: Experiment, preset: str) -> Sizes:
    """Return how much of an experiment a preset measures.

    Args:
        experiment: the experiment; all have sizes in `quick`, and their usual ones where no paper has any.
        preset: one of `PRESETS`.
    """
    if preset == PAPER:
        return PAPERS.get(experiment.name, Sizes())
    return Sizes(
        repeat=1,
        seconds=_QUICK_SECONDS if experiment.name == GROWTH else None,
        loads=_few(experiment.loads, _MOST["loads"]),
        payloads=_few(experiment.payloads, _MOST["payloads"]),
        agents=_few(experiment.agents, _MOST["agents"]),
        services=_few(experiment.services, _MOST["services"]),
        containers=_few(experiment.containers, _MOST["containers"]),
        rates=_few(experiment.rates, _MOST["rates"]),
        parts=QUICK_PARTS.get(experiment.name, ()),
    )


def _few(values: tuple[int, ...], most: int) -> tuple[int, ...] | None:
    """Take the smallest value, and the largest that is not too large."""
    if not values:
        return None
    fitting = [value for value in values if value <= most]
    return tuple(dict.fromkeys((min(fitting), max(fitting)))) if fitting else (most,)
