"""A row: the figures of one configuration, and what reports show with them."""

# ruff: noqa: TC001 - msgspec resolves the annotations

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec

from formicary.core.quoting import printable_json
from formicary_bench.results.summary.baselines import Warmth, warmth_of
from formicary_bench.results.summary.cpu import CpuEstimates
from formicary_bench.results.summary.each import Each, Record, counting, samples_of
from formicary_bench.results.summary.hosts import MACHINES, HostEstimates
from formicary_bench.results.summary.warm_up import WarmUpLeftOut
from formicary_bench.results.verdicts.trust import Trust
from formicary_bench.results.verdicts.verdicts import Believed, Compared, stability_of
from formicary_bench.statistics.estimates import Estimate, mean_estimate
from formicary_bench.vocabulary.names import family_of
from formicary_bench.vocabulary.parameters.shared import ROUNDS, Exchange

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from formicary.profiling.model.profile import Profile
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Reading
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.metrics import Metric

OVER_REPETITIONS = "repetitions"
BATCH_MEANS = "batch-means"
BOOTSTRAP = "bootstrap"
NO_INTERVAL = "none"
"""How the intervals of a row were computed (its `ci_method`); see `statistics.intervals`."""

Bounds = tuple[float, float]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one configuration. What does not apply to it, or is not known, is missing or None.

    Attributes:
        experiment: As in the configuration, as are platform, kind, placement, route, tls, hosts, traffic,
            spread and profiled.
        parameters: As in the configuration: its sizes, by name.
        repetitions: The number of repetitions.
        ci_method: How the intervals of means were made: over `repetitions`, by `batch-means` within one, or
            `none`.
        percentile_ci_method: How those of the median and of percentiles were made: by `bootstrap` of the
            repetitions, or, where there are fewer than five, over the `repetitions`' medians, which
            percentiles have not; else `none`.
        full_load: Whether every repetition held full load.
        lost: Messages that were never answered, in all repetitions.
        round_trips: Measured round trips (T2) of all repetitions.
        figures: The estimates with their 95% bounds, by the names of their metrics. They are of the
            repetitions that held full load, or of all where none did: those of means over the repetitions,
            percentiles of all together; `rtt_mean_papers_us` has the bounds of
            the mean as the papers make them, of all round trips as if they were independent: too narrow, and
            only for comparison with theirs.
        records: What repetitions measured in several steps, a record for each, with the repetition's number.
        cpu: Where the CPU time goes, if it was profiled.
        warmth: Of another platform with a driver, whether it was warm when it was measured, and its figures
            while it was cold.
        by_host: The figures of each host, if there were several.
        machines: The number of machines that the hosts are, which may be namespaces of one; 0 if unknown.
        warm_up: What was left out as warm-up; None if there is none.
        each: The figures of each repetition, in the order in which they were measured.
        stability: How reliable each figure is, and the next step if it is not.
        compared: How its figures compare to those of other platforms in the same run.
        partial: Whether its run is partial: interrupted, still running, or with failed repetitions.
        trust: How far its run can be trusted.
        run_hash: The hash of its run; see `results.store.hashing`.
        notes: Further sentences for readers.
        invalid: Why the figures say nothing about what was to be measured, in sentences without full stop;
            empty where they do.
    """

    experiment: str
    platform: str
    kind: str
    placement: str
    route: str
    repetitions: int
    tls: bool = False
    hosts: int = 0
    traffic: str = ""
    spread: str = ""
    profiled: bool = False
    parameters: dict[str, Any] = {}
    ci_method: str = NO_INTERVAL
    percentile_ci_method: str = NO_INTERVAL
    full_load: bool | None = None
    lost: int = 0
    round_trips: int = 0
    figures: dict[str, Estimate] = {}
    records: tuple[Record, ...] = ()
    cpu: CpuEstimates | None = None
    warmth: Warmth | None = None
    by_host: tuple[HostEstimates, ...] = ()
    machines: int = 0
    warm_up: WarmUpLeftOut | None = None
    each: tuple[Each, ...] = ()
    stability: tuple[Believed, ...] = ()
    compared: tuple[Compared, ...] = ()
    partial: bool = False
    trust: Trust | None = None
    run_hash: str = ""
    notes: tuple[str, ...] = ()
    invalid: tuple[str, ...] = ()

    def __hash__(self) -> int:
        """Equal rows are of equal configurations."""
        return hash(self.anchor)

    @property
    def family(self) -> str:
        """Its experiment's family: the part of the name before the slash."""
        return family_of(self.experiment)

    @property
    def exchange(self) -> Exchange:
        return Exchange.of(self)

    @property
    def sizes(self) -> tuple[tuple[str, Any], ...]:
        """Its sizes, without round trips, whose numbers may differ between subjects."""
        return tuple(sorted((k, v) for k, v in self.parameters.items() if v and k != ROUNDS.attribute))

    @property
    def anchor(self) -> str:
        """A short name for links, the same for equal configurations in all reports."""
        where = self.placement, self.route, self.tls, self.hosts, self.traffic, self.spread, self.profiled
        known = repr((self.experiment, self.platform, self.kind, *where, *self.sizes))
        return f"f-{sha256(known.encode()).hexdigest()[:8]}"

    def size(self, name: str) -> Any:
        """Return a size by the name of its field; 0 if it does not apply."""
        return self.parameters.get(name, 0)

    def estimate(self, metric: Metric) -> Estimate | None:
        """Return a figure; None where it is not known."""
        return self.figures.get(metric.name)

    def mean(self, metric: Metric) -> float | None:
        found = self.figures.get(metric.name)
        return None if found is None else found.mean

    def bounds(self, metric: Metric) -> Bounds | None:
        """Return the bounds of a figure; None where it has none."""
        found = self.figures.get(metric.name)
        return None if found is None else found.ci95

    def to_json_line(self) -> str:
        return printable_json(msgspec.json.encode(self).decode())


class Tail(msgspec.Struct, frozen=True):
    """A distribution: below `values_us[i]` lies the part `probabilities[i]` of all round trips."""

    probabilities: tuple[float, ...]
    values_us: tuple[float, ...]


class Digest(msgspec.Struct, frozen=True):
    """All that reports show of a configuration: its row, its distribution's tail, its processes' profiles."""

    row: Row
    tail: Tail | None
    profiles: dict[str, Profile] | None = None


def frame(configuration: Configuration, repetitions: Sequence[Repetition]) -> Row:
    """Return a row that has no figures yet."""
    notes = dict.fromkeys(note for repetition in repetitions for note in repetition.notes)
    return Row(
        experiment=configuration.experiment,
        platform=configuration.platform,
        kind=configuration.kind,
        placement=configuration.placement,
        route=configuration.route,
        tls=configuration.tls,
        hosts=configuration.hosts,
        traffic=configuration.traffic,
        spread=configuration.spread,
        profiled=configuration.profiled,
        parameters=configuration.parameters,
        warmth=warmth_of(repetitions),
        repetitions=len(repetitions),
        lost=sum(repetition.lost for repetition in repetitions),
        machines=int(min((repetition.counters.get(MACHINES, 0) for repetition in repetitions), default=0)),
        notes=tuple(notes),
    )


def with_figures(row: Row, found: Mapping[int, Reading]) -> Row:
    """Return a row with estimates from its repetitions."""
    each = tuple(one.each for one in found.values())
    figures = {name: mean_estimate(values) for name, values in samples_of(counting(each)).items()}
    method = OVER_REPETITIONS if len(found) > 1 else NO_INTERVAL
    if len(found) == 1:
        (alone,) = found.values()
        for name, interval in alone.within.items():
            figures[name] = Estimate(figures[name].mean, (interval.low, interval.high))
            method = BATCH_MEANS
    return msgspec.structs.replace(
        row,
        each=each,
        figures=figures,
        records=tuple({"repetition": n, **record} for n, one in found.items() for record in one.records),
        stability=stability_of(row.experiment, each),
        ci_method=method,
    )
