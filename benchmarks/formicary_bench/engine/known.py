"""How long repetitions took in earlier runs on this machine, for forecasts."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING

from formicary.errors import FormicaryError
from formicary_bench.results.folder import MANIFEST, RunFolder

if TYPE_CHECKING:
    from pathlib import Path

    from formicary_bench.results.model import Manifest, Repetition

_RUNS = 10  # the latest


def duration(repetition: Repetition) -> float:
    """Return how many seconds a repetition has taken."""
    return max((repetition.ended - repetition.started).total_seconds(), 0.0)


def earlier_durations(run: Path, manifest: Manifest) -> dict[str, float]:
    """Return the seconds of a repetition of each configuration in the runs beside a new one.

    A run that cannot be read, or is of another machine, says nothing.

    Args:
        run: the new run's folder.
        manifest: what is known of it.
    """
    found: dict[str, list[float]] = defaultdict(list)
    beside = sorted(run.parent.glob(f"*/{MANIFEST}"), reverse=True)  # their names begin with the time
    for path in [path.parent for path in beside if path.parent != run][:_RUNS]:
        try:
            other = RunFolder.open(path).manifest
        except FormicaryError:
            continue
        if other.machine.host == manifest.machine.host and other.machine.cpu == manifest.machine.cpu:
            for one in other.repetitions:
                found[one.configuration].append(duration(one))
    return {key: fmean(seconds) for key, seconds in found.items()}
