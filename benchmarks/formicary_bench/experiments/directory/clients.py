"""Many clients that search at once: `directory/clients`.

The papers call a central directory a bottleneck; here as many clients as there are load it fully.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from formicary_bench.experiments.directory import BUILT, PROFILING_SEARCH, Uses
from formicary_bench.experiments.experiment import Experiment, Figure, Loaded, Preset, Take
from formicary_bench.experiments.messaging import HERE_AND_THERE, ONE_OR_TWO, PAPER_PAIRS
from formicary_bench.vocabulary.metrics import MEAN, P99, RATE, TIME
from formicary_bench.vocabulary.parameters.shared import CLIENTS
from formicary_bench.vocabulary.places import SAME

SEARCHES = replace(RATE, title="searches per second", column="searches/s")


class Crowd(Uses, frozen=True, kw_only=True):
    """So many clients' uses of a directory."""

    pairs: Annotated[int, CLIENTS] = 0


EXPERIMENT = Experiment(
    name="directory/clients",
    title="Many clients that search at once",
    what="searches per second, and the time of each, by the number of clients",
    source="our own; the bottleneck that Alberola 2010 expects of a central directory",
    parameters=Crowd,
    varies=("placement", "route", "tls"),
    sizes={"pairs": (1, 10, 50, 100), "services": (1000,)},
    placements=HERE_AND_THERE,
    subjects=BUILT,
    quick=Preset(sizes={"pairs": (10,), "rounds": (50, 200, 100)}, parts=(Take(placements=(SAME,)),)),
    paper=Preset(sizes={"pairs": PAPER_PAIRS, "services": (200,)}, placements=ONE_OR_TWO),
    fit=Loaded("formicary_bench.experiments.directory.plan:of_clients"),
    profiling=PROFILING_SEARCH,
    duration=Loaded("formicary_bench.experiments.directory.plan:duration_of_clients"),
    metrics=(MEAN, TIME, P99, SEARCHES),
    main=SEARCHES,
    over="pairs",
    figures=(Figure(metric=SEARCHES, over="pairs"), Figure(metric=P99, over="pairs")),
    says="{where}, {who}: {pairs} make {round_trips_per_s} searches per second, half of them within "
    "{rtt_p50_us} and 99% within {rtt_p99_us}.",
)
