"""Messages with no answer: `mobile/one-way`."""

from __future__ import annotations

from formicary_bench.experiments.mobile import of_messages

EXPERIMENT = of_messages(
    name="mobile/one-way",
    title="Messages without an answer",
    what="messages that one agent sends another, per second, until the last one is there",
    source="Dikaiakos 2001, MSG-1W: Fig. 11, Table 8",
)
