"""Dutch auctions that are over at the first price: `protocols/auction`.

One bidder takes that price, so all of the time goes into messages. In an English auction, and at each price
that nobody takes, a good part is waiting whether there comes a bid.
"""

from __future__ import annotations

from formicary_bench.experiments.protocols import conversations
from formicary_bench.vocabulary.names import AUCTION

EXPERIMENT = conversations(
    AUCTION,
    "Dutch auctions",
    "Dutch auctions that end at the first price, by number of bidders, beside bare messages",
    "FIPA XC00032",
    pairs=(10, 100, 1000),
    senders=lambda _: 1,
)
