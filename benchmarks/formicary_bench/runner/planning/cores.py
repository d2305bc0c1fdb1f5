"""On how many cores something is measured: those of the machine, or of it as many as were asked for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.vocabulary.cores import PLATFORM_CORES, powers_of_two
from formicary_bench.vocabulary.presets import QUICK

if TYPE_CHECKING:
    from formicary_bench.experiments.experiment import Part
    from formicary_bench.runner.planning.options import Options


def cores_of(options: Options) -> tuple[int, ...]:
    """Return the numbers of cores that something is measured on: by itself 1, 2, 4 and so on, up to all.

    Raises:
        UsageError: there are fewer than asked for, or this system cannot keep processes on some of them.
    """
    cores: tuple[int, ...] | None = options.sizes.get("cores")
    if not hasattr(os, "sched_setaffinity"):
        if cores:
            raise UsageError(PLATFORM_CORES)
        return (0,)
    there = len(os.sched_getaffinity(0))
    if cores is None:
        return powers_of_two(there)
    most = max(cores)
    if most > there:
        word = "core" if there == 1 else "cores"
        raise UsageError(
            f"--cores {most} is more than the {there} {word} that this machine lets its processes use; "
            f"take {there} at most"
        )
    return cores


def few_cores_of(options: Options, *, with_one: bool = False) -> tuple[int, ...]:
    """Return how many cores a short run has by itself: all, and one besides if that matters.

    Raises:
        UsageError: as of `cores_of`.
    """
    found = cores_of(options)
    if options.sizes.get("cores"):
        return found
    return tuple(dict.fromkeys((found[0], found[-1]))) if with_one else found[-1:]


def is_short(part: Part, options: Options) -> bool:
    """Say whether it is a short run, or a selection of several experiments, which is one as well."""
    return options.preset == QUICK or options.experiment != part.experiment.name
