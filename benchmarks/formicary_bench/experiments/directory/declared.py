"""The experiments in which agents use the directory: `directory/...`.

The papers call a central directory a bottleneck; here many clients load it fully.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from formicary_bench.experiments import directory
from formicary_bench.experiments.experiment import ALBEROLA, Experiment, Figure, Loaded, Preset, Repeats, Take
from formicary_bench.experiments.messaging import DIRECTLY, HERE_AND_THERE, ONE_OR_TWO, PAPER_PAIRS
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.metrics import CREATION, MEAN, P99, RATE, TIME
from formicary_bench.vocabulary.names import FAMILY, QUICK, TOUR
from formicary_bench.vocabulary.parameters.shared import CLIENTS, Agents
from formicary_bench.vocabulary.places import APART, DIRECT, SAME, SPLIT, SPREADS, TWO_HOSTS, Carrier
from formicary_bench.vocabulary.values import CENTRAL, REPLICA

REGISTERING = replace(
    directory.of_changes(
        names.REGISTER,
        "Registering a service",
        "time of one registration of a service",
        "Alberola 2010, Fig. 12, 13",
        Take(subjects=directory.BUILT, carriers=DIRECTLY),
    ),
    metrics=(*directory.METRICS, directory.SEEN),
    says=directory.says("registering a service", "[; all others have seen it after {seen_us}]"),
    summarise=Loaded("formicary_bench.experiments.directory.pipeline:REGISTRATIONS"),
)


DEREGISTER = directory.of_changes(
    names.DEREGISTER,
    "Deregistering a service",
    "time of one deregistration of a service",
    "Alberola 2010, without a figure, as it was like Fig. 12, 13",
    Take(subjects=directory.BUILT, placements=ONE_OR_TWO, carriers=DIRECTLY),
)


SIZES = (5, *directory.SERVICES[1:])
"""Beginning at what a search finds: the empty answer with no services would count as growth."""

SEARCH = Experiment(
    name=names.SEARCH,
    title="Searching for services of a type",
    what="time of one search for services of a type",
    source="Alberola 2010, Fig. 14, 15, 16",
    repeats=Repeats(
        ALBEROLA,
        lambda rows: {
            14 if row.placement != TWO_HOSTS else 16 if row.spread == SPLIT else 15 for row in rows
        },
    ),
    parameters=directory.Uses,
    varies=directory.VARIES,
    sizes={"services": SIZES, "rounds": directory.ROUNDS},
    spreads=SPREADS,
    selected={
        QUICK: (
            Take(
                subjects=("formicary-replica",),
                sizes={"services": (1000,), "rounds": (5_000, 40_000, 0)},
                placements=(SAME,),
            ),
            Take(
                subjects=("formicary-central",),
                sizes={"services": (1000,), "rounds": (2_000, 20_000, 0)},
                placements=(SAME,),
            ),
        ),
        TOUR: (
            Take(subjects=("formicary-replica",), sizes={"services": (5, 1000)}, placements=(SAME,)),
            Take(subjects=("formicary-central",), sizes={"services": (1000,)}, placements=(SAME,)),
            Take(
                subjects=("formicary-central",),
                sizes={"services": (1000,)},
                placements=(APART,),
                carriers=(Carrier(DIRECT),),
            ),
        ),
        FAMILY: (Take(sizes={"services": SIZES}),),
    },
    quick=Preset(parts=(Take(subjects=directory.BUILT, carriers=DIRECTLY),)),
    paper=replace(directory.PAPER, sizes={"services": (5, *directory.PAPER.sizes["services"][1:])}),
    beside=directory.BESIDE,
    exchange=names.SEARCH,
    fit=directory.FIT,
    profiling=directory.PROFILING_SEARCH,
    duration=Loaded("formicary_bench.experiments.directory.pipeline:duration_of_search"),
    metrics=directory.METRICS,
    main=directory.TYPICAL,
    over="services",
    figures=directory.BY_SERVICES,
    says=directory.says("a search for the services of a type"),
    summarise=directory.SUMMARY,
)


SEARCHES = replace(RATE, title="searches per second", column="searches/s")


class Crowd(directory.Uses, frozen=True, kw_only=True):
    """Uses of a directory by a number of clients."""

    pairs: Annotated[int, CLIENTS] = 0


MANY_CLIENTS = Experiment(
    name="directory/clients",
    title="Many clients that search at once",
    what="searches per second, and the time of each, by the number of clients",
    source="our own; the bottleneck that Alberola 2010 expects of a central directory",
    parameters=Crowd,
    varies=("placement", "route", "tls"),
    sizes={"pairs": (1, 10, 50, 100), "services": (1000,)},
    placements=HERE_AND_THERE,
    subjects=directory.BUILT,
    exchange=names.SEARCH,
    quick=Preset(sizes={"pairs": (10,), "rounds": (50, 200, 100)}, parts=(Take(placements=(SAME,)),)),
    paper=Preset(sizes={"pairs": PAPER_PAIRS, "services": (200,)}, placements=ONE_OR_TWO),
    fit=Loaded("formicary_bench.experiments.directory.pipeline:of_clients"),
    profiling=directory.PROFILING_SEARCH,
    duration=Loaded("formicary_bench.experiments.directory.pipeline:duration_of_clients"),
    metrics=(MEAN, TIME, P99, SEARCHES),
    main=SEARCHES,
    over="pairs",
    figures=(Figure(metric=SEARCHES, over="pairs"), Figure(metric=P99, over="pairs")),
    says="{where}, {who}: {pairs} make {round_trips_per_s} searches per second, half of them within "
    "{rtt_p50_us} and 99% within {rtt_p99_us}.",
)


PROPAGATION = Experiment(
    name="directory/propagation",
    title="How registrations spread",
    what="time until other containers have seen a registration and confirmed it",
    source="our own; the delay that Alberola 2010 does not measure",
    parameters=directory.Spreading,
    varies=("route", "tls"),
    sizes={"services": (0,), "containers": (3,), "rounds": directory.ROUNDS},
    placements=(APART, TWO_HOSTS),
    kinds=(REPLICA, CENTRAL),
    selected={
        TOUR: (Take(subjects=("formicary-replica",), placements=(APART,), carriers=(Carrier(DIRECT),)),),
        FAMILY: (Take(sizes={"containers": (1, 3, 7)}),),
    },
    quick=Preset(parts=(Take(placements=(APART,), carriers=DIRECTLY),)),
    beside=directory.BESIDE,
    fit=directory.FIT,
    profiling=directory.PROFILING,
    duration=directory.DURATION,
    metrics=directory.METRICS,
    main=directory.TYPICAL,
    over="containers",
    figures=(
        Figure(
            metric=directory.METRICS[0],
            over="containers",
            title="Time against the number of other containers",
            caption="Mean time until all others have reported a registration.",
        ),
    ),
    says="{where}, {containers} have reported a registration in the {who} after {rtt_p50_us} "
    "(median){beside}.",
    summarise=Loaded("formicary_bench.experiments.directory.pipeline:SUMMARY"),
    played_by="formicary_bench.subjects.ours.propagation",
)


REGISTERED = replace(CREATION, title="agents registered per second", column="registered/s")

CHURN = Experiment(
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
    beside=directory.BESIDE,
    profiling=Loaded("formicary_bench.experiments.directory.pipeline:profiling_churn"),
    duration=Loaded("formicary_bench.experiments.directory.pipeline:duration_of_churn"),
    played_by="formicary_bench.subjects.ours.churn",
    metrics=(REGISTERED,),
    over="agents",
    says="{where}, {agents_per_s} agents per second are started, register with the {who}, are seen by all "
    "four containers, and end ({agents} in all).",
)


CPU_REGISTER = directory.of_cpu("directory/cpu-register", "registering", 4, 5)


CPU_SEARCH = directory.of_cpu("directory/cpu-search", "searching", 6, 7, directory.PROFILING_SEARCH)
