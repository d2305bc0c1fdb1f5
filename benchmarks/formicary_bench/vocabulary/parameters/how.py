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
        help="Repetitions of each measurement, each in fresh processes.",
        default="3",
        comment="repetitions, each in fresh processes",
        example=3,
        scope=SHARED,
    ),
    Parameter(
        name="seed",
        kind=whole(0, MOST_SEED, several=False),
        metavar="N",
        help="Seed for the order of measurements and for the agents.",
        default="random",
        comment="for order and agents; random if omitted",
        example=1,
        scope=WHOLE,
    ),
    Parameter(
        name="warm-up",
        kind=kinds.RULE,
        metavar="detect|paper|N",
        help="What to discard as warm-up. detect: until times have settled; paper: the first 500 round "
        "trips of each pair; N: the first N.",
        default="as in --rounds; reports warn if that is too short",
        comment="what to discard: detect, paper, or a number",
        example="detect",
        scope=WHOLE,
    ),
    Parameter(
        name="profile",
        kind=kinds.FLAG,
        help="Also profile CPU time by group, in separate, longer repetitions that do not disturb the "
        "others.",
        comment="whether to also profile CPU time",
        example=True,
        scope=ALWAYS,
    ),
)
