"""How rows are made of what processes hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.memory.summary import judged, memory_estimates
from formicary_bench.results.store.raw import Holdings
from formicary_bench.results.summary.declared import Summary
from formicary_bench.results.summary.row import NO_INTERVAL, OVER_REPETITIONS, Digest, frame
from formicary_bench.results.verdicts.verdicts import believed

if TYPE_CHECKING:
    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.vocabulary.configuration import Configuration


class Memory(Summary):
    """Of what processes hold: neither times nor rates that runs are compared by."""

    raw = "memory"
    is_compared = False

    def digest(self, run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
        """Compute the row of what processes hold."""
        found = memory_estimates([run.raw(repetition, Holdings) for repetition in repetitions])
        row = msgspec.structs.replace(
            frame(configuration, repetitions),
            memory=found,
            stability=believed(judged(found, configuration.seconds)) if found else (),
            ci_method=OVER_REPETITIONS if len(repetitions) > 1 else NO_INTERVAL,
        )
        return Digest(row, None)


SUMMARY = Memory()
