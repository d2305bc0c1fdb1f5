"""Agents that are created where they are asked for: `mobile/create-local`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Preset, Take
from formicary_bench.experiments.messaging import OURS
from formicary_bench.experiments.mobile import LOOPS, Looped, loops
from formicary_bench.vocabulary.places import SAME

EXPERIMENT = loops(
    "mobile/create-local",
    "Creating agents locally",
    "agents created and started in the requester's container, per second",
    "Dikaiakos 2001, CL: Fig. 5, Table 8",
    operation="agent",
    parameters=Looped,
    varies=(),
    sizes={"loop": LOOPS},
    placements=(SAME,),
    subjects=(OURS, "formicary-micro"),
    quick=Preset(parts=(Take(subjects=(OURS,), placements=(SAME,)),)),
    played_by="creating",
)
