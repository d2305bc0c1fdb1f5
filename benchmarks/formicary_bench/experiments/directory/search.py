"""Searching for services of a type: `directory/search`."""

from __future__ import annotations

from dataclasses import replace

from formicary_bench.experiments.directory import (
    BESIDE,
    BUILT,
    BY_SERVICES,
    FIT,
    METRICS,
    PAPER,
    PROFILING_SEARCH,
    ROUNDS,
    SERVICES,
    SUMMARY,
    TYPICAL,
    VARIES,
    Uses,
    says,
)
from formicary_bench.experiments.experiment import ALBEROLA, Experiment, Loaded, Preset, Repeats, Take
from formicary_bench.experiments.messaging import DIRECTLY
from formicary_bench.vocabulary.names import FAMILY, QUICK, TOUR
from formicary_bench.vocabulary.places import APART, DIRECT, SAME, SPLIT, SPREADS, TWO_HOSTS, Carrier

SIZES = (5, *SERVICES[1:])
"""From as many as a search finds on: the answer with none is empty, which would count as growth."""

EXPERIMENT = Experiment(
    name="directory/search",
    title="Searching for services of a type",
    what="time of one search for services of a type",
    source="Alberola 2010, Fig. 14, 15, 16",
    repeats=Repeats(
        ALBEROLA,
        lambda rows: {
            14 if row.placement != TWO_HOSTS else 16 if row.spread == SPLIT else 15 for row in rows
        },
    ),
    parameters=Uses,
    varies=VARIES,
    sizes={"services": SIZES, "rounds": ROUNDS},
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
    quick=Preset(parts=(Take(subjects=BUILT, carriers=DIRECTLY),)),
    paper=replace(PAPER, sizes={"services": (5, *PAPER.sizes["services"][1:])}),
    beside=BESIDE,
    fit=FIT,
    profiling=PROFILING_SEARCH,
    duration=Loaded("formicary_bench.experiments.directory.plan:duration_of_search"),
    metrics=METRICS,
    main=TYPICAL,
    over="services",
    figures=BY_SERVICES,
    says=says("a search for the services of a type"),
    summarise=SUMMARY,
)
