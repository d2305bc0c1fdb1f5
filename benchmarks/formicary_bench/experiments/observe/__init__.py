"""The cost of watching a platform: `observe/watch`.

- `rows`: how it is summarised
"""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment, Loaded, Preset, Take
from formicary_bench.experiments.messaging import FIT
from formicary_bench.vocabulary.metrics import TIMES, Metric
from formicary_bench.vocabulary.parameters.shared import Talk
from formicary_bench.vocabulary.places import SAME
from formicary_bench.vocabulary.values import CPU_TIMES, RATE_TIMES, WATCHES

_SUBJECTS = tuple(f"watched-{kind}" for kind in WATCHES)

CPU = Metric(
    CPU_TIMES,
    "CPU time of a round trip, times that without a viewer",
    TIMES,
    "CPU time",
    more_is_better=False,
    has_spread=True,
)
CHANGED_RATE = Metric(
    RATE_TIMES,
    "round trips per second, times those without a viewer",
    TIMES,
    "rate",
    more_is_better=True,
    has_spread=True,
)

EXPERIMENT = Experiment(
    name="observe/watch",
    title="Watched agents",
    what="CPU time and rate of pairs at full load with and without a viewer, alternating in one process",
    parameters=Talk,
    sizes={"pairs": (100,), "payload_bytes": (100,), "rounds": (500, 10_000, 500)},
    placements=(SAME,),
    subjects=_SUBJECTS,
    has_fixed_rounds=True,  # a few seconds, in which a viewer comes and goes many times
    fit=FIT,
    quick=Preset(parts=(Take(subjects=_SUBJECTS, placements=(SAME,)),)),
    metrics=(CPU, CHANGED_RATE),
    over="pairs",
    says=f"{{Who}}, {{pairs}}: {{{CPU_TIMES}}} times the CPU time of a round trip without a viewer, and "
    f"{{{RATE_TIMES}}} times the rate.",
    summarise=Loaded("formicary_bench.experiments.observe.rows:SUMMARY"),
)
