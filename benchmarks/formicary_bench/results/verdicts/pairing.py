"""What two runs have in common, as figures of each repetition that can be compared.

They are two versions, two machines, or two platforms: where no configuration is in both, those are taken for
each other that differ in the platform alone.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from formicary.errors import UsageError
from formicary_bench.results.summary.declared import summary_of
from formicary_bench.results.summary.each import HIGHEST, TIMES, Each, comparable
from formicary_bench.results.summary.warm_up import OPTION
from formicary_bench.statistics.comparisons import Contrast

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.vocabulary.configuration import Configuration

Samples = dict[str, list[float]]

_MACHINE = {
    "host": "host",
    "cpu": "cpu",
    "usable": "usable cores",
    "python": "python",
    "loop": "loop",
    "prosody": "prosody",
}


class Pairing(msgspec.Struct, frozen=True):
    """What two runs have in common.

    Attributes:
        contrasts: The figures of what is in both, named after the configuration and the figure.
        missing: Keys of what the second run has measured and the first one has not.
        added: Keys of what the first run has measured and the second one has not.
        remarks: What else a reader should know, in sentences.
    """

    contrasts: list[Contrast]
    missing: list[str]
    added: list[str]
    remarks: list[str]


def pair(run: RunFolder, base: RunFolder) -> Pairing:
    """Find what two runs have in common, and read the figures of it.

    Args:
        run: The one that is judged.
        base: The one that it is held against.

    Raises:
        UsageError: They have nothing in common, or raw values are missing or broken.
    """
    ours, theirs = _measured(run), _measured(base)
    common = {key: key for key in theirs if key in ours} or _by_all_but_the_platform(ours, theirs)
    if not common:
        raise UsageError(_nothing_in_common(run, base, ours.values(), theirs.values()))
    contrasts: list[Contrast] = []
    remarks = [remark for one in (run, base) for remark in _of_a_run(one)] + _what_differs(run, base)
    for key, other in common.items():
        values, base_values = _figures(run, ours[other], remarks), _figures(base, theirs[key], remarks)
        contrasts += [
            Contrast(
                name=f"{other}: {figure}",
                values=tuple(values[figure]),
                base=tuple(base_values[figure]),
                is_rate=figure not in TIMES,
            )
            for figure in base_values
            if figure in values
        ]
    missing = [key for key in theirs if key not in common]
    added = [key for key in ours if key not in common.values()]
    return Pairing(contrasts, missing, added, remarks)


def _measured(run: RunFolder) -> dict[str, Configuration]:
    """Return what was measured undisturbed, and has times or rates."""
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
    """Return the keys of the first run by those of the second, where each has just one that is alike."""
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
        [] if run.manifest.complete else [f"{run.path} is partial: it has not measured all that was planned"]
    )


def _what_differs(run: RunFolder, base: RunFolder) -> list[str]:
    """Say in what the runs differ beside what is compared."""
    found = []
    for what, name in _MACHINE.items():
        one, other = (getattr(each.manifest.machine, what) for each in (run, base))
        if one != other:
            found.append(f"they differ in {name}: {one or 'unknown'} against {other or 'unknown'}")
    rules = [str(each.manifest.options.get(OPTION, "as planned")) for each in (run, base)]
    if rules[0] != rules[1]:
        found.append(f"they leave out different warm-ups: {rules[0]} against {rules[1]}")
    return found


def _figures(run: RunFolder, configuration: Configuration, remarks: list[str]) -> Samples:
    """Return the figures of each repetition; those without full load, or disturbed, are left out."""
    summary = summary_of(configuration.experiment, configuration.agents)
    each: list[Each] = []
    invalid = 0
    for repetition in run.manifest.repetitions_of(configuration):
        if repetition.invalid:
            invalid += 1
        elif (one := summary.each(run, configuration, repetition)) is not None:
            each.append(one)
    uneven = sum(not one.full_load for one in each)
    found = comparable(each, is_paced=bool(configuration.rate))
    missed = found.get(HIGHEST, []).count(0)
    if uneven:
        remarks.append(
            f"{run.path}: {uneven} repetitions of {configuration.key} had no full load and do not count"
        )
    if invalid:
        remarks.append(
            f"{run.path}: {invalid} repetitions of {configuration.key} are not valid and do not count"
        )
    if missed:
        remarks.append(f"{run.path}: {missed} searches of {configuration.key} kept no rate")
    return found
