"""How much of an experiment a preset measures: all in a few minutes (`quick`), or as the papers set it.

Where the papers say nothing of something, an experiment keeps what is usual here. Alberola's round trips
(500, 1000, 500) and 100 uses of the directory are usual here, too. Both papers measure most of it on two
hosts: with `--hosts` it is measured where they did, and without in one process and between two.

In a quick run fewer platforms take part, and none of them is measured worse: each experiment keeps ours, what
it is held against, and the places that it is about.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from formicary_bench.experiments.experiment import Preset
from formicary_bench.vocabulary.names import PAPER

if TYPE_CHECKING:
    from formicary_bench.experiments.experiment import Experiment


def preset_of(experiment: Experiment, name: str) -> Preset:
    """Return how much of an experiment a preset measures."""
    if name == PAPER:
        return experiment.paper or Preset()
    few = {
        one.attribute: _few(experiment.sizes[one.attribute], one.few)
        for one in experiment.own
        if one.few and one.attribute in experiment.sizes
    }
    return replace(experiment.quick, repeat=1, sizes={**few, **experiment.quick.sizes})


def _few(values: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Take the smallest value, and the largest that is not too large."""
    fitting = [value for value in values if value <= most]
    return tuple(dict.fromkeys((min(fitting), max(fitting)))) if fitting else (most,)
