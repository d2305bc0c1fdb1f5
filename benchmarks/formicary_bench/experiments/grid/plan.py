"""How `grid/swap` is planned."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary.errors import UsageError
from formicary_bench.runner.planning.carriers import carriers_of
from formicary_bench.runner.planning.hosts import Layout, frame, placements_of
from formicary_bench.vocabulary.placements import APART, SAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.experiments.experiment import Part
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.subject import Subject
    from formicary_bench.vocabulary.configuration import Configuration


def plan_swaps(part: Part, options: Options, subjects: Sequence[Subject]) -> Iterator[Configuration]:
    """Give grids of all sizes, in one container or over several.

    Raises:
        UsageError: there are more containers than cells to a side.
    """
    experiment = part.experiment
    sizes = product(
        options.containers or part.containers or experiment.containers,
        options.dimensions or part.dimensions or experiment.dimensions,
        options.swaps or part.swaps or experiment.swaps,
        subjects,
    )
    places = placements_of(part, options)
    for containers, dimension, swaps, subject in sizes:
        placement = APART if containers > 1 else SAME
        if placement not in places or (containers > 1 and subject.exchanges):  # drivers have one process
            continue
        if containers > dimension:
            raise UsageError(
                f"a grid with {dimension} cells a side cannot be over {containers} containers, as each has "
                f"rows of it; take --containers {dimension} or fewer"
            )
        layout = Layout(placement)
        for carrier in carriers_of(subject, layout, part, options):
            yield replace(
                frame(part, subject, layout, carrier),
                dimension=dimension,
                swaps=swaps,
                containers=containers,
            )
