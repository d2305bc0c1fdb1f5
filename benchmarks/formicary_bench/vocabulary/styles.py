"""How people write agents that talk: each kind is one way of writing the same exchange."""

from __future__ import annotations

STYLES = TUNED, SHORT_NAMES, TIME_OUTS, TWO_BEHAVIOURS, SIX_BEHAVIOURS = (
    *("tuned", "short-names", "time-outs"),
    *("two-behaviours", "six-behaviours"),
)
"""Agents with behaviours. A tuned one has full names, no template, no time-out and `__slots__`; the next two
have one thing of the usual agents each, and the last two have more behaviours than those."""

MICRO_STYLES = MICRO_TUNED, MICRO_ASYNC = "micro-tuned", "micro-async"
"""Micro-agents: with full names, and with an asynchronous `handle`."""
