"""One row of figures per configuration, computed from the raw values.

What the engine noted in the manifest (rates, windows) is not used, so that a folder's figures can be checked
against its values; only that a repetition did not hold full load, which a log may tell and raw values not,
is believed as well.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.memory.summary import judged, memory_estimates
from formicary_bench.experiments.messaging.saturation.summary import (
    highest_kept,
    saturation_estimates,
    trials_of,
)
from formicary_bench.experiments.network.summary import network_estimates
from formicary_bench.results.summary.cpu import cpu_estimates
from formicary_bench.results.summary.cpu import judged as judged_cpu
from formicary_bench.results.summary.each import HIGHEST, Each, named
from formicary_bench.results.summary.hosts import host_estimates
from formicary_bench.results.summary.perturbation import losses
from formicary_bench.results.summary.round_trips import message_digest
from formicary_bench.results.summary.row import (
    NO_INTERVAL,
    OVER_REPETITIONS,
    Digest,
    Row,
    bounds,
    frame,
    method,
)
from formicary_bench.results.verdicts.verdicts import believed, stability_of, with_comparisons
from formicary_bench.statistics.intervals import Interval, mean_interval, ratio_interval
from formicary_bench.vocabulary.names import MEMORY, NETWORK

if TYPE_CHECKING:
    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Configuration, Repetition


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
    rows = (msgspec.structs.replace(row, partial=not run.manifest.complete) for row in compared)
    return [msgspec.structs.replace(one, row=row) for one, row in zip(found, rows, strict=True)]


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
        digest.row, by_host=host_estimates(used), notes=notes, invalid=() if valid else reasons
    )
    return msgspec.structs.replace(digest, row=row)


def _digest(run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
    if configuration.family == MEMORY:
        return _memory(run, configuration, repetitions)
    if configuration.limit_us:
        return _saturation(run, configuration, repetitions)
    make = _creation if configuration.agents else message_digest
    digest = make(run, configuration, repetitions)
    if configuration.profiled:
        profiles = [run.profiles(repetition) for repetition in repetitions]
        cpu = cpu_estimates(repetitions, profiles, losses(run, configuration, repetitions))
        row = msgspec.structs.replace(
            digest.row, cpu=cpu, stability=(*digest.row.stability, *believed(judged_cpu(cpu)))
        )
        return Digest(row, digest.tail, profiles[-1])
    if configuration.family != NETWORK:
        return digest
    network = network_estimates(configuration, repetitions)
    return Digest(msgspec.structs.replace(digest.row, network=network), digest.tail)


def _memory(run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
    """Compute the row of what processes hold."""
    found = memory_estimates([run.holdings(repetition) for repetition in repetitions])
    row = msgspec.structs.replace(
        frame(configuration, repetitions),
        memory=found,
        stability=believed(judged(found, configuration.seconds)) if found else (),
        ci_method=OVER_REPETITIONS if len(repetitions) > 1 else NO_INTERVAL,
    )
    return Digest(row, None)


def _saturation(run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
    """Compute the row of a search for the highest rate."""
    searches = [trials_of(run.trials(repetition), repetition.number) for repetition in repetitions]
    found = saturation_estimates(configuration.limit_us, searches)
    each = tuple(Each(others=named({HIGHEST: float(highest_kept(trials))})) for trials in searches)
    row = msgspec.structs.replace(
        frame(configuration, repetitions),
        saturation=found,
        each=each,
        stability=stability_of(each),
        round_trips_per_s=found.rate,
        round_trips_per_s_ci95=found.ci95,
        ci_method=OVER_REPETITIONS if found.ci95 else NO_INTERVAL,
    )
    return Digest(row, None)


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
    row = frame(configuration, repetitions)
    if not rates:
        return Digest(row, None)
    interval = mean_interval(rates) or alone
    each = tuple(Each(agents_per_s=rate) for rate in rates)
    changed = msgspec.structs.replace(
        row,
        each=each,
        stability=stability_of(each),
        agents_per_s=math.fsum(rates) / len(rates),
        agents_per_s_ci95=bounds(interval, 1),
        bytes_per_agent=math.fsum(sizes) / len(sizes) if any(sizes) else None,
        ci_method=method(interval, len(rates)),
    )
    return Digest(changed, None)
