"""One agent that has many conversations at once: `protocols/memory`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from formicary_bench.experiments.experiment import Experiment, Figure, Loaded
from formicary_bench.vocabulary.metrics import CREATION, EACH_HOLDS
from formicary_bench.vocabulary.names import CONVERSATIONS_HOLD
from formicary_bench.vocabulary.parameters.shared import AGENTS, Agents
from formicary_bench.vocabulary.places import CREATE, NO_MESSAGES, SAME
from formicary_bench.vocabulary.values import NET, REQUESTS

CONVERSATIONS = replace(
    AGENTS, unit="conversations", help="Number of simultaneous conversations of one agent."
)


BEGUN = replace(CREATION, title="conversations begun per second", column="begun/s")


class Held(Agents, frozen=True, kw_only=True):
    """So many conversations of one agent."""

    agents: Annotated[int, CONVERSATIONS] = 0


EXPERIMENT = Experiment(
    name=CONVERSATIONS_HOLD,
    title="Conversations of one agent",
    what="conversations that one agent starts per second, and the memory of each while it waits",
    parameters=Held,
    sizes={"agents": (10_000,)},
    placements=(SAME,),
    subjects=(f"formicary-{NET}", f"formicary-{REQUESTS}"),
    carriers=(NO_MESSAGES,),
    profiling=Loaded("formicary_bench.experiments.protocols.plan:profiling_memory"),
    duration=Loaded("formicary_bench.experiments.protocols.plan:duration_of_memory"),
    roles=(CREATE,),
    played_by="formicary_bench.experiments.protocols.holding",
    metrics=(EACH_HOLDS, BEGUN),
    main=BEGUN,
    over="agents",
    figures=(Figure(metric=EACH_HOLDS, over="agents", title="Memory that each conversation holds"),),
    says="{Who}: {agents} of one agent that wait at once hold {bytes_per_agent} each; they are begun at "
    "{agents_per_s} per second.",
)
