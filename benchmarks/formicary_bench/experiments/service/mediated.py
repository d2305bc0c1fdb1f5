"""A client asks a coordinator, which has one agent fetch something and another one print it."""

from __future__ import annotations

from formicary_bench.experiments.experiment import FRANTZ, Experiment, Loaded, Preset, Repeats, Take
from formicary_bench.experiments.messaging import OURS
from formicary_bench.vocabulary.names import MEDIATED
from formicary_bench.vocabulary.placements import SAME

_HERE = "formicary_bench.experiments.service"
_SUBJECTS = (OURS, "formicary-micro", "tasks", "callbacks")

EXPERIMENT = Experiment(
    name=MEDIATED,
    title="A service with a coordinator",
    what="time for rounds in which a coordinator has one agent fetch and another one print; memory",
    source="Frantz 2010, Fig. 1, Table 1",
    repeats=Repeats(FRANTZ, lambda _: {1}, "Table"),
    varies=("requests",),
    requests=(1000, 10_000, 100_000),
    placements=(SAME,),
    subjects=_SUBJECTS,
    exchange=MEDIATED,
    quick=Preset(parts=(Take(subjects=_SUBJECTS, placements=(SAME,)),)),
    paper=Preset(requests=(1000, 10_000, 100_000, 1_000_000), repeat=10),
    plan=Loaded(f"{_HERE}.plan:plan_rounds"),
    played_by=f"{_HERE}.worker",
    summarise=Loaded(f"{_HERE}.rows:SUMMARY"),
    report=Loaded(f"{_HERE}.report:REPORT"),
)
