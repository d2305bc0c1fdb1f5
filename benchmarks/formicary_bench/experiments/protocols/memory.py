"""One agent that has many conversations at once: `protocols/memory`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment, Loaded
from formicary_bench.vocabulary.conversations import NET, REQUESTS
from formicary_bench.vocabulary.names import CONVERSATIONS_HOLD
from formicary_bench.vocabulary.placements import SAME
from formicary_bench.vocabulary.roles import CREATE

EXPERIMENT = Experiment(
    name=CONVERSATIONS_HOLD,
    title="Conversations of one agent",
    what="conversations that one agent begins per second, and what each holds while it waits",
    varies=("agents",),
    agents=(10_000,),
    placements=(SAME,),
    subjects=(f"formicary-{NET}", f"formicary-{REQUESTS}"),
    plan=Loaded("formicary_bench.experiments.create.plan:plan_creation"),
    roles=(CREATE,),
    played_by="formicary_bench.experiments.protocols.holding",
    report=Loaded("formicary_bench.experiments.protocols.memory_report:REPORT"),
)
