"""Rows of `service/mediated`: the time of all rounds, and the memory of the process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.service import GREW, MESSAGES, ROUNDS
from formicary_bench.results.store import raw
from formicary_bench.results.summary.declared import Summary
from formicary_bench.results.summary.each import reading
from formicary_bench.vocabulary.metrics import HOLDS, TOTAL

if TYPE_CHECKING:
    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Reading
    from formicary_bench.vocabulary.configuration import Configuration

_MESSAGES = 6
"""Messages of a round: one to each of the three servers, and their answers."""


def _read(run: RunFolder, _: Configuration, repetition: Repetition) -> Reading | None:
    """Read the times of rounds; None if there were none."""
    data = run.raw(repetition, raw.Creations)
    rounds, seconds = int(data.agents.sum()), float(data.seconds.sum())
    if not rounds or not seconds:
        return None
    held = data.bytes.tolist()
    is_known = bool(held[-1])  # not known of other platforms
    return reading(
        {
            ROUNDS: rounds / seconds,
            TOTAL: seconds,
            MESSAGES: _MESSAGES * rounds / seconds,
            HOLDS: float(held[-1]) if is_known else None,
            GREW: float(held[-1] - held[0]) if is_known else None,
        }
    )


SUMMARY = Summary(raw="create", read=_read, compared_by=(ROUNDS,))
