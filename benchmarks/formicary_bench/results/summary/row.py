"""A row: the figures of one configuration, and what reports show beside them."""

# ruff: noqa: TC001 - msgspec resolves the annotations

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from formicary.core.quoting import printable_json
from formicary_bench.results.summary.cpu import CpuEstimates
from formicary_bench.results.summary.each import Each
from formicary_bench.results.summary.estimates import (
    ComputeEstimates,
    LoopEstimates,
    MemoryEstimates,
    NetworkEstimates,
    SaturationEstimates,
    ScaleEstimates,
    ServiceEstimates,
    SwapEstimates,
)
from formicary_bench.results.summary.hosts import HostEstimates
from formicary_bench.results.summary.warm_up import WarmUpLeftOut
from formicary_bench.results.summary.warmth import Warmth, warmth_of
from formicary_bench.results.verdicts.trust import Trust
from formicary_bench.results.verdicts.verdicts import Believed, Compared
from formicary_bench.vocabulary.arrivals import LATE, LATEST_US
from formicary_bench.vocabulary.names import family_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.profiling.model.profile import Profile
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.statistics.intervals import Interval
    from formicary_bench.vocabulary.configuration import Configuration

OVER_REPETITIONS = "repetitions"
BATCH_MEANS = "batch-means"
BOOTSTRAP = "bootstrap"
NO_INTERVAL = "none"
"""How the intervals of a row were computed (its `ci_method`); see `statistics.intervals`."""

Bounds = tuple[float, float]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one configuration. What does not apply to it, or is not known, is None.

    Attributes:
        experiment: As in the configuration, as are platform, kind, placement, route, tls, pairs, senders,
            payload_bytes, agents, services, containers, hosts, traffic and spread.
        repetitions: How many there were.
        ci_method: How the intervals were made: over `repetitions`, by `batch-means` within one, or `none`.
        full_load: Whether every repetition held full load.
        lost: Messages that were never answered, in all repetitions.
        round_trips: Measured round trips (T2) of all repetitions.
        rtt_mean_us: Mean round-trip time in microseconds, or that of a use of the directory, with its 95%
            bounds `rtt_ci95_us`.
        rtt_min_us: Fastest, as are `rtt_p50_us`, `rtt_p90_us`, `rtt_p99_us`, `rtt_p999_us`, `rtt_max_us`
            the percentiles of all repetitions together.
        rtt_ci95_papers_us: The 95% bounds of the mean as the papers make them, of all round trips as if they
            were independent: too narrow, and there to be held against theirs alone.
        rtt_p50_ci95_us: The 95% bounds of the median, as are `rtt_p90_ci95_us`, `rtt_p99_ci95_us` and
            `rtt_p999_ci95_us` of the percentiles.
        percentile_ci_method: How these were made: by `bootstrap` of the repetitions, or, where there are
            fewer than five, over the `repetitions`' medians, which percentiles have not; else `none`.
        warm_up: What was left out as warm-up; None where there is none.
        round_trips_per_s: Rate of all pairs together while all of them are in T2, with its 95% bounds.
        total_s: Time from the first pair's begin of T2 to the last one's end of it, in seconds, with its 95%
            bounds; that of all rounds in `service/mediated`. Elsewhere nothing is about it.
        agents_per_s: Agents created and started per second, or registered, with its 95% bounds.
        bytes_per_agent: Memory that each of them holds.
        seconds: As in the configuration.
        rate: As in the configuration, as are `arrivals`.
        requests: As in the configuration, as are `mix`, `database` and `delay_us`.
        late_sends: Measured messages that an open loop sent late, in all repetitions.
        latest_send_us: How late the latest of them was, in microseconds.
        memory: The figures of `memory`.
        loop: As in the configuration, as is `way`.
        loops: The figures of `mobile/...`, by the size of loops.
        service: The figures of `service/mediated`, besides `total_s` and rounds in the place of round trips.
        dimension: As in the configuration, as is `swaps`.
        swapped: The figures of `grid/swap`, whose requests per second are `round_trips_per_s`.
        echoes: As in the configuration, as are `cores`.
        computed: The figures of `compute/...`.
        saturation: The figures of `messaging/saturation`, whose rate is `round_trips_per_s` as well.
        network: The figures of `network`.
        scale: The figures of `messaging/scale-out`.
        profiled: As in the configuration.
        cpu: Where the CPU time goes, where that was looked at.
        warmth: Of another platform with a driver, whether it was warm when it was measured, and its figures
            while it was cold.
        by_host: What each host did, where there were several.
        each: The figures of each repetition, in the order in which they were measured.
        stability: How far each figure can be believed, and what to do next if not.
        compared: How its figures compare to those of other platforms in the same run.
        partial: Whether its run is: interrupted, still going on, or part of it failed.
        trust: How far its run can be trusted.
        run_hash: That of its run; see `results.store.hashing`.
        notes: What else a reader should know, in sentences.
        invalid: Why the figures say nothing about what was to be measured, in sentences without full stop;
            empty where they do.
    """

    experiment: str
    platform: str
    kind: str
    placement: str
    route: str
    pairs: int
    senders: int
    payload_bytes: int
    agents: int
    repetitions: int
    tls: bool = False
    services: int = 0
    containers: int = 0
    hosts: int = 0
    traffic: str = ""
    spread: str = ""
    ci_method: str = NO_INTERVAL
    full_load: bool | None = None
    lost: int = 0
    round_trips: int = 0
    rtt_mean_us: float | None = None
    rtt_ci95_us: Bounds | None = None
    rtt_min_us: float | None = None
    rtt_ci95_papers_us: Bounds | None = None
    rtt_p50_us: float | None = None
    rtt_p50_ci95_us: Bounds | None = None
    rtt_p90_us: float | None = None
    rtt_p90_ci95_us: Bounds | None = None
    rtt_p99_us: float | None = None
    rtt_p99_ci95_us: Bounds | None = None
    rtt_p999_us: float | None = None
    rtt_p999_ci95_us: Bounds | None = None
    percentile_ci_method: str = NO_INTERVAL
    rtt_max_us: float | None = None
    round_trips_per_s: float | None = None
    round_trips_per_s_ci95: Bounds | None = None
    total_s: float | None = None
    total_s_ci95: Bounds | None = None
    agents_per_s: float | None = None
    agents_per_s_ci95: Bounds | None = None
    bytes_per_agent: float | None = None
    seconds: int = 0
    rate: int = 0
    arrivals: str = ""
    requests: int = 0
    mix: str = ""
    database: str = ""
    delay_us: int = 0
    late_sends: int = 0
    latest_send_us: float = 0.0
    memory: MemoryEstimates | None = None
    loop: int = 0
    way: str = ""
    loops: LoopEstimates | None = None
    service: ServiceEstimates | None = None
    dimension: int = 0
    swaps: int = 0
    swapped: SwapEstimates | None = None
    echoes: int = 0
    cores: int = 0
    computed: ComputeEstimates | None = None
    saturation: SaturationEstimates | None = None
    network: NetworkEstimates | None = None
    scale: ScaleEstimates | None = None
    profiled: bool = False
    cpu: CpuEstimates | None = None
    warmth: Warmth | None = None
    by_host: tuple[HostEstimates, ...] = ()
    warm_up: WarmUpLeftOut | None = None
    each: tuple[Each, ...] = ()
    stability: tuple[Believed, ...] = ()
    compared: tuple[Compared, ...] = ()
    partial: bool = False
    trust: Trust | None = None
    run_hash: str = ""
    notes: tuple[str, ...] = ()
    invalid: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """What kind of experiment it is from: what stands before the stroke of its name."""
        return family_of(self.experiment)

    @property
    def anchor(self) -> str:
        """A short name that rows of equal configurations have in all reports, for links."""
        where = self.placement, self.route, self.tls, self.hosts, self.traffic, self.spread
        size = self.pairs, self.senders, self.payload_bytes, self.agents, self.services, self.containers
        paced = self.seconds, self.rate, self.arrivals, self.profiled
        # Others keep the name they had.
        asked = (self.requests, self.mix, self.database, self.delay_us) if self.requests else ()
        looped = (self.loop, self.way) if self.loop else ()
        swapped = (self.dimension, self.swaps) if self.dimension else ()
        kept = (self.cores, self.echoes) if self.cores or self.echoes else ()
        own = *asked, *looped, *swapped, *kept
        known = repr((self.experiment, self.platform, self.kind, *where, *size, *paced, *own))
        return f"f-{sha256(known.encode()).hexdigest()[:8]}"

    def to_json_line(self) -> str:
        """Return the row as one line of JSON, without its end of line."""
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
        route=configuration.named_route,
        tls=configuration.tls,
        pairs=configuration.pairs,
        senders=configuration.load,
        payload_bytes=configuration.payload_bytes,
        agents=configuration.agents,
        services=configuration.services,
        containers=configuration.containers,
        hosts=configuration.hosts,
        traffic=configuration.traffic,
        spread=configuration.spread,
        seconds=configuration.seconds,
        rate=configuration.rate,
        loop=configuration.loop,
        way=configuration.way,
        dimension=configuration.dimension,
        swaps=configuration.swaps,
        echoes=configuration.echoes,
        cores=configuration.cores,
        arrivals=configuration.arrivals,
        requests=configuration.requests,
        mix=configuration.mix,
        database=configuration.database,
        delay_us=configuration.delay_us,
        late_sends=round(sum(repetition.counters.get(LATE, 0.0) for repetition in repetitions)),
        latest_send_us=max((r.counters.get(LATEST_US, 0.0) for r in repetitions), default=0.0),
        profiled=configuration.profiled,
        warmth=warmth_of(repetitions),
        repetitions=len(repetitions),
        lost=sum(repetition.lost for repetition in repetitions),
        notes=tuple(notes),
    )


def method(interval: Interval | None, repetitions: int) -> str:
    """Say how the interval of a mean was made (`ci_method`)."""
    if interval is None:
        return NO_INTERVAL
    return OVER_REPETITIONS if repetitions > 1 else BATCH_MEANS


def bounds(interval: Interval | None, scale: float) -> Bounds | None:
    """Return the bounds of an interval in another unit."""
    return (interval.low * scale, interval.high * scale) if interval else None
