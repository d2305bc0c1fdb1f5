"""Agents that are created and started: `create`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment, Loaded
from formicary_bench.vocabulary.placements import SAME
from formicary_bench.vocabulary.roles import CREATE

EXPERIMENT = Experiment(
    name="create",
    title="Creating agents",
    what="agents created and started per second, and the memory of each",
    source="Dikaiakos 2001, CL; Alberola 2010, Table 8",
    varies=("agents",),
    agents=(10_000,),
    placements=(SAME,),
    plan=Loaded("formicary_bench.experiments.create.plan:plan_creation"),
    roles=(CREATE,),
    report=Loaded("formicary_bench.experiments.create.report:REPORT"),
)
