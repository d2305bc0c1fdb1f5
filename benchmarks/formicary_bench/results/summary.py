"""One row of figures per configuration, computed from the raw values.

What the engine noted in the manifest (rates, windows) is not used, so that a folder's figures can be checked
against its values; only that a repetition did not hold full load, which a log may tell and raw values not,
is believed as well.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.results.cpu import CpuFigures, cpu_figures
from formicary_bench.results.hosts import HostFigures, host_figures
from formicary_bench.results.load import Load, load_of
from formicary_bench.results.memory import MemoryFigures, memory_figures
from formicary_bench.results.model import DIRECTORY, LOWER_BOUND, MEMORY, NETWORK, SCALE_OUT, family_of
from formicary_bench.results.network import NetworkFigures, network_figures
from formicary_bench.results.perturbation import losses
from formicary_bench.results.raw import MEASURED, RoundTrips
from formicary_bench.results.scale import ScaleFigures, scale_figures
from formicary_bench.statistics.intervals import (
    Interval,
    batch_means,
    batch_rates,
    mean_interval,
    ratio_interval,
)
from formicary_bench.statistics.percentiles import percentiles, tail_probabilities

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from formicary.profiling.model import Profile
    from formicary_bench.results.folder import RunFolder
    from formicary_bench.results.model import Configuration, Repetition

OVER_REPETITIONS = "repetitions"
BATCH_MEANS = "batch-means"
NO_INTERVAL = "none"
"""How the intervals of a row were computed (its `ci_method`); see `statistics.intervals`."""

Bounds = tuple[float, float]
Measured = tuple[Load, "NDArray[np.int64]", tuple[Interval | None, Interval | None]]


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
        rtt_p50_ci95_us: The 95% bounds of the repetitions' medians, where there are several.
        round_trips_per_s: Rate of all pairs together while all of them are in T2, with its 95% bounds.
        total_s: Time from the first pair's begin of T2 to the last one's end of it, in seconds, with its 95%
            bounds; in `messaging/lower-bound` alone, which is about it.
        medians_us: The median of each repetition, and its rate in `rates_per_s`, for comparisons; those that
            did not hold full load are left out.
        agents_per_s: Agents created and started per second, or registered, with its 95% bounds.
        bytes_per_agent: Memory that each of them holds.
        seconds: As in the configuration.
        memory: The figures of `memory`.
        network: The figures of `network`.
        scale: The figures of `messaging/scale-out`.
        profiled: As in the configuration.
        cpu: Where the CPU time goes, where that was looked at.
        by_host: What each host did, where there were several.
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
    rtt_p50_us: float | None = None
    rtt_p50_ci95_us: Bounds | None = None
    rtt_p90_us: float | None = None
    rtt_p99_us: float | None = None
    rtt_p999_us: float | None = None
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
    memory: MemoryFigures | None = None
    network: NetworkFigures | None = None
    scale: ScaleFigures | None = None
    profiled: bool = False
    cpu: CpuFigures | None = None
    by_host: tuple[HostFigures, ...] = ()
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
    plan = {configuration.key: configuration for configuration in run.manifest.configurations}
    measured = [(c, run.manifest.repetitions_of(c)) for c in plan.values() if not c.reference]
    return [_validated(run, c, repetitions) for c, repetitions in measured if repetitions]


def _validated(run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
    """Compute a row of the repetitions that are valid; of all, with the reasons, where none of them is."""
    valid = [one for one in repetitions if not one.invalid]
    used = valid or repetitions
    digest = _digest(run, configuration, used)
    reasons = tuple(dict.fromkeys(why for one in repetitions for why in one.invalid))
    notes = digest.row.notes
    if valid and reasons:
        many = len(repetitions) - len(valid)
        left_out = f"{many} of {len(repetitions)} repetitions were not valid, and are left out"
        notes = (*notes, f"{left_out}: {'; '.join(reasons)}")
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


def _messages(run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
    """Compute the row of a configuration that exchanges messages."""
    measured = [_measure(run, repetition, alone=len(repetitions) == 1) for repetition in repetitions]
    known = [one for one in measured if one is not None]
    row = _frame(configuration, repetitions)
    if not known:
        return Digest(row, None)
    loads = [load for load, _, _ in known]
    time, rate = known[0][2]
    row, tail = _with_times(row, [times for _, times, _ in known], time)
    if row.family == DIRECTORY:  # one agent, and between its uses there is what is not measured
        return Digest(row, tail)
    row = _with_rate(row, loads, rate)
    full = all(load.full for load in loads) and all(repetition.full_load for repetition in repetitions)
    row = _with_each(msgspec.structs.replace(row, full_load=full), repetitions, measured)
    if configuration.experiment == LOWER_BOUND:
        return Digest(_with_total(row, loads), tail)
    if configuration.experiment == SCALE_OUT:
        means = [float(times.mean()) / 1e3 for _, times, _ in known]
        having = [one for one, figures in zip(repetitions, measured, strict=True) if figures is not None]
        scale = scale_figures(configuration, having, [_rate(load) for load in loads], means)
        row = msgspec.structs.replace(row, scale=scale)
    return Digest(row, tail)


def _measure(run: RunFolder, repetition: Repetition, *, alone: bool) -> Measured | None:
    """Give what matters of a repetition, so that the rest of its values need not stay in memory.

    Returns:
        Its load, its measured times, and (where it is alone) the intervals of time and rate; None where
        nothing was measured.
    """
    data = run.round_trips(repetition)
    load = load_of(data, repetition.members)
    if load is None:
        return None
    times = data.rtt_ns[data.phase == MEASURED]
    if not alone:
        return load, times, (None, None)
    time, rate = _within_one(data, load)
    return (
        load,
        times,
        (time, None if repetition.members else rate),
    )  # several clocks have no window in common


def _within_one(data: RoundTrips, load: Load) -> tuple[Interval | None, Interval | None]:
    """Give the intervals of the round-trip time and of the rate from a single repetition."""
    measured = data.phase == MEASURED
    ends = data.start_ns + data.rtt_ns
    inside = ends[(ends > load.begin_ns) & (ends <= load.end_ns)]
    return (
        batch_means(ends[measured], data.rtt_ns[measured]),
        batch_rates(inside, load.begin_ns, load.end_ns),
    )


def _with_times(row: Row, times: list[NDArray[np.int64]], alone: Interval | None) -> tuple[Row, Tail]:
    """Fill in what the round-trip times say."""
    import numpy as np

    means = [float(values.mean()) for values in times]
    medians = [float(np.median(values)) for values in times]
    interval = mean_interval(means) or alone
    pooled = times[0] if len(times) == 1 else np.concatenate(times)
    wanted = tail_probabilities(len(pooled))
    low, p50, p90, p99, p999, high, *curve = (
        value / 1e3 for value in percentiles(pooled, [0, 0.5, 0.9, 0.99, 0.999, 1, *wanted])
    )
    changed = msgspec.structs.replace(
        row,
        round_trips=len(pooled),
        rtt_mean_us=math.fsum(means) / len(means) / 1e3,
        rtt_ci95_us=_bounds(interval, 1e-3),
        rtt_min_us=low,
        rtt_p50_us=p50,
        rtt_p50_ci95_us=_bounds(mean_interval(medians), 1e-3),
        rtt_p90_us=p90,
        rtt_p99_us=p99,
        rtt_p999_us=p999,
        rtt_max_us=high,
        ci_method=_method(interval, len(means)),
    )
    return changed, Tail(tuple(wanted), tuple(curve))


def _with_rate(row: Row, loads: list[Load], alone: Interval | None) -> Row:
    """Fill in the rate; where pairs were never in T2 together it is taken over all of T2."""
    rates = [_rate(load) for load in loads]
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


def _with_each(row: Row, repetitions: list[Repetition], measured: list[Measured | None]) -> Row:
    """Fill in what repetitions are compared by."""
    import numpy as np

    sound = [
        (float(np.median(one[1])) / 1e3, _rate(one[0]))
        for repetition, one in zip(repetitions, measured, strict=True)
        if one is not None and one[0].full and repetition.full_load
    ]
    return msgspec.structs.replace(
        row,
        medians_us=tuple(median for median, _ in sound),
        rates_per_s=tuple(rate for _, rate in sound if rate is not None),
    )


def _rate(load: Load) -> float | None:
    if load.window_s and load.round_trips_in_window:
        return load.round_trips_in_window / load.window_s
    return load.round_trips / load.elapsed_s if load.elapsed_s else None


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
    changed = msgspec.structs.replace(
        row,
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
