"""Messages each answered, for which nobody waits: `mobile/two-way`."""

from __future__ import annotations

from formicary_bench.experiments.mobile import of_messages

EXPERIMENT = of_messages(
    name="mobile/two-way",
    title="Messages that are answered, without waiting",
    what="messages that are answered one by one while more are sent, per second, until the last answer",
    source="Dikaiakos 2001, MSG-2W: Fig. 12, Table 8",
)
