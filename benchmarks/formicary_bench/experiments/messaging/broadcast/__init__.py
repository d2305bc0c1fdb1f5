"""One sender, many receivers, one message each, and their answers: `messaging/broadcast`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment, Loaded, Preset, Take
from formicary_bench.experiments.messaging import DIRECTLY, HERE_AND_THERE, OURS, VARIES

EXPERIMENT = Experiment(
    name="messaging/broadcast",
    title="One sender, many receivers",
    what="time from when one sender sends each of many receivers a message until all have answered",
    varies=VARIES,
    pairs=(1, 10, 100),
    payloads=(100,),
    placements=HERE_AND_THERE,
    subjects=(OURS, "formicary-micro", "tasks", "callbacks", "tcp"),
    senders=lambda _: 1,
    quick=Preset(parts=(Take(subjects=(OURS, "tasks", "tcp"), carriers=DIRECTLY),)),
    played_by="formicary_bench.experiments.messaging.broadcast.worker",
    report=Loaded("formicary_bench.experiments.messaging.broadcast.report:REPORT"),
)
