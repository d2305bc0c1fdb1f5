"""Designs of delivery side by side: `messaging/designs`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment, Loaded, Preset, Take
from formicary_bench.experiments.messaging import DIRECTLY, FIT, ONE_OR_TWO, OURS, PAPER_PAIRS, VARIES
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.parameters.shared import Talk
from formicary_bench.vocabulary.places import APART, SAME
from formicary_bench.vocabulary.values import DELIVERIES, TUNED

_SUBJECTS = (
    *(OURS, "formicary-unbatched"),
    *(f"design-{kind}" for kind in DELIVERIES),
    f"style-{TUNED}",
    *("formicary-logins", "tasks", "tcp", "components"),
)

EXPERIMENT = Experiment(
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
    # The designs of its platforms, which Section 5.1 explains its figures by.
    paper=Preset(sizes={"pairs": PAPER_PAIRS}, placements=(SAME, APART)),
    over="pairs",
    summarise=Loaded("formicary_bench.experiments.messaging.designs.rows:SUMMARY"),
)
