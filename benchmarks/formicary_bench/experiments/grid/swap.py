"""Micro-agents on a grid that swap numbers with others at random: `grid/swap`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from formicary_bench.experiments.experiment import (
    AS_IT_IS,
    FRANTZ,
    Experiment,
    Figure,
    Loaded,
    Preset,
    Repeats,
    Take,
)
from formicary_bench.vocabulary.kinds import whole
from formicary_bench.vocabulary.metrics import HOLDS, PART, PER_SECOND, RATE, TIMES, Metric
from formicary_bench.vocabulary.names import OF_FAIRNESS, SWAP, TOUR
from formicary_bench.vocabulary.parameters.parameter import Parameter, Parameters
from formicary_bench.vocabulary.places import APART, BOTH, DIRECT, MOST_ON_A_HOST, SAME, Carrier
from formicary_bench.vocabulary.values import MICRO_COPIED, MOST_DIMENSION

_HERE = "formicary_bench.experiments.grid"
_MICRO = "formicary-micro"
_SUBJECTS = (_MICRO, f"formicary-{MICRO_COPIED}", "callbacks")

PAPER_DIMENSIONS = (5, 10, 15, 100, 200, 400, 500)
"""The grids of Table 2, and the smallest one of the text."""

DIMENSION = Parameter(
    name="dimension",
    kind=whole(2, MOST_DIMENSION),
    unit="cells a side",
    metavar="D,...",
    help="Number of cells on each side of the grid.",
    example=[10, 100],
    few=30,
)
SWAPS = Parameter(
    name="swaps",
    kind=whole(1, 1_000_000),
    unit="swaps",
    help="Number of swaps by the first agent until all end.",
    example=[1000],
    few=1000,
)
CONTAINERS = Parameter(
    name="containers",
    kind=whole(1, MOST_ON_A_HOST),
    unit="containers",
    help="Number of containers, each in its own process, to spread the grid over.",
    in_label=True,
    usual=1,
    is_layout=True,
    example=[3],
    few=3,
)

REQUESTS = replace(RATE, title="requests per second", column="requests/s", has_spread=True)
GRANTED = Metric("swaps_per_s", "requests granted per second", PER_SECOND, "granted/s", is_judged=False)
MESSAGES = Metric("messages_per_s", "messages per second", PER_SECOND, "messages/s", is_judged=False)
EACH = Metric("swaps_mean", "swaps per cell", minor=True, is_judged=False)
DEVIATION = Metric("swaps_deviation", "standard deviation of swaps", column="deviation")
BY_CHANCE = Metric(
    "swaps_deviation_by_chance",
    "standard deviation of swaps over the square root of their mean",
    TIMES,
    "over root mean",
)
UNFAIRNESS = Metric(
    "swaps_unfairness", "relative difference between the most and the fewest swaps", PART, "unfairness"
)
REFUSED = Metric("swaps_refused", "requests refused", PART, is_judged=False)
HELD = replace(HOLDS, minor=True)
_EVEN = (
    "The standard deviation of the agents' swaps, divided by the square root of their mean. It is 1 if each "
    "swap goes to a random agent, slightly less if agents that are swapping cannot be asked, and much more "
    "if some agents get their turn more often than others."
)


class Swapping(Parameters, frozen=True, kw_only=True):
    """A grid of cells, each with an agent that swaps its number with others."""

    dimension: Annotated[int, DIMENSION] = 0
    swaps: Annotated[int, SWAPS] = 0
    containers: Annotated[int, CONTAINERS] = 1

    @property
    def cells(self) -> int:
        """The number of cells, which is that of agents."""
        return self.dimension**2


EXPERIMENT = Experiment(
    name=SWAP,
    title="Agents on a grid swap numbers",
    what="swap requests per second, and how evenly agents get to swap; copied messages",
    source="Frantz 2010, Fig. 2, Table 2",
    repeats=Repeats(FRANTZ, lambda _: {2}),
    parameters=Swapping,
    sizes={"dimension": (10, 30, 100), "swaps": (1000,), "containers": (1,)},
    placements=(SAME, APART),
    carriers=(Carrier("in-process"), Carrier(DIRECT)),
    subjects=_SUBJECTS,
    exchange=SWAP,
    quick=Preset(sizes={"swaps": (400,)}, parts=(Take(subjects=_SUBJECTS),)),
    paper=Preset(sizes={"dimension": PAPER_DIMENSIONS}, repeat=10),
    selected={
        TOUR: (
            Take(
                subjects=(_MICRO, "callbacks"),
                sizes={"dimension": (10,), "swaps": (400,)},
                placements=(SAME,),
            ),
        )
    },
    fit=Loaded(f"{_HERE}.pipeline:in_containers"),
    profiling=AS_IT_IS,
    duration=Loaded(f"{_HERE}.pipeline:duration"),
    roles=(BOTH,),
    played_by=f"{_HERE}.worker",
    metrics=(REQUESTS, GRANTED, MESSAGES, EACH, DEVIATION, BY_CHANCE, UNFAIRNESS, HELD),
    unshown=(REFUSED,),
    over="dimension",
    figures=(
        Figure(metric=REQUESTS, over="dimension"),
        Figure(
            metric=BY_CHANCE,
            over="dimension",
            title="How evenly agents get to swap",
            caption=_EVEN,
            after="Table 2",
        ),
    ),
    says="{where}, {who} on a grid of {dimension} make {round_trips_per_s} requests per second{beside}; "
    "their swaps have a standard deviation of {swaps_deviation}, {swaps_deviation_by_chance} times the "
    "square root of their mean.",
    summarise=Loaded(f"{_HERE}.pipeline:SUMMARY"),
    published=OF_FAIRNESS,
)
