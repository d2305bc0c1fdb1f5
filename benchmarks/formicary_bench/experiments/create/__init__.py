"""Create and start agents: `create`."""

from __future__ import annotations

from dataclasses import replace

from formicary_bench.experiments.experiment import Experiment, Figure, Loaded, Take
from formicary_bench.vocabulary.metrics import CREATION, EACH_HOLDS
from formicary_bench.vocabulary.names import QUICK, TOUR
from formicary_bench.vocabulary.parameters.shared import Agents
from formicary_bench.vocabulary.places import CREATE, NO_MESSAGES, SAME

CREATED = replace(CREATION, title="agents created and started per second", column="created/s")

EXPERIMENT = Experiment(
    name="create",
    title="Creating agents",
    what="agents created and started per second, and memory per agent",
    source="Dikaiakos 2001, CL; Alberola 2010, Table 8",
    parameters=Agents,
    sizes={"agents": (10_000,)},
    placements=(SAME,),
    carriers=(NO_MESSAGES,),
    profiling=Loaded("formicary_bench.experiments.create.plan:profiling"),
    duration=Loaded("formicary_bench.experiments.create.plan:duration"),
    selected={
        QUICK: (Take(placements=(SAME,), sizes={"agents": (20_000,)}),),
        TOUR: (Take(placements=(SAME,)),),
    },
    roles=(CREATE,),
    metrics=(CREATED, EACH_HOLDS),
    over="agents",
    figures=(Figure(metric=EACH_HOLDS, over="agents", title="Memory of each agent"),),
    says="{Who}: {agents_per_s} created and started per second{beside}"
    "[; each takes {bytes_per_agent} of memory].",
)
