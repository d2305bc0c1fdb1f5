"""What is measured."""

from __future__ import annotations

from formicary_bench.vocabulary import kinds
from formicary_bench.vocabulary.kinds import choice
from formicary_bench.vocabulary.parameters.parameter import SHARED, Parameter
from formicary_bench.vocabulary.presets import PRESETS

PARAMETERS = (
    Parameter(
        name="preset",
        kind=choice("preset", PRESETS, several=False),
        metavar="quick|paper",
        help="How much of it is measured where you do not say: as little as says something, or as much as in "
        "the papers.",
        default="the experiment's own; everything: quick",
        comment="sizes that are not named: quick or paper",
        example="quick",
        scope=SHARED,
    ),
    Parameter(
        name="platform",
        kind=kinds.TEXTS,
        field="subjects",
        metavar="NAME,...",
        help="formicary (or formicary-behaviours, formicary-micro; formicary-replica, formicary-central, "
        "formicary-lookup), a baseline: tasks, callbacks, tcp, components, or another of "
        "`formicary bench platforms`.",
        default="all but those with a driver",
        comment="what is measured",
        example=["formicary", "tcp"],
        scope=SHARED,
    ),
)
