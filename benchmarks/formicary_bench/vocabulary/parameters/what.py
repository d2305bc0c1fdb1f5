"""What is measured."""

from __future__ import annotations

from formicary_bench.vocabulary import kinds
from formicary_bench.vocabulary.kinds import choice
from formicary_bench.vocabulary.names import PRESETS
from formicary_bench.vocabulary.parameters.parameter import SHARED, Parameter

PARAMETERS = (
    Parameter(
        name="preset",
        kind=choice("preset", PRESETS, several=False),
        metavar="quick|paper",
        help="Sizes for whatever you do not specify: quick, just enough for an answer; or paper, as in "
        "the papers.",
        default="the experiment's; for everything: quick",
        comment="sizes not given here: quick or paper",
        example="quick",
        scope=SHARED,
    ),
    Parameter(
        name="platform",
        kind=kinds.TEXTS,
        field="subjects",
        metavar="NAME,...",
        help="Platforms to measure: formicary (or formicary-behaviours, formicary-micro, "
        "formicary-replica, formicary-central, formicary-lookup), a baseline (tasks, callbacks, "
        "tcp, components), or another one listed by `formicary bench platforms`.",
        default="all except those with a driver",
        comment="platforms to measure",
        example=["formicary", "tcp"],
        scope=SHARED,
    ),
)
