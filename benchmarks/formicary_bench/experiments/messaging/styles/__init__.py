"""The same exchange as different people write it: `messaging/styles`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment, Loaded, Preset, Take
from formicary_bench.experiments.messaging import FIT, OURS
from formicary_bench.vocabulary.parameters.shared import Talk
from formicary_bench.vocabulary.places import SAME
from formicary_bench.vocabulary.values import MICRO_STYLES, STYLES

_SUBJECTS = (
    OURS,
    "formicary-micro",
    *(f"style-{kind}" for kind in (*STYLES, *MICRO_STYLES)),
    *("tasks", "callbacks"),
)

EXPERIMENT = Experiment(
    name="messaging/styles",
    title="The same agents, written in different ways",
    what="round-trip time by how agents are written: names, templates, time-outs, several behaviours",
    parameters=Talk,
    sizes={"pairs": (1, 100), "payload_bytes": (100,)},
    placements=(SAME,),
    subjects=_SUBJECTS,
    fit=FIT,
    quick=Preset(parts=(Take(subjects=_SUBJECTS, placements=(SAME,)),)),
    over="pairs",
    summarise=Loaded("formicary_bench.experiments.messaging.styles.rows:SUMMARY"),
)
