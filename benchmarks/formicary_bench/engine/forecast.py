"""How long what is left of a run takes: from what was measured, and before that from rough rates. Pure."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from statistics import fmean, median
from typing import TYPE_CHECKING

from formicary_bench.engine.rough import rough_seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from formicary_bench.results.model import Configuration

_FRESH = 20  # repetitions of a configuration that count: a machine that has become slower stays so


class Forecast:
    """What is left of a run, in seconds.

    A configuration that was measured takes as long as it did. One that was not takes what it took in an
    earlier run, or else a rough estimate, times what those like it took more than theirs: other sizes of the
    same, else others of the same way, else all.

    Args:
        order: what is measured, once for each repetition.
        earlier: seconds of a repetition in earlier runs on this machine, by the configurations' keys.
    """

    def __init__(self, order: Iterable[Configuration], earlier: Mapping[str, float] | None = None) -> None:
        self._left = Counter(order)
        known = earlier or {}
        self._expected = {one: known.get(one.key) or rough_seconds(one) for one in self._left}
        self._took: dict[Configuration, list[float]] = defaultdict(list)

    def measured(self, configuration: Configuration, seconds: float) -> None:
        """Learn how long a repetition has taken, with all that belongs to it."""
        self._took[configuration].append(seconds)
        self._left[configuration] -= 1

    def seconds(self, configuration: Configuration) -> float:
        """Return how long a repetition is thought to take."""
        return self._seconds(configuration, self._ratios())

    def remaining(self) -> float:
        """Return how long all that is left takes."""
        ratios = self._ratios()
        return math.fsum(
            many * self._seconds(configuration, ratios)
            for configuration, many in self._left.items()
            if many > 0
        )

    def _seconds(self, configuration: Configuration, ratios: Mapping[tuple[object, ...], float]) -> float:
        if took := self._took.get(configuration):
            return fmean(took[-_FRESH:])
        known = (ratios[kin] for kin in _kin(configuration) if kin in ratios)
        return self._expected[configuration] * next(known, 1.0)

    def _ratios(self) -> dict[tuple[object, ...], float]:
        """Return how many times longer than expected it took, for each kind of relation."""
        found: dict[tuple[object, ...], list[float]] = defaultdict(list)
        for configuration, took in self._took.items():
            ratio = fmean(took[-_FRESH:]) / self._expected[configuration]
            for kin in _kin(configuration):
                found[kin].append(ratio)
        return {kin: median(ratios) for kin, ratios in found.items()}


def _kin(one: Configuration) -> tuple[tuple[object, ...], ...]:
    """Return who is like a configuration, the most like ones first."""
    whole = bool(one.profiled or one.reference)
    way = (one.placement, one.hosts, one.route, one.tls, whole)
    return (
        (one.experiment, one.platform, one.kind, *way),
        (one.family, one.platform, one.kind, *way),
        (one.family, one.placement, whole),
        (),
    )


def in_words(seconds: float) -> str:
    """Say a duration as roughly as a forecast is meant."""
    if seconds < 1:
        return "less than a second"
    for size, name, most in ((1, "second", 90), (60, "minute", 90), (3600, "hour", 48)):
        many = round(seconds / size)
        if many < most:
            return f"{many} {name}{'s' * (many != 1)}"
    return f"{round(seconds / 86_400)} days"
