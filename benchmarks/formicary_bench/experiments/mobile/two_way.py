"""Messages each answered, for which nobody waits: `mobile/two-way`."""

from __future__ import annotations

from formicary_bench.experiments.messaging import OURS
from formicary_bench.experiments.mobile import ALONE, HERE_AND_THERE, LOOPS, Carrying, loops

EXPERIMENT = loops(
    "mobile/two-way",
    "Answered messages, without waiting",
    "messages answered one by one while more are sent, per second, until the last answer",
    "Dikaiakos 2001, MSG-2W: Fig. 12, Table 8",
    operation="message and its answer",
    parameters=Carrying,
    sizes={"loop": LOOPS, "payload_bytes": (100,)},
    placements=HERE_AND_THERE,
    subjects=(OURS,),
    quick=ALONE,
    played_by="talking",
)
