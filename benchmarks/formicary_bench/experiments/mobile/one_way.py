"""Messages with no answer: `mobile/one-way`."""

from __future__ import annotations

from formicary_bench.experiments.messaging import OURS
from formicary_bench.experiments.mobile import ALONE, HERE_AND_THERE, LOOPS, Carrying, loops

EXPERIMENT = loops(
    "mobile/one-way",
    "Messages without an answer",
    "messages from one agent to another per second, until the last one arrives",
    "Dikaiakos 2001, MSG-1W: Fig. 11, Table 8",
    operation="message",
    parameters=Carrying,
    sizes={"loop": LOOPS, "payload_bytes": (100,)},
    placements=HERE_AND_THERE,
    subjects=(OURS,),
    quick=ALONE,
    played_by="talking",
)
