"""A message and its answer, which the sender waits for: `mobile/synchronize`."""

from __future__ import annotations

from formicary_bench.experiments.messaging import OURS
from formicary_bench.experiments.mobile import ALONE, HERE_AND_THERE, LOOPS, Carrying, loops

EXPERIMENT = loops(
    "mobile/synchronize",
    "Messages that wait for answers",
    "messages and their answers, one after the other, per second",
    "Dikaiakos 2001, SYNCH: Fig. 14, Table 8",
    operation="message and its answer",
    parameters=Carrying,
    sizes={"loop": LOOPS, "payload_bytes": (100,)},
    placements=HERE_AND_THERE,
    subjects=(OURS,),
    quick=ALONE,
    played_by="talking",
)
