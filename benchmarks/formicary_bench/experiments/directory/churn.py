"""Agents that start, register and end: `directory/churn`."""

from __future__ import annotations

from dataclasses import replace

from formicary_bench.experiments.directory import BESIDE
from formicary_bench.experiments.experiment import Experiment, Loaded, Preset, Take
from formicary_bench.experiments.messaging import DIRECTLY
from formicary_bench.vocabulary.metrics import CREATION
from formicary_bench.vocabulary.names import FAMILY, TOUR
from formicary_bench.vocabulary.parameters.shared import Agents
from formicary_bench.vocabulary.places import APART, DIRECT, TWO_HOSTS, Carrier
from formicary_bench.vocabulary.values import CENTRAL, REPLICA

REGISTERED = replace(CREATION, title="agents registered per second", column="registered/s")

EXPERIMENT = Experiment(
    name="directory/churn",
    title="Agents that start, register and end",
    what="agents that register and end per second, in four containers of two processes",
    parameters=Agents,
    varies=("route", "tls"),
    sizes={"agents": (20_000,)},
    placements=(APART, TWO_HOSTS),
    kinds=(REPLICA, CENTRAL),
    selected={
        TOUR: (
            Take(
                subjects=("formicary-replica",),
                sizes={"agents": (5_000,)},
                placements=(APART,),
                carriers=(Carrier(DIRECT),),
            ),
        ),
        FAMILY: (Take(),),
    },
    quick=Preset(parts=(Take(placements=(APART,), carriers=DIRECTLY),)),
    beside=BESIDE,
    profiling=Loaded("formicary_bench.experiments.directory.plan:profiling_churn"),
    duration=Loaded("formicary_bench.experiments.directory.plan:duration_of_churn"),
    played_by="formicary_bench.subjects.ours.churn",
    metrics=(REGISTERED,),
    over="agents",
    says="{where}, {agents_per_s} agents per second are started, register with the {who}, are seen by all "
    "four containers, and end ({agents} in all).",
)
