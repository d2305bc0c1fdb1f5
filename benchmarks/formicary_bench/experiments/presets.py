"""How much of an experiment a preset measures: a little of everything (`quick`), or as in the papers.

Where a paper says nothing, an experiment keeps its defaults. Alberola's round trips (500, 1000, 500) and 100
uses of the directory are defaults here, too. Both papers measure mostly on two hosts: with `--hosts` so do
we, and without it in one process and between two.

In a quick run fewer platforms take part, but each is measured as well as ever: an experiment keeps ours, what
it is compared with, and the placements that it is about.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from formicary_bench.experiments.experiment import Preset
from formicary_bench.vocabulary.names import PAPER

if TYPE_CHECKING:
    from formicary_bench.experiments.experiment import Experiment


def preset_of(experiment: Experiment, name: str) -> Preset:
    """Return the settings that a preset changes in an experiment."""
    if name == PAPER:
        return experiment.paper or Preset()
    few = {
        one.attribute: _few(experiment.sizes[one.attribute], one.few)
        for one in experiment.own
        if one.few and one.attribute in experiment.sizes
    }
    return replace(experiment.quick, repeat=1, sizes={**few, **experiment.quick.sizes})


def _few(values: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Return the smallest value, and the largest that is not too large."""
    fitting = [value for value in values if value <= most]
    return tuple(dict.fromkeys((min(fitting), max(fitting)))) if fitting else (most,)
