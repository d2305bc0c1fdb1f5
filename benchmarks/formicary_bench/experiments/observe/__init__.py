"""What it costs to watch a platform: `observe/watch`.

- `rows`, `report`: how it is summarised and shown
"""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment, Loaded, Preset, Take
from formicary_bench.experiments.messaging import OURS
from formicary_bench.vocabulary.placements import SAME
from formicary_bench.vocabulary.watching import WATCHES

_SUBJECTS = (OURS, *(f"watched-{kind}" for kind in WATCHES))

EXPERIMENT = Experiment(
    name="observe/watch",
    title="Agents that are watched",
    what="round-trip time of pairs at full load without a viewer, with one, and after one has gone",
    varies=("pairs", "payload", "rounds"),
    pairs=(1, 100),
    payloads=(100,),
    placements=(SAME,),
    subjects=_SUBJECTS,
    quick=Preset(parts=(Take(subjects=_SUBJECTS, placements=(SAME,)),)),
    summarise=Loaded("formicary_bench.experiments.observe.rows:SUMMARY"),
    report=Loaded("formicary_bench.experiments.observe.report:REPORT"),
)
