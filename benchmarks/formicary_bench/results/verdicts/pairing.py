"""Comparable figures of two runs: versions, machines, or platforms.

If they have no configuration in common, configurations are paired that differ in the platform alone. A side
may be several runs, made in turn with those of the other side: then each run counts once, by the geometric
mean of its repetitions, as these are correlated.
"""

from __future__ import annotations

from collections import Counter
from statistics import geometric_mean
from typing import TYPE_CHECKING

import msgspec

from formicary.errors import UsageError
from formicary_bench.experiments.registry import metrics_of
from formicary_bench.results.summary.declared import summary_of
from formicary_bench.results.summary.each import Each, comparable
from formicary_bench.results.summary.row import Row, frame
from formicary_bench.results.summary.warm_up import OPTION
from formicary_bench.results.verdicts.factors import doubt_of_warmth, name_of
from formicary_bench.results.verdicts.trust import BUSY, lost_in
from formicary_bench.statistics.comparisons import Contrast
from formicary_bench.vocabulary.parameters.shared import paced_rate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.metrics import Metric

Samples = dict["Metric", list[float]]

_MACHINE = {
    "host": "host",
    "cpu": "cpu",
    "usable": "usable cores",
    "python": "python",
    "loop": "loop",
    "prosody": "prosody",
}


class Paired(msgspec.Struct, frozen=True):
    """A figure that is in both runs.

    Attributes:
        configuration: What was measured, in the run that is judged.
        base: Its counterpart in the other run.
        row: The former's row, without figures.
        base_row: The latter's row.
        metric: Its metric.
        contrast: Both runs' values, named after the configuration and the figure.
    """

    configuration: Configuration
    base: Configuration
    row: Row
    base_row: Row
    metric: Metric
    contrast: Contrast


class Pairing(msgspec.Struct, frozen=True):
    """What two runs have in common.

    Attributes:
        paired: The figures of what is in both.
        missing: Configurations of the second run only.
        added: Configurations of the first run only.
        remarks: Remarks for readers.
    """

    paired: list[Paired]
    missing: list[Configuration]
    added: list[Configuration]
    remarks: list[str]

    @property
    def contrasts(self) -> list[Contrast]:
        """What is compared."""
        return [one.contrast for one in self.paired]


class Side(msgspec.Struct, frozen=True):
    """One side of a comparison of a figure.

    Attributes:
        row: What was measured, without figures.
        values: The figure, of each repetition or run.
        lost: The part of the machine that other processes used meanwhile.
    """

    row: Row
    values: Sequence[float]
    lost: float = 0.0


def pair(run: RunFolder, base: RunFolder) -> Pairing:
    """Pair the figures of two runs.

    Raises:
        UsageError: They have nothing in common, or raw values are missing or broken.
    """
    return pair_all([run], [base])


def pair_all(runs: Sequence[RunFolder], bases: Sequence[RunFolder]) -> Pairing:
    """Pair the figures of several runs with those of several others; errors as of `pair`."""
    ours, theirs = (
        {key: one for run in side for key, one in measured(run).items()} for side in (runs, bases)
    )
    common = {key: key for key in theirs if key in ours} or _by_all_but_the_platform(ours, theirs)
    if not common:
        raise UsageError(_nothing_in_common(runs[0], bases[0], ours.values(), theirs.values()))
    remarks = [remark for one in (*runs, *bases) for remark in _of_a_run(one)]
    remarks += _what_differs(runs[0], bases[0])
    paired = [
        one
        for key, other in common.items()
        for one in _paired((runs, ours[other]), (bases, theirs[key]), remarks)
    ]
    missing = [one for key, one in theirs.items() if key not in common]
    added = [one for key, one in ours.items() if key not in common.values()]
    return Pairing(paired, missing, added, remarks)


_Measured = tuple["Sequence[RunFolder]", "Configuration"]


def _paired(ours: _Measured, theirs: _Measured, remarks: list[str]) -> list[Paired]:
    """Return the figures that a configuration has on both sides, and add remarks."""
    sides, bases = _sides(*ours, remarks), _sides(*theirs, remarks)
    unit = "run" if len(ours[0]) > 1 else "repetition"
    return [
        Paired(
            configuration=ours[1],
            base=theirs[1],
            row=sides[metric].row,
            base_row=base.row,
            metric=metric,
            contrast=contrast_of(ours[1], metric, sides[metric], base, unit),
        )
        for metric, base in bases.items()
        if metric in sides
    ]


def _sides(runs: Sequence[RunFolder], configuration: Configuration, remarks: list[str]) -> dict[Metric, Side]:
    """Return one side of each figure of a configuration."""
    repetitions = [one for run in runs for one in run.manifest.repetitions_of(configuration)]
    row, lost = frame(configuration, repetitions), lost_in(runs[0].manifest, repetitions)
    of_each = [figures_of(run, configuration, remarks) for run in runs]
    if len(runs) > 1:
        of_each = [
            {metric: [_together(values)] for metric, values in found.items() if values} for found in of_each
        ]
    metrics = dict.fromkeys(metric for found in of_each for metric in found)
    return {
        metric: Side(row, [value for found in of_each for value in found.get(metric, ())], lost)
        for metric in metrics
    }


def _together(values: Sequence[float]) -> float:
    return geometric_mean(values) if min(values) > 0 else 0.0


def contrast_of(
    configuration: Configuration, metric: Metric, ours: Side, theirs: Side, unit: str = "repetition"
) -> Contrast:
    """Return the contrast of two sides, with why it cannot be decided, if so.

    Args:
        configuration: What was measured.
        metric: Which figure of it.
        ours: The run that is judged.
        theirs: The other one.
        unit: What each value is from.
    """
    lost = max(ours.lost, theirs.lost)
    busy = f"other processes used {lost:.0%} of the machine; close other programs, and measure both again"
    cold = (doubt_of_warmth(side.row.warmth, name_of(side.row)) for side in (ours, theirs))
    doubts = [busy] * (lost > BUSY) + [doubt.sentence for doubt in cold if doubt]
    return Contrast(
        name=f"{configuration.key}: {metric.title}",
        values=tuple(ours.values),
        base=tuple(theirs.values),
        is_rate=bool(metric.more_is_better),
        doubt=next(iter(doubts), ""),
        unit=unit,
    )


def measured(run: RunFolder) -> dict[str, Configuration]:
    """Return the comparable configurations of a run, by key: not profiled, and with times or rates."""
    done = {repetition.configuration for repetition in run.manifest.repetitions}
    return {
        one.key: one
        for one in run.manifest.configurations
        if one.key in done
        and summary_of(one.experiment).is_compared
        and not one.profiled
        and not one.reference
    }


def _by_all_but_the_platform(
    ours: dict[str, Configuration], theirs: dict[str, Configuration]
) -> dict[str, str]:
    """Pair keys that differ in the platform alone, where each has exactly one counterpart."""
    by_rest = [{_without_the_platform(one): key for key, one in each.items()} for each in (ours, theirs)]
    alike = [Counter(map(_without_the_platform, each.values())) for each in (ours, theirs)]
    return {
        key: by_rest[0][rest] for rest, key in by_rest[1].items() if alike[0][rest] == alike[1][rest] == 1
    }


def _without_the_platform(configuration: Configuration) -> str:
    return msgspec.structs.replace(configuration, platform="", kind="", route="").key


def _nothing_in_common(
    run: RunFolder, base: RunFolder, ours: Iterable[Configuration], theirs: Iterable[Configuration]
) -> str:
    first, second = (", ".join(sorted({one.experiment for one in each})) for each in (ours, theirs))
    if not first or not second:
        empty = run if not first else base
        return f"{empty.path} has no times or rates to compare: name a run of messages, creation or directory"
    if first == second:
        return (
            f"{run.path} and {base.path} measured {first}, but with nothing in common: run both with the "
            "same --pairs, --placement, --rounds and so on"
        )
    return f"{run.path} measured {first}, and {base.path} {second}: only the same experiments can be compared"


def _of_a_run(run: RunFolder) -> list[str]:
    return (
        []
        if run.manifest.complete
        else [f"{run.path} is partial: not everything that was planned was measured"]
    )


def _what_differs(run: RunFolder, base: RunFolder) -> list[str]:
    """Return how the runs differ besides what is compared."""
    found = []
    for what, name in _MACHINE.items():
        one, other = (getattr(each.manifest.machine, what) for each in (run, base))
        if one != other:
            found.append(f"they differ in {name}: {one or 'unknown'} against {other or 'unknown'}")
    rules = [str(each.manifest.options.get(OPTION, "as planned")) for each in (run, base)]
    if rules[0] != rules[1]:
        found.append(f"they discard different warm-ups: {rules[0]} and {rules[1]}")
    return found


def figures_of(run: RunFolder, configuration: Configuration, remarks: list[str]) -> Samples:
    """Return the figures of valid repetitions that held full load."""
    summary = summary_of(configuration.experiment)
    each: list[Each] = []
    invalid = 0
    for repetition in run.manifest.repetitions_of(configuration):
        if repetition.invalid:
            invalid += 1
        elif (one := summary.each(run, configuration, repetition)) is not None:
            each.append(one)
    uneven = sum(not one.full_load for one in each)
    metrics = metrics_of(configuration.experiment)
    found = comparable(each, metrics, is_paced=bool(paced_rate(configuration)))
    missed = sum(values.count(0) for values in found.values())
    if uneven:
        remarks.append(
            f"{run.path}: {uneven} repetitions of {configuration.key} did not hold full load and are ignored"
        )
    if invalid:
        remarks.append(
            f"{run.path}: {invalid} repetitions of {configuration.key} are not valid and are ignored"
        )
    if missed:
        remarks.append(f"{run.path}: {missed} repetitions of {configuration.key} have no rate")
    return {metrics[name]: values for name, values in found.items()}
