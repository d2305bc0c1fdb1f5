"""How rows are made of searches for the highest rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.messaging.saturation.summary import (
    highest_kept,
    saturation_estimates,
    trials_of,
)
from formicary_bench.results.store.raw import Trials
from formicary_bench.results.summary.declared import Summary
from formicary_bench.results.summary.each import HIGHEST, Each, named
from formicary_bench.results.summary.row import NO_INTERVAL, OVER_REPETITIONS, Digest, frame
from formicary_bench.results.verdicts.verdicts import stability_of

if TYPE_CHECKING:
    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.vocabulary.configuration import Configuration


class Searches(Summary):
    """Of searches."""

    raw = "search"

    def digest(self, run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
        """Compute the row of a search for the highest rate."""
        searches = [trials_of(run.raw(repetition, Trials), repetition.number) for repetition in repetitions]
        found = saturation_estimates(configuration.limit_us, searches)
        each = tuple(Each(others=named({HIGHEST: float(highest_kept(trials))})) for trials in searches)
        row = msgspec.structs.replace(
            frame(configuration, repetitions),
            saturation=found,
            each=each,
            stability=stability_of(each),
            round_trips_per_s=found.rate,
            round_trips_per_s_ci95=found.ci95,
            ci_method=OVER_REPETITIONS if found.ci95 else NO_INTERVAL,
        )
        return Digest(row, None)

    def each(self, run: RunFolder, configuration: Configuration, repetition: Repetition) -> Each:
        """Return the highest rate that was kept."""
        return self.digest(run, configuration, [repetition]).row.each[0]


SUMMARY = Searches()
