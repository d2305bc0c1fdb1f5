"""What it costs to watch a platform: `observe/watch`.

- `rows`, `report`: how it is summarised and shown; `limits`: whether it costs no more than it may
"""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment, Loaded, Preset, Take
from formicary_bench.vocabulary.placements import SAME
from formicary_bench.vocabulary.watching import WATCHES

_SUBJECTS = tuple(f"watched-{kind}" for kind in WATCHES)

EXPERIMENT = Experiment(
    name="observe/watch",
    title="Agents that are watched",
    what="CPU time and rate of pairs at full load with a viewer and without, in turns in one process",
    varies=("pairs", "payload", "rounds"),
    pairs=(100,),
    payloads=(100,),
    placements=(SAME,),
    subjects=_SUBJECTS,
    rounds=(500, 10_000, 500),
    has_fixed_rounds=True,  # a few seconds, in which a viewer comes and goes often
    quick=Preset(parts=(Take(subjects=_SUBJECTS, placements=(SAME,)),)),
    summarise=Loaded("formicary_bench.experiments.observe.rows:SUMMARY"),
    report=Loaded("formicary_bench.experiments.observe.report:REPORT"),
)
