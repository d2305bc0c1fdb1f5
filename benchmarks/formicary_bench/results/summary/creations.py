"""The figures of a configuration that creates agents, or has them come and go."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.results.store import raw
from formicary_bench.results.summary.declared import Summary
from formicary_bench.results.summary.each import Each
from formicary_bench.results.summary.row import Digest, bounds, frame, method
from formicary_bench.results.verdicts.verdicts import stability_of
from formicary_bench.statistics.intervals import Interval, mean_interval, ratio_interval

if TYPE_CHECKING:
    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.vocabulary.configuration import Configuration


class Creations(Summary):
    """Of batches of agents."""

    raw = "create"

    def digest(self, run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
        """Compute the row of a configuration that creates agents."""
        rates, sizes = [], []
        alone: Interval | None = None
        for repetition in repetitions:
            data = run.raw(repetition, raw.Creations)
            agents, seconds = int(data.agents.sum()), float(data.seconds.sum())
            if agents and seconds:
                rates.append(agents / seconds)
                sizes.append(int(data.bytes.sum()) / agents)
            if len(repetitions) == 1:
                alone = ratio_interval(data.agents.tolist(), data.seconds.tolist())
        row = frame(configuration, repetitions)
        if not rates:
            return Digest(row, None)
        interval = mean_interval(rates) or alone
        each = tuple(Each(agents_per_s=rate) for rate in rates)
        changed = msgspec.structs.replace(
            row,
            each=each,
            stability=stability_of(each),
            agents_per_s=math.fsum(rates) / len(rates),
            agents_per_s_ci95=bounds(interval, 1),
            bytes_per_agent=math.fsum(sizes) / len(sizes) if any(sizes) else None,
            ci_method=method(interval, len(rates)),
        )
        return Digest(changed, None)

    def each(self, run: RunFolder, configuration: Configuration, repetition: Repetition) -> Each | None:
        """Return how many agents there were per second."""
        del configuration
        data = run.raw(repetition, raw.Creations)
        seconds = float(data.seconds.sum())
        return Each(agents_per_s=int(data.agents.sum()) / seconds) if seconds else None


CREATIONS = Creations()
