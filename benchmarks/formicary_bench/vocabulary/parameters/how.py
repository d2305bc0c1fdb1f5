"""How it is measured."""

from __future__ import annotations

from formicary_bench.vocabulary import kinds
from formicary_bench.vocabulary.kinds import whole
from formicary_bench.vocabulary.parameters.parameter import ALWAYS, MOST_SEED, SHARED, WHOLE, Parameter

PARAMETERS = (
    Parameter(
        name="repeat",
        kind=whole(1, 10_000, several=False),
        metavar="N",
        help="How often, each time in fresh processes.",
        default="3",
        comment="how often, each time in fresh processes",
        example=3,
        scope=SHARED,
    ),
    Parameter(
        name="seed",
        kind=whole(0, MOST_SEED, several=False),
        metavar="N",
        help="Seed of the order of measurements and of the agents.",
        default="random",
        comment="of order and agents; drawn if left out",
        example=1,
        scope=WHOLE,
    ),
    Parameter(
        name="warm-up",
        kind=kinds.RULE,
        metavar="detect|paper|N",
        help="What is left out as warm-up. detect: until the times have settled; paper: the first 500 round "
        "trips of each pair; N: the first N.",
        default="as in --rounds, and reports say if that is too short",
        comment="what is left out: detect, paper, or a number",
        example="detect",
        scope=WHOLE,
    ),
    Parameter(
        name="profile",
        kind=kinds.FLAG,
        help="Also see where the CPU time goes, by group, in further and longer repetitions: the others stay "
        "undisturbed.",
        comment="whether to see where the CPU time goes as well",
        example=True,
        scope=ALWAYS,
    ),
)
