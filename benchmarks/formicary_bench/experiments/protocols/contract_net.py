"""One agent that calls for proposals, and awards a task to the cheapest bidder: `protocols/contract-net`."""

from __future__ import annotations

from formicary_bench.experiments.protocols import conversations
from formicary_bench.vocabulary.names import CONTRACT_NET

EXPERIMENT = conversations(
    CONTRACT_NET,
    "Contract nets",
    "contract nets of one initiator, from call to result, by number of bidders, beside bare messages",
    "FIPA SC00029",
    pairs=(10, 100, 1000),
    senders=lambda _: 1,
    exchange=CONTRACT_NET,
)
