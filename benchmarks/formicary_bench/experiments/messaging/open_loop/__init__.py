"""Messages at a given rate, whose senders do not wait for answers: `messaging/open-loop`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment, Loaded, Preset, Take
from formicary_bench.experiments.messaging import DIRECTLY, HERE_AND_THERE, OURS, VARIES
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.arrivals import CONSTANT

EXPERIMENT = Experiment(
    name=names.OPEN_LOOP,
    title="Messages at a given rate, which wait for no answers",
    what="time from when a message was due until its answer, at a given rate",
    varies=("rate", "arrivals", *VARIES),
    pairs=(10,),
    payloads=(100,),
    placements=HERE_AND_THERE,
    subjects=(OURS, "formicary-micro", "tasks", "tcp"),
    rates=(1000, 5000),
    arrivals=(CONSTANT,),
    quick=Preset(parts=(Take(subjects=(OURS, "tcp"), carriers=DIRECTLY),)),
    plan=Loaded("formicary_bench.experiments.messaging.open_loop.plan:plan_rates"),
    played_by="formicary_bench.subjects.ours.open_loop",
    summarise=Loaded("formicary_bench.experiments.messaging.open_loop.rows:SUMMARY"),
    report=Loaded("formicary_bench.experiments.messaging.open_loop.report:REPORT"),
)
