"""Agents that ask others to do something: `protocols/request`."""

from __future__ import annotations

from formicary_bench.experiments.protocols import conversations
from formicary_bench.vocabulary.names import REQUEST

EXPERIMENT = conversations(
    REQUEST,
    "Requests",
    "requests by FIPA's protocol, from the first message to the result, beside bare messages",
    "FIPA SC00026",
    pairs=(1, 10, 100),
    senders=lambda _: 0,
    exchange=REQUEST,
)
