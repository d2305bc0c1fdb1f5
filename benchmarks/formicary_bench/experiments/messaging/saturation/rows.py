"""How rows are made of searches for the highest rate: those that are kept, and all that were tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.messaging.saturation import HIGHEST, MISSED, TRIES
from formicary_bench.results.store.raw import Trials
from formicary_bench.results.summary.declared import Summary
from formicary_bench.results.summary.each import reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Reading, Record
    from formicary_bench.vocabulary.configuration import Configuration


def highest_kept(trials: Sequence[Record]) -> int:
    """Return the highest rate that was kept below all that were missed; 0 if there is none."""
    missed = lowest_missed(trials)
    kept = (int(one["rate"]) for one in trials if one["kept"] and (not missed or one["rate"] < missed))
    return max(kept, default=0)


def lowest_missed(trials: Sequence[Record]) -> int:
    """Return the lowest rate that was not kept however often it was tried; 0 if there is none."""
    kept = {one["rate"] for one in trials if one["kept"]}
    return min((int(one["rate"]) for one in trials if one["rate"] not in kept), default=0)


def trials_of(data: Trials) -> list[Record]:
    """Return what came of each rate that one search tried.

    A record has the rate in messages per second; whether it was kept (99% were answered in time, and all
    were answered, by a sender that kept its schedule); within how many microseconds 99% were answered (0 if
    nothing was measured); how many messages were measured, how many of these were sent late, and how many
    were never answered.
    """
    rows = zip(data.rate, data.kept, data.p99_ns, data.answered, data.late, data.lost, strict=True)
    return [
        {
            "rate": int(rate),
            "kept": int(kept),
            "p99_us": int(p99_ns) / 1e3,
            "answered": int(answered),
            "late": int(late),
            "lost": int(lost),
        }
        for rate, kept, p99_ns, answered, late, lost in rows
    ]


def reading_of(trials: Sequence[Record]) -> Reading:
    """Return the figures of one search, and all that it tried."""
    values = {
        HIGHEST: float(highest_kept(trials)),
        MISSED: float(lowest_missed(trials)) or None,
        TRIES: float(len(trials)),
    }
    return reading(values, records=trials)


def _read(run: RunFolder, _: Configuration, repetition: Repetition) -> Reading:
    return reading_of(trials_of(run.raw(repetition, Trials)))


SUMMARY = Summary(raw="search", read=_read)
