"""The same round trips with other designs, in other styles and without agents.

The experiments are `messaging/designs`, `messaging/styles` and `messaging/lower-bound`.

The paper measures TCP sockets. On one host our links are Unix sockets, so these are measured as well, beside
links over TCP; the fastest way between two processes is memory that both map.
"""

from __future__ import annotations

from dataclasses import replace

from formicary_bench.experiments.experiment import ALBEROLA, Experiment, Figure, Loaded, Preset, Repeats, Take
from formicary_bench.experiments.messaging import (
    DIRECTLY,
    FIT,
    HERE_AND_THERE,
    HUNDRED,
    ONE_OR_TWO,
    OURS,
    PAPER_PAIRS,
    VARIES,
)
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.metrics import RATE, TIME, TOTAL
from formicary_bench.vocabulary.parameters.shared import Talk
from formicary_bench.vocabulary.places import APART, MEMORY, SAME, TWO_HOSTS, UNIX, Carrier
from formicary_bench.vocabulary.values import DELIVERIES, MICRO_STYLES, STYLES, TUNED

_SUBJECTS = (
    *(OURS, "formicary-unbatched"),
    *(f"design-{kind}" for kind in DELIVERIES),
    f"style-{TUNED}",
    *("formicary-logins", "tasks", "tcp", "components"),
)

DESIGNS = Experiment(
    name=names.DESIGNS,
    title="Designs of delivery side by side",
    what="round-trip time by the design of delivery: other platforms' in one process, ours without its parts",
    source="Alberola 2010, Section 5.1; Frantz 2010",
    varies=VARIES,
    parameters=Talk,
    sizes={"pairs": (1, 10, 100), "payload_bytes": (100,)},
    placements=(SAME, APART),
    subjects=_SUBJECTS,
    fit=FIT,
    quick=Preset(
        parts=(
            Take(subjects=_SUBJECTS, placements=ONE_OR_TWO, carriers=DIRECTLY),
            Take(subjects=(OURS, "formicary-unbatched"), placements=(APART,), carriers=DIRECTLY),
        )
    ),
    # The designs of the paper's platforms, by which Section 5.1 explains its figures.
    paper=Preset(sizes={"pairs": PAPER_PAIRS}, placements=(SAME, APART)),
    over="pairs",
    summarise=Loaded("formicary_bench.experiments.messaging.pipeline:OF_DESIGNS"),
)


_STYLES = (
    OURS,
    "formicary-micro",
    *(f"style-{kind}" for kind in (*STYLES, *MICRO_STYLES)),
    *("tasks", "callbacks"),
)

STYLED = Experiment(
    name="messaging/styles",
    title="The same agents, written in different ways",
    what="round-trip time by how agents are written: names, templates, timeouts, several behaviours",
    parameters=Talk,
    sizes={"pairs": (1, 100), "payload_bytes": (100,)},
    placements=(SAME,),
    subjects=_STYLES,
    fit=FIT,
    quick=Preset(parts=(Take(subjects=_STYLES, placements=(SAME,)),)),
    over="pairs",
    summarise=Loaded("formicary_bench.experiments.messaging.pipeline:OF_STYLES"),
)


_AGENTS = (OURS, "formicary-tcp", "formicary-micro")
_HERE_ALONE = ("unix", "shared-memory")
_WAYS = (*DIRECTLY, Carrier(UNIX), Carrier(MEMORY))
_CAPTION = (
    "All measured messages of all pairs. On one host direct links are Unix sockets. Processes have a TCP or "
    "Unix socket for each pair, or poll shared memory, which keeps a core of each busy."
)

LOWER_BOUND = Experiment(
    name=names.LOWER_BOUND,
    title="Agents beside plain processes",
    what="total time of 1000 messages of each pair, beside plain processes over sockets and shared memory",
    source="Alberola 2010, Fig. 10, 11",
    repeats=Repeats(ALBEROLA, lambda rows: {11 if row.placement == TWO_HOSTS else 10 for row in rows}),
    varies=VARIES,
    parameters=Talk,
    subjects=(*_AGENTS, "tasks", "callbacks", "tcp", *_HERE_ALONE, "components"),
    sizes={"pairs": (1, 10, 50, 100), "payload_bytes": (100,)},
    placements=HERE_AND_THERE,
    has_fixed_rounds=True,  # total times are comparable if all make the same number
    fit=FIT,
    exchange="messaging/pairs",
    quick=Preset(
        sizes={"pairs": (10,)},
        parts=(Take(subjects=(OURS, "formicary-tcp", "tcp", *_HERE_ALONE), carriers=_WAYS),),
    ),
    # Figures 10 and 11 have no end of pairs; take those of the other figures.
    paper=Preset(sizes={"pairs": PAPER_PAIRS}, repeat=HUNDRED, placements=ONE_OR_TWO),
    metrics=(TOTAL, replace(TIME, minor=True), replace(RATE, minor=True)),
    main=TOTAL,
    over="pairs",
    figures=(Figure(metric=TOTAL, over="pairs", caption=_CAPTION),),
    says="{where}, {who}: {pairs} take {total_s} in all{beside}.",
    summarise=Loaded("formicary_bench.experiments.messaging.pipeline:OF_LOWER_BOUNDS"),
)
