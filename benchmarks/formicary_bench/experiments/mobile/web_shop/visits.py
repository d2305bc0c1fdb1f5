"""A visit: the client's errand, the agent's requests to the shop, and what it keeps of the pages.

A list of books becomes the cheapest of them, a cart a sum: much less goes home than was read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.mobile.web_shop.catalogue import BOOKS, CUSTOMERS, SUBJECTS, SYLLABLES
from formicary_bench.experiments.mobile.web_shop.mixes import Interaction, wishes
from formicary_bench.experiments.mobile.web_shop.shop import Request

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.experiments.mobile.web_shop.mixes import Wish
    from formicary_bench.experiments.mobile.web_shop.shop import Page

_OF_THE_BEST = {Interaction.PRODUCT_DETAIL, Interaction.SHOPPING_CART}
_OF_A_SUBJECT = {Interaction.NEW_PRODUCTS, Interaction.BEST_SELLERS}
_WITH_CART = {Interaction.SHOPPING_CART, Interaction.BUY_REQUEST, Interaction.BUY_CONFIRM}


class Errand(msgspec.Struct, frozen=True):
    """The errand of an agent.

    Attributes:
        mix: the mix of requests.
        requests: their number.
        seed: the seed to draw them.
        customer: the customer.
    """

    mix: str
    requests: int
    seed: str
    customer: int


class Findings(msgspec.Struct):
    """What the agent keeps of the pages and brings home.

    Attributes:
        pages: the number of pages.
        page_bytes: their bytes in messages.
        book: the cheapest book of the last page with any; 0 before.
        cost: its price.
        cart: its cart; 0 for none.
        orders: the number of orders made.
        spent: the total of these in cents.
    """

    pages: int = 0
    page_bytes: int = 0
    book: int = 0
    cost: int = 0
    cart: int = 0
    orders: int = 0
    spent: int = 0

    def keep(self, interaction: Interaction, page: Page, size: int) -> None:
        """Keep what matters of a page.

        Args:
            interaction: the interaction.
            page: the page.
            size: its bytes.
        """
        self.pages += 1
        self.page_bytes += size
        if page.offers:
            best = min(page.offers, key=lambda offer: (offer.cost, offer.book))
            self.book, self.cost = best.book, best.cost
        if interaction in _WITH_CART:
            self.cart = page.cart
        if interaction is Interaction.BUY_CONFIRM:
            self.orders += 1
            self.spent += page.total


def errand_for(mix: str, requests: int, client: str, visit: int) -> Errand:
    """Return the errand of a visit.

    Args:
        mix: the mix of requests.
        requests: their number.
        client: the client's name: each makes the same visits in all runs.
        visit: the number of the visit, from 0.
    """
    seed = f"{client}-{visit}"
    ((_, choice),) = wishes(mix, 1, f"{seed}-customer")
    return Errand(mix, requests, seed, 1 + choice % CUSTOMERS)


def requests_of(errand: Errand, findings: Findings) -> Iterator[Request]:
    """Yield the remaining requests of a visit; each depends on the findings so far."""
    for wish in wishes(errand.mix, errand.requests, errand.seed)[findings.pages :]:
        yield _request(wish, errand, findings)


def _request(wish: Wish, errand: Errand, findings: Findings) -> Request:
    interaction, choice = wish
    book = findings.book if interaction in _OF_THE_BEST else 0
    words = SUBJECTS if interaction in _OF_A_SUBJECT else SYLLABLES
    return Request(
        interaction,
        errand.customer,
        book or 1 + choice % BOOKS,
        findings.cart if interaction in _WITH_CART else 0,
        words[choice % len(words)],
        choice,
    )
