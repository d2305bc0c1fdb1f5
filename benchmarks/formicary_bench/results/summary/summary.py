"""One row of figures per configuration, computed from the raw values.

The engine's notes in the manifest (rates, windows) are not used, so that a folder's figures can be checked
against its values; except that a repetition did not hold full load, which raw values may not show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.results.store.hashing import content_hash
from formicary_bench.results.store.raw import Creations, RoundTrips
from formicary_bench.results.summary.cpu import cpu_estimates, judged, profiled_rate
from formicary_bench.results.summary.declared import summary_of
from formicary_bench.results.summary.hosts import host_estimates
from formicary_bench.results.summary.load import load_of
from formicary_bench.results.summary.row import Digest, Row
from formicary_bench.results.verdicts.trust import trust_of
from formicary_bench.results.verdicts.verdicts import believed, with_comparisons
from formicary_bench.vocabulary.metrics import RATE
from formicary_bench.vocabulary.parameters.shared import Agents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.vocabulary.configuration import Configuration


def losses(
    run: RunFolder, configuration: Configuration, repetitions: Sequence[Repetition]
) -> tuple[float, ...]:
    """Return the relative loss of rate of each profiled repetition compared with its twin without profiling.

    The twin is the repetition of the same number: it is of the same round of the schedule, so that what else
    happens on the machine happens to both.

    Args:
        run: The run.
        configuration: A profiled configuration.
        repetitions: Its repetitions.

    Raises:
        UsageError: Raw values are missing or broken.
    """
    without = {one.number: one for twin in _twins(configuration) for one in run.manifest.repetitions_of(twin)}
    pairs = [(one, without[one.number]) for one in repetitions if one.number in without]
    rates = [
        (_rate(run, configuration, one, is_profiled=True), _rate(run, configuration, other))
        for one, other in pairs
    ]
    return tuple(1 - with_it / plain for with_it, plain in rates if with_it and plain)


def _twins(profiled: Configuration) -> tuple[Configuration, Configuration]:
    plain = msgspec.structs.replace(profiled, profiled=False)
    return plain, msgspec.structs.replace(plain, reference=True)


def _rate(
    run: RunFolder, configuration: Configuration, repetition: Repetition, *, is_profiled: bool = False
) -> float:
    """Return the rate of a repetition, of its profiled part if it was profiled; 0 if unknown."""
    if Agents.of(configuration).agents:
        data = run.raw(repetition, Creations)
        seconds = float(data.seconds.sum())
        return int(data.agents.sum()) / seconds if seconds else 0.0
    if not configuration.exchange.measured:  # it has no round trips, and is profiled as a whole
        each = summary_of(configuration.experiment).each(run, configuration, repetition)
        return each.values.get(RATE.name, 0.0) if each else 0.0
    if is_profiled:
        return profiled_rate(repetition)
    load = load_of(run.raw(repetition, RoundTrips))
    return load.round_trips_in_window / load.window_s if load and load.window_s else 0.0


def summarise(run: RunFolder) -> list[Row]:
    """Return the rows of all configurations measured at least once, in the order of the plan.

    Raises:
        UsageError: Raw values are missing or broken.
    """
    return [digest.row for digest in digests(run)]


def digests(run: RunFolder) -> list[Digest]:
    """Return the rows of a run with their distributions; see `summarise`.

    Only one configuration's values are in memory at a time.
    """
    found = [_validated(run, configuration, repetitions) for configuration, repetitions in _done(run)]
    compared = with_comparisons([digest.row for digest in found])
    trust = trust_of(run.manifest, compared)
    about = {"partial": not run.manifest.complete, "trust": trust, "run_hash": content_hash(run)}
    rows = (msgspec.structs.replace(row, **about) for row in compared)
    return [msgspec.structs.replace(one, row=row) for one, row in zip(found, rows, strict=True)]


def _done(run: RunFolder) -> list[tuple[Configuration, list[Repetition]]]:
    """Return the configurations measured at least once, with their repetitions."""
    plan = {configuration.key: configuration for configuration in run.manifest.configurations}
    measured = [(c, run.manifest.repetitions_of(c)) for c in plan.values() if not c.reference]
    return [(c, repetitions) for c, repetitions in measured if repetitions]


def _validated(run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
    """Compute a row of the valid repetitions; if none is valid, of all, with the reasons."""
    valid = [one for one in repetitions if not one.invalid]
    used = valid or repetitions
    digest = _digest(run, configuration, used)
    reasons = tuple(dict.fromkeys(why for one in repetitions for why in one.invalid))
    notes = digest.row.notes
    if valid and reasons:
        many = len(repetitions) - len(valid)
        disturbed = f"{many} of {len(repetitions)} repetitions were not valid and are ignored"
        notes = (*notes, f"{disturbed}: {'; '.join(reasons)}")
    row = msgspec.structs.replace(
        digest.row, by_host=host_estimates(used), notes=notes, invalid=() if valid else reasons
    )
    return msgspec.structs.replace(digest, row=row)


def _digest(run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
    summary = summary_of(configuration.experiment)
    digest = summary.digest(run, configuration, repetitions)
    if not configuration.profiled:
        return digest
    profiles = [run.profiles(repetition) for repetition in repetitions]
    cpu = cpu_estimates(repetitions, profiles, losses(run, configuration, repetitions))
    row = msgspec.structs.replace(
        digest.row, cpu=cpu, stability=(*digest.row.stability, *believed(judged(cpu)))
    )
    return Digest(row, digest.tail, profiles[-1])
