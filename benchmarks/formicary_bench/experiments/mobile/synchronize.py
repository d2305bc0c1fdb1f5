"""A message and its answer, which the sender waits for: `mobile/synchronize`."""

from __future__ import annotations

from formicary_bench.experiments.mobile import of_messages

EXPERIMENT = of_messages(
    name="mobile/synchronize",
    title="Messages whose answers are waited for",
    what="messages and their answers, one after the other, per second",
    source="Dikaiakos 2001, SYNCH: Fig. 14, Table 8",
)
