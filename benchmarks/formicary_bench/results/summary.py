"""One row of figures per configuration, computed from the raw values.

What the engine noted in the manifest (rates, windows) is not used, so that a folder's figures can be checked
against its values; only that a repetition did not hold full load, which a log may tell and raw values not,
is believed as well.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.platforms.pacing import LATE, LATEST_US
from formicary_bench.results.cpu import CpuFigures, cpu_figures
from formicary_bench.results.exchanged import Measured, measure, rate_of
from formicary_bench.results.hosts import HostFigures, host_figures
from formicary_bench.results.memory import MemoryFigures, memory_figures
from formicary_bench.results.model import DIRECTORY, LOWER_BOUND, MEMORY, NETWORK, SCALE_OUT, family_of
from formicary_bench.results.network import NetworkFigures, network_figures
from formicary_bench.results.perturbation import losses
from formicary_bench.results.saturation import SaturationFigures, saturation_figures, trials_of
from formicary_bench.results.scale import ScaleFigures, scale_figures
from formicary_bench.results.verdicts import Believed, Compared, Each, stability_of, with_comparisons
from formicary_bench.results.warm_up import WarmUpLeftOut, left_out
from formicary_bench.statistics.bootstrap import percentile_intervals
from formicary_bench.statistics.intervals import (
    Interval,
    mean_interval,
    papers_interval,
    ratio_interval,
)
from formicary_bench.statistics.percentiles import percentiles, tail_probabilities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.profiling.model import Profile
    from formicary_bench.results.folder import RunFolder
    from formicary_bench.results.load import Load
    from formicary_bench.results.model import Configuration, Repetition

OVER_REPETITIONS = "repetitions"
BATCH_MEANS = "batch-means"
BOOTSTRAP = "bootstrap"
NO_INTERVAL = "none"
"""How the intervals of a row were computed (its `ci_method`); see `statistics.intervals`."""

Bounds = tuple[float, float]

_PERCENTILES = (0.5, 0.9, 0.99, 0.999)


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
            bounds; in `messaging/lower-bound` alone, which is about it.
        medians_us: The median of each repetition, and its rate in `rates_per_s`, for comparisons; those that
            did not hold full load are left out.
        agents_per_s: Agents created and started per second, or registered, with its 95% bounds.
        bytes_per_agent: Memory that each of them holds.
        seconds: As in the configuration.
        rate: As in the configuration, as are `arrivals`.
        late_sends: Measured messages that an open loop sent late, in all repetitions.
        latest_send_us: How late the latest of them was, in microseconds.
        memory: The figures of `memory`.
        saturation: The figures of `messaging/saturation`, whose rate is `round_trips_per_s` as well.
        network: The figures of `network`.
        scale: The figures of `messaging/scale-out`.
        profiled: As in the configuration.
        cpu: Where the CPU time goes, where that was looked at.
        by_host: What each host did, where there were several.
        each: The figures of each repetition, in the order in which they were measured.
        stability: How far each figure can be believed, and what to do next if not.
        compared: How its figures compare to those of other platforms in the same run.
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
    medians_us: tuple[float, ...] = ()
    rates_per_s: tuple[float, ...] = ()
    agents_per_s: float | None = None
    agents_per_s_ci95: Bounds | None = None
    bytes_per_agent: float | None = None
    seconds: int = 0
    rate: int = 0
    arrivals: str = ""
    late_sends: int = 0
    latest_send_us: float = 0.0
    memory: MemoryFigures | None = None
    saturation: SaturationFigures | None = None
    network: NetworkFigures | None = None
    scale: ScaleFigures | None = None
    profiled: bool = False
    cpu: CpuFigures | None = None
    by_host: tuple[HostFigures, ...] = ()
    warm_up: WarmUpLeftOut | None = None
    each: tuple[Each, ...] = ()
    stability: tuple[Believed, ...] = ()
    compared: tuple[Compared, ...] = ()
    notes: tuple[str, ...] = ()
    invalid: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """What kind of experiment it is from: what stands before the stroke of its name."""
        return family_of(self.experiment)

    def to_json_line(self) -> str:
        """Give the row as one line of JSON, without its end of line."""
        return msgspec.json.encode(self).decode()


class Tail(msgspec.Struct, frozen=True):
    """A distribution: below `values_us[i]` lies the part `probabilities[i]` of all round trips."""

    probabilities: tuple[float, ...]
    values_us: tuple[float, ...]


class Digest(msgspec.Struct, frozen=True):
    """All that reports show of a configuration: its row, its distribution's tail, its processes' profiles."""

    row: Row
    tail: Tail | None
    profiles: dict[str, Profile] | None = None


def summarise(run: RunFolder) -> list[Row]:
    """Give the rows of a run, in the order of its plan, of all that was measured at least once.

    Raises:
        UsageError: Raw values are missing or broken.
    """
    return [digest.row for digest in digests(run)]


def digests(run: RunFolder) -> list[Digest]:
    """Give the rows of a run with their distributions; see `summarise`.

    Only one configuration's values are in memory at a time.
    """
    found = [_validated(run, configuration, repetitions) for configuration, repetitions in _done(run)]
    compared = with_comparisons([digest.row for digest in found])
    return [msgspec.structs.replace(one, row=row) for one, row in zip(found, compared, strict=True)]


def _done(run: RunFolder) -> list[tuple[Configuration, list[Repetition]]]:
    """Give what was measured at least once, with its repetitions."""
    plan = {configuration.key: configuration for configuration in run.manifest.configurations}
    measured = [(c, run.manifest.repetitions_of(c)) for c in plan.values() if not c.reference]
    return [(c, repetitions) for c, repetitions in measured if repetitions]


def _validated(run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
    """Compute a row of the repetitions that are valid; of all, with the reasons, where none of them is."""
    valid = [one for one in repetitions if not one.invalid]
    used = valid or repetitions
    digest = _digest(run, configuration, used)
    reasons = tuple(dict.fromkeys(why for one in repetitions for why in one.invalid))
    notes = digest.row.notes
    if valid and reasons:
        many = len(repetitions) - len(valid)
        disturbed = f"{many} of {len(repetitions)} repetitions were not valid, and are left out"
        notes = (*notes, f"{disturbed}: {'; '.join(reasons)}")
    row = msgspec.structs.replace(
        digest.row, by_host=host_figures(used), notes=notes, invalid=() if valid else reasons
    )
    return msgspec.structs.replace(digest, row=row)


def _digest(run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
    if configuration.family == MEMORY:
        memory = memory_figures([run.holdings(repetition) for repetition in repetitions])
        method = OVER_REPETITIONS if len(repetitions) > 1 else NO_INTERVAL
        row = _frame(configuration, repetitions)
        return Digest(msgspec.structs.replace(row, memory=memory, ci_method=method), None)
    if configuration.limit_us:
        return _saturation(run, configuration, repetitions)
    make = _creation if configuration.agents else _messages
    digest = make(run, configuration, repetitions)
    if configuration.profiled:
        profiles = [run.profiles(repetition) for repetition in repetitions]
        cpu = cpu_figures(repetitions, profiles, losses(run, configuration, repetitions))
        return Digest(msgspec.structs.replace(digest.row, cpu=cpu), digest.tail, profiles[-1])
    if configuration.family != NETWORK:
        return digest
    network = network_figures(configuration, repetitions)
    return Digest(msgspec.structs.replace(digest.row, network=network), digest.tail)


def _saturation(run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
    """Compute the row of a search for the highest rate."""
    searches = [trials_of(run.trials(repetition), repetition.number) for repetition in repetitions]
    found = saturation_figures(configuration.limit_us, searches)
    row = msgspec.structs.replace(
        _frame(configuration, repetitions),
        saturation=found,
        round_trips_per_s=found.rate,
        round_trips_per_s_ci95=found.ci95,
        ci_method=OVER_REPETITIONS if found.ci95 else NO_INTERVAL,
    )
    return Digest(row, None)


def _messages(run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
    """Compute the row of a configuration that exchanges messages."""
    is_alone = len(repetitions) == 1
    found = [measure(run, configuration, repetition, is_alone=is_alone) for repetition in repetitions]
    known = [one for one in found if one is not None]
    row = _frame(configuration, repetitions)
    if not known:
        return Digest(row, None)
    loads = [one.load for one in known]
    row, tail = _with_times(row, known)
    each = tuple(one.each for one in known)
    warm_up = left_out(run, configuration, [one.cut for one in known])
    row = msgspec.structs.replace(row, warm_up=warm_up, each=each, stability=stability_of(each))
    if row.family == DIRECTORY:  # one agent, and between its uses there is what is not measured
        return Digest(row, tail)
    row = _with_rate(row, loads, known[0].rate)
    if configuration.rate:  # its load does not depend on who is ready first
        return Digest(row, tail)
    full = all(load.full for load in loads) and all(repetition.full_load for repetition in repetitions)
    row = _with_each(msgspec.structs.replace(row, full_load=full))
    if configuration.experiment == LOWER_BOUND:
        return Digest(_with_total(row, loads), tail)
    if configuration.experiment == SCALE_OUT:
        means = [one.mean_us for one in known]
        having = [one for one, figures in zip(repetitions, found, strict=True) if figures is not None]
        scale = scale_figures(configuration, having, [rate_of(load) for load in loads], means)
        row = msgspec.structs.replace(row, scale=scale)
    return Digest(row, tail)


def _with_times(row: Row, found: Sequence[Measured]) -> tuple[Row, Tail]:
    """Fill in what the round-trip times say."""
    import numpy as np

    means, times = [one.mean_us for one in found], [one.times for one in found]
    interval = mean_interval(means) or found[0].time
    pooled = times[0] if len(times) == 1 else np.concatenate(times)
    wanted = tail_probabilities(len(pooled))
    low, p50, p90, p99, p999, high, *curve = (
        value / 1e3 for value in percentiles(pooled, [0, *_PERCENTILES, 1, *wanted])
    )
    bounds, percentile_method = _percentile_bounds(found, (p50, p90, p99, p999))
    changed = msgspec.structs.replace(
        row,
        round_trips=len(pooled),
        rtt_mean_us=math.fsum(means) / len(means),
        rtt_ci95_us=_bounds(interval, 1),
        rtt_ci95_papers_us=_bounds(papers_interval(pooled), 1e-3),
        rtt_min_us=low,
        rtt_p50_us=p50,
        rtt_p50_ci95_us=bounds[0],
        rtt_p90_us=p90,
        rtt_p90_ci95_us=bounds[1],
        rtt_p99_us=p99,
        rtt_p99_ci95_us=bounds[2],
        rtt_p999_us=p999,
        rtt_p999_ci95_us=bounds[3],
        percentile_ci_method=percentile_method,
        rtt_max_us=high,
        ci_method=_method(interval, len(means)),
    )
    return changed, Tail(tuple(wanted), tuple(curve))


def _percentile_bounds(
    found: Sequence[Measured], known_us: tuple[float, float, float, float]
) -> tuple[list[Bounds | None], str]:
    """Give the bounds of the median and of three percentiles, and how they were made."""
    known = {p: value * 1e3 for p, value in zip(_PERCENTILES, known_us, strict=True)}
    intervals = percentile_intervals([one.times for one in found], known)
    if intervals is not None:
        return [_bounds(one, 1e-3) for one in intervals], BOOTSTRAP
    of_median = _bounds(mean_interval([one.median_us for one in found]), 1)
    return [of_median, None, None, None], OVER_REPETITIONS if of_median else NO_INTERVAL


def _with_rate(row: Row, loads: list[Load], alone: Interval | None) -> Row:
    """Fill in the rate; where pairs were never in T2 together it is taken over all of T2."""
    rates = [rate_of(load) for load in loads]
    known = [rate for rate in rates if rate is not None]
    if not known:
        return row
    return msgspec.structs.replace(
        row,
        round_trips_per_s=math.fsum(known) / len(known),
        round_trips_per_s_ci95=_bounds(mean_interval(known) or alone, 1),
    )


def _with_total(row: Row, loads: list[Load]) -> Row:
    """Fill in how long all round trips of T2 took."""
    totals = [load.elapsed_s for load in loads]
    mean = math.fsum(totals) / len(totals)
    return msgspec.structs.replace(row, total_s=mean, total_s_ci95=_bounds(mean_interval(totals), 1))


def _with_each(row: Row) -> Row:
    """Fill in what repetitions are compared by."""
    sound = [one for one in row.each if one.full_load]
    return msgspec.structs.replace(
        row,
        medians_us=tuple(one.median_us for one in sound if one.median_us is not None),
        rates_per_s=tuple(one.per_s for one in sound if one.per_s is not None),
    )


def _creation(run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
    """Compute the row of a configuration that creates agents."""
    rates, sizes = [], []
    alone: Interval | None = None
    for repetition in repetitions:
        data = run.creations(repetition)
        agents, seconds = int(data.agents.sum()), float(data.seconds.sum())
        if agents and seconds:
            rates.append(agents / seconds)
            sizes.append(int(data.bytes.sum()) / agents)
        if len(repetitions) == 1:
            alone = ratio_interval(data.agents.tolist(), data.seconds.tolist())
    row = _frame(configuration, repetitions)
    if not rates:
        return Digest(row, None)
    interval = mean_interval(rates) or alone
    each = tuple(Each(agents_per_s=rate) for rate in rates)
    changed = msgspec.structs.replace(
        row,
        each=each,
        stability=stability_of(each),
        agents_per_s=math.fsum(rates) / len(rates),
        agents_per_s_ci95=_bounds(interval, 1),
        bytes_per_agent=math.fsum(sizes) / len(sizes) if any(sizes) else None,
        ci_method=_method(interval, len(rates)),
    )
    return Digest(changed, None)


def _frame(configuration: Configuration, repetitions: list[Repetition]) -> Row:
    """Give a row without figures."""
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
        arrivals=configuration.arrivals,
        late_sends=round(sum(repetition.counters.get(LATE, 0.0) for repetition in repetitions)),
        latest_send_us=max((r.counters.get(LATEST_US, 0.0) for r in repetitions), default=0.0),
        profiled=configuration.profiled,
        repetitions=len(repetitions),
        lost=sum(repetition.lost for repetition in repetitions),
        notes=tuple(notes),
    )


def _method(interval: Interval | None, repetitions: int) -> str:
    if interval is None:
        return NO_INTERVAL
    return OVER_REPETITIONS if repetitions > 1 else BATCH_MEANS


def _bounds(interval: Interval | None, scale: float) -> Bounds | None:
    return (interval.low * scale, interval.high * scale) if interval else None
