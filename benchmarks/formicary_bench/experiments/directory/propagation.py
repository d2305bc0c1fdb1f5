"""How registrations spread to other containers: `directory/propagation`."""

from __future__ import annotations

from formicary_bench.experiments.directory import (
    BESIDE,
    DURATION,
    FIT,
    METRICS,
    PROFILING,
    ROUNDS,
    TYPICAL,
    Spreading,
)
from formicary_bench.experiments.experiment import Experiment, Figure, Loaded, Preset, Take
from formicary_bench.experiments.messaging import DIRECTLY
from formicary_bench.vocabulary.names import FAMILY, TOUR
from formicary_bench.vocabulary.places import APART, DIRECT, TWO_HOSTS, Carrier
from formicary_bench.vocabulary.values import CENTRAL, REPLICA

EXPERIMENT = Experiment(
    name="directory/propagation",
    title="How registrations spread",
    what="time until other containers have seen a registration and confirmed it",
    source="our own; the delay that Alberola 2010 does not measure",
    parameters=Spreading,
    varies=("route", "tls"),
    sizes={"services": (0,), "containers": (3,), "rounds": ROUNDS},
    placements=(APART, TWO_HOSTS),
    kinds=(REPLICA, CENTRAL),
    selected={
        TOUR: (Take(subjects=("formicary-replica",), placements=(APART,), carriers=(Carrier(DIRECT),)),),
        FAMILY: (Take(sizes={"containers": (1, 3, 7)}),),
    },
    quick=Preset(parts=(Take(placements=(APART,), carriers=DIRECTLY),)),
    beside=BESIDE,
    fit=FIT,
    profiling=PROFILING,
    duration=DURATION,
    metrics=METRICS,
    main=TYPICAL,
    over="containers",
    figures=(
        Figure(
            metric=METRICS[0],
            over="containers",
            title="Time against containers that are to see it",
            caption="Mean time until all others have seen a registration and have told.",
        ),
    ),
    says="{where}, {containers} have seen a registration in the {who}, and have told, after {rtt_p50_us} "
    "(median){beside}.",
    summarise=Loaded("formicary_bench.experiments.directory.rows:SUMMARY"),
    played_by="formicary_bench.subjects.ours.propagation",
)
