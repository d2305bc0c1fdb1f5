"""Policies that make an unfair order fair, and what they cost: `grid/fairness`.

The grid is that of `grid/swap` with an unfair choice: cells with low numbers are asked more often, and so get
more turns. With a policy, a cell that was asked passes its turn on to an idle cell.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from formicary_bench.experiments.experiment import AS_IT_IS, Experiment, Figure, Loaded, Preset
from formicary_bench.experiments.grid import swap
from formicary_bench.vocabulary.kinds import choice, whole
from formicary_bench.vocabulary.parameters.parameter import Parameter, Parameters
from formicary_bench.vocabulary.places import BOTH, SAME

_HERE = "formicary_bench.experiments.grid"

AS_IT_COMES, ROUND_ROBIN, LEAST_SERVED = POLICIES = "as-it-comes", "round-robin", "least-served"

SKEW = Parameter(
    name="skew",
    kind=whole(1, 10),
    unit="skew",
    help="Unfairness of choosing cells: the exponent of a uniform random number; 1 is fair.",
    example=[1, 3],
)
POLICY = Parameter(
    name="policy",
    kind=choice("policy", POLICIES),
    in_label=True,
    metavar="POLICY,...",
    help="Which cell gets a turn: the one asked, each idle one in turn, or the least served of eight.",
    example=[ROUND_ROBIN],
)


SERVED = replace(swap.GRANTED, is_compared=True, is_judged=True)


class Fair(Parameters, frozen=True, kw_only=True):
    """A grid with an unfair choice of cells and a policy against it."""

    dimension: Annotated[int, swap.DIMENSION] = 0
    swaps: Annotated[int, swap.SWAPS] = 0
    skew: Annotated[int, SKEW] = 0
    policy: Annotated[str, POLICY] = ""


EXPERIMENT = Experiment(
    name="grid/fairness",
    title="Policies for fair turns",
    what="how evenly agents get to swap when the choice is unfair, and what a policy costs",
    source="our own; a remedy for the unfairness that Frantz 2010 finds",
    parameters=Fair,
    sizes={"dimension": (30,), "swaps": (1000,), "skew": (1, 3), "policy": POLICIES},
    placements=(SAME,),
    subjects=("formicary-micro",),
    quick=Preset(sizes={"dimension": (10,), "skew": (3,), "policy": (AS_IT_COMES, LEAST_SERVED)}),
    paper=Preset(sizes={"dimension": (10, 100)}, repeat=10),
    profiling=AS_IT_IS,
    duration=Loaded(f"{_HERE}.pipeline:duration"),
    roles=(BOTH,),
    played_by=f"{_HERE}.fair_cells",
    metrics=(swap.REQUESTS, SERVED, swap.EACH, swap.DEVIATION, swap.BY_CHANCE, swap.UNFAIRNESS),
    unshown=(swap.REFUSED,),
    main=SERVED,
    over="skew",
    figures=(Figure(metric=swap.BY_CHANCE, over="skew"), Figure(metric=SERVED, over="skew")),
    says="{Who}, {skew}: {swaps_per_s} swaps per second, {swaps_mean} per cell, with a standard "
    "deviation of {swaps_deviation}.",
    summarise=Loaded(f"{_HERE}.pipeline:SUMMARY"),
)
