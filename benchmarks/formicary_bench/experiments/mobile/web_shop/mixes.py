"""The requests of visitors: TPC-W's fourteen interactions, in the frequencies of its three mixes.

The frequencies are those of TPC-W 1.8, where they result from a table of transitions between pages; 95, 80
and 50 percent of requests only browse. Here each request is drawn independently, so that even a short visit
costs what the mix costs.
"""

from __future__ import annotations

import random
from enum import StrEnum
from typing import NamedTuple

from formicary_bench.vocabulary.values import BROWSING, ORDERING, SHOPPING


class Interaction(StrEnum):
    """A request that a visitor can make."""

    HOME = "home"
    NEW_PRODUCTS = "new products"
    BEST_SELLERS = "best sellers"
    PRODUCT_DETAIL = "product detail"
    SEARCH_REQUEST = "search request"
    SEARCH_RESULTS = "search results"
    SHOPPING_CART = "shopping cart"
    CUSTOMER_REGISTRATION = "customer registration"
    BUY_REQUEST = "buy request"
    BUY_CONFIRM = "buy confirm"
    ORDER_INQUIRY = "order inquiry"
    ORDER_DISPLAY = "order display"
    ADMIN_REQUEST = "admin request"
    ADMIN_CONFIRM = "admin confirm"


ORDERS = tuple(Interaction)[6:]
"""Those about an order; the others only browse."""

PERCENT: dict[str, tuple[float, ...]] = {
    BROWSING: (29.00, 11.00, 11.00, 21.00, 12.00, 11.00, 2.00, 0.82, 0.75, 0.69, 0.30, 0.25, 0.10, 0.09),
    SHOPPING: (16.00, 5.00, 5.00, 17.00, 20.00, 17.00, 11.60, 3.00, 2.60, 1.20, 0.75, 0.66, 0.10, 0.09),
    ORDERING: (9.12, 0.46, 0.46, 12.35, 14.53, 13.08, 13.53, 12.86, 12.73, 10.18, 0.25, 0.22, 0.12, 0.11),
}
"""The percentage of each interaction in a mix, in the order of `Interaction`."""

_EVERY = tuple(Interaction)
_MOST = 2**31


class Wish(NamedTuple):
    """A request as drawn: the interaction, and a number for the agent's choices."""

    interaction: Interaction
    choice: int


def wishes(mix: str, count: int, seed: str) -> list[Wish]:
    """Draw the requests of one visit.

    Args:
        mix: the name of the mix.
        count: the number of requests.
        seed: of the visit; equal seeds give equal requests on all machines.
    """
    source = random.Random(seed)
    drawn = source.choices(_EVERY, PERCENT[mix], k=count)
    return [Wish(interaction, source.randrange(_MOST)) for interaction in drawn]
