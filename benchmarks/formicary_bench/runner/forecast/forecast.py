"""How long the rest of a run takes: from repetitions so far, and before that from default durations. Pure.

A repetition takes time to begin and end, and time for its work. `default_duration` returns both for some
machine; how much this machine differs is fitted to repetitions so far and in earlier runs.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from formicary.core.files import replacing, user_cache
from formicary.core.private import make_private_folder
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.runner.forecast.default_durations import default_duration
from formicary_bench.vocabulary.configuration import Configuration  # noqa: TC001 - msgspec resolves it

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from formicary_bench.results.store.model import Machine, Repetition
    from formicary_bench.runner.forecast.default_durations import DefaultDuration


REPORT_SECONDS = 0.03
"""Seconds per repetition to read its values again, and to draw them."""

_FRESH = 20  # repetitions of a configuration that count: a machine that has become slower stays so
_SHORTEST = 1e-3  # seconds

# How sure it is, before anything is measured, that something takes as long as others of its kind: to begin,
# since processes are processes; its work much less so. As many measurements say as much.
_SURE_TO_BEGIN, _SURE_OF_WORK = 0.3, 0.01
_SURE_OF_THE_PAST = 1.0

# Expected work that is at most so many times as long as beginning says nothing of the work: on a slow machine
# processes alone would make it seem long, and a larger configuration hours long.
_LOST_IN_BEGINNING = 3.0


class Factors(NamedTuple):
    """The ratios of durations here to the defaults.

    Attributes:
        begin: to begin and to end.
        work: what lies between.
    """

    begin: float = 1.0
    work: float = 1.0

    def seconds(self, expected: DefaultDuration) -> float:
        """Return how long it takes here."""
        return self.begin * expected.begin + self.work * expected.work


@dataclass
class _Fit:
    """Sums over repetitions of one kind, from which its factors follow by least squares.

    Relative errors are minimised, so that short repetitions count as much as long ones.
    """

    begin_begin: float = 0.0
    begin_work: float = 0.0
    work_work: float = 0.0
    begin: float = 0.0
    work: float = 0.0

    def add(self, expected: DefaultDuration, took: float, weight: float) -> None:
        begin, work = expected.begin / took, expected.work / took
        if expected.work <= _LOST_IN_BEGINNING * expected.begin:
            work = 0.0
        self.begin_begin += weight * begin * begin
        self.begin_work += weight * begin * work
        self.work_work += weight * work * work
        self.begin += weight * begin
        self.work += weight * work

    def factors(self, prior: Factors) -> Factors:
        """Return the best fit; with little data, close to that of a wider kind."""
        sure, sure_of_work = _SURE_TO_BEGIN / prior.begin**2, _SURE_OF_WORK / prior.work**2
        one, two = self.begin_begin + sure, self.work_work + sure_of_work
        right = self.begin + sure * prior.begin
        right_of_work = self.work + sure_of_work * prior.work
        determinant = one * two - self.begin_work**2
        begin = (right * two - right_of_work * self.begin_work) / determinant
        work = (right_of_work * one - right * self.begin_work) / determinant
        # Noise may make one of them negative at the cost of the other.
        return Factors(max(begin, prior.begin / 10), max(work, prior.work / 100))


class Forecast:
    """The rest of a run, in seconds.

    A configuration takes as long as its repetitions so far; before these, as long as in an earlier run,
    scaled by how much longer others now take; or else as fitted to those like it.

    Args:
        order: the configuration of each repetition.
        earlier: seconds of a repetition in earlier runs on this machine.

    Attributes:
        took: seconds of all repetitions that were measured.
    """

    def __init__(
        self, order: Iterable[Configuration], earlier: Mapping[Configuration, float] | None = None
    ) -> None:
        self._left = Counter(order)
        self._report = REPORT_SECONDS * self._left.total()
        self._earlier = dict(earlier or {})
        self._defaults = {one: default_duration(one) for one in (*self._left, *self._earlier)}
        self.took: dict[Configuration, list[float]] = defaultdict(list)
        self._fits: dict[Hashable, _Fit] = defaultdict(_Fit)
        for one, seconds in self._earlier.items():
            self._learn(one, seconds)

    def measured(self, configuration: Configuration, seconds: float) -> None:
        """Called with the duration of a repetition, including all attempts and the writing of its values."""
        if not self.took[configuration]:
            self._learn(configuration, seconds)
        self.took[configuration].append(seconds)
        self._left[configuration] -= 1

    def seconds(self, configuration: Configuration) -> float:
        return self._seconds(configuration, self._since(), {})

    def remaining(self) -> float:
        """Return the expected seconds of the rest of the run, with the report."""
        since = self._since()
        fitted: dict[Hashable, Factors] = {}
        left = (many * self._seconds(one, since, fitted) for one, many in self._left.items() if many > 0)
        return math.fsum(left) + self._report

    def _learn(self, configuration: Configuration, seconds: float) -> None:
        took = max(seconds, _SHORTEST)
        for kind in kinds(configuration):
            self._fits[kind].add(self._defaults[configuration], took, 1.0)

    def _since(self) -> float:
        """Return the ratio of durations now to those in earlier runs."""
        both = [
            math.log(max(fmean(took), _SHORTEST) / max(self._earlier[one], _SHORTEST))
            for one, took in self.took.items()
            if one in self._earlier
        ]
        return math.exp(math.fsum(both) / (len(both) + _SURE_OF_THE_PAST))

    def _seconds(self, one: Configuration, since: float, fitted: dict[Hashable, Factors]) -> float:
        if took := self.took.get(one):
            return fmean(took[-_FRESH:])
        if one in self._earlier:
            return self._earlier[one] * since
        return self._factors(kinds(one), fitted).seconds(self._defaults[one])

    def _factors(self, kin: tuple[Hashable, ...], fitted: dict[Hashable, Factors]) -> Factors:
        """Return the factors of the narrowest kind that has any."""
        factors = Factors()
        for kind in kin:
            if kind in self._fits:
                if kind not in fitted:
                    fitted[kind] = self._fits[kind].factors(factors)
                factors = fitted[kind]
        return factors


def kinds(one: Configuration) -> tuple[Hashable, ...]:
    """Return the kinds of a configuration, the widest first."""
    whole = bool(one.profiled), bool(one.reference)
    way = (one.platform, one.kind, one.placement, one.hosts, one.route, one.tls, *whole)
    return ((), (one.family, one.placement, *whole), (one.family, *way), (one.experiment, *way))


def in_words(seconds: float) -> str:
    """Return a duration in words, rounded."""
    if seconds < 1:
        return "less than a second"
    for size, name, most in ((1, "second", 90), (60, "minute", 90), (3600, "hour", 48)):
        many = round(seconds / size)
        if many < most:
            return f"{many} {name}{'s' * (many != 1)}"
    return f"{round(seconds / 86_400)} days"


_FORMAT = 2
_MOST = 3000  # configurations that are remembered
_LARGEST = 10_000_000  # bytes


class _Took(msgspec.Struct, frozen=True, array_like=True):
    configuration: Configuration
    seconds: float


class _History(msgspec.Struct, frozen=True):
    """The content of the file: for one machine, the latest measurements last."""

    version: int
    machine: tuple[str, ...]
    took: list[_Took] = []


def duration(repetition: Repetition) -> float:
    """Return how many seconds a repetition has taken."""
    return max((repetition.ended - repetition.started).total_seconds(), 0.0)


def earlier_durations(machine: Machine) -> dict[Configuration, float]:
    """Return the seconds of a repetition of each configuration in earlier runs on this machine.

    It is empty if the file is missing, unreadable, or from another machine: a home may be shared.
    """
    path = user_cache() / "durations.json"
    with suppress(OSError, msgspec.MsgspecError):
        if path.stat().st_size <= _LARGEST:
            known = msgspec.json.decode(path.read_bytes(), type=_History)
            if (known.version, known.machine) == (_FORMAT, _which(machine)):
                return {one.configuration: one.seconds for one in known.took if _is_known(one)}
    return {}


def remember(machine: Machine, took: Mapping[Configuration, Iterable[float]]) -> None:
    """Save how long repetitions have taken.

    A cache that cannot be written is ignored: forecasts then know less.
    """
    found = earlier_durations(machine)
    for configuration, seconds in took.items():
        found.pop(configuration, None)  # what is new comes last
        found[configuration] = median(seconds)  # one that was measured again took several times as long
    newest = [_Took(one, round(seconds, 3)) for one, seconds in found.items()][-_MOST:]
    path = user_cache() / "durations.json"
    with suppress(OSError):
        make_private_folder(path.parent)
        with replacing(path) as temporary:
            temporary.write_bytes(msgspec.json.encode(_History(_FORMAT, _which(machine), newest)))


def _is_known(took: _Took) -> bool:
    """Return whether this version can measure it; another version may have other experiments."""
    return took.seconds > 0 and took.configuration.experiment in EXPERIMENTS


def _which(machine: Machine) -> tuple[str, ...]:
    return machine.host, machine.cpu, machine.python, str(machine.usable)
