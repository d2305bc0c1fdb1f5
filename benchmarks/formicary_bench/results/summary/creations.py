"""The figures of a configuration that creates agents, or has them come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.results.store import raw
from formicary_bench.results.summary.declared import Summary
from formicary_bench.results.summary.each import reading
from formicary_bench.statistics.intervals import ratio_interval
from formicary_bench.vocabulary.metrics import CREATION, EACH_HOLDS

if TYPE_CHECKING:
    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Reading
    from formicary_bench.vocabulary.configuration import Configuration


def _read(run: RunFolder, _: Configuration, repetition: Repetition) -> Reading | None:
    """Read the batches of agents of a repetition."""
    data = run.raw(repetition, raw.Creations)
    agents, seconds = int(data.agents.sum()), float(data.seconds.sum())
    if not agents or not seconds:
        return None
    return reading(
        {CREATION: agents / seconds, EACH_HOLDS: int(data.bytes.sum()) / agents or None},
        within={CREATION: ratio_interval(data.agents.tolist(), data.seconds.tolist())},
    )


CREATIONS = Summary(raw="create", read=_read)
