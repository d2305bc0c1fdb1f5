"""The highest rate at which messages are answered in time: `messaging/saturation`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment, Loaded, Preset, Take
from formicary_bench.experiments.messaging import DIRECTLY, ONE_OR_TWO, OURS, VARIES, open_loop
from formicary_bench.vocabulary import names

EXPERIMENT = Experiment(
    name=names.SATURATION,
    title="The highest rate at which messages are answered in time",
    what="highest rate of messages at which 99% are answered in time",
    varies=("p99", "arrivals", *(name for name in VARIES if name != "rounds")),
    pairs=open_loop.EXPERIMENT.pairs,
    payloads=open_loop.EXPERIMENT.payloads,
    placements=open_loop.EXPERIMENT.placements,
    subjects=open_loop.EXPERIMENT.subjects,
    arrivals=open_loop.EXPERIMENT.arrivals,
    limit_us=5000,
    quick=Preset(parts=(Take(subjects=(OURS,), placements=ONE_OR_TWO, carriers=DIRECTLY),)),
    plan=Loaded("formicary_bench.experiments.messaging.open_loop.plan:plan_searches"),
    played_by=open_loop.EXPERIMENT.played_by,
    measure=Loaded("formicary_bench.experiments.messaging.saturation.measure:measure_saturation"),
    summarise=Loaded("formicary_bench.experiments.messaging.saturation.rows:SUMMARY"),
    report=Loaded("formicary_bench.experiments.messaging.saturation.report:REPORT"),
)
