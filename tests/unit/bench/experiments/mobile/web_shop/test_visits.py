"""What an agent asks for on a visit, and what it keeps of the pages."""

import msgspec

from formicary_bench.experiments.mobile.web_shop.catalogue import BOOKS, CUSTOMERS
from formicary_bench.experiments.mobile.web_shop.mixes import Interaction
from formicary_bench.experiments.mobile.web_shop.shop import Offer, Page
from formicary_bench.experiments.mobile.web_shop.visits import Errand, Findings, errand_for, requests_of
from formicary_bench.vocabulary.values import ORDERING, SHOPPING

ERRAND = Errand(SHOPPING, 40, "1-2", customer=5)


def page(*costs, **more):
    return Page([Offer(10 + at, "A Title", "Its Author", cost, 3) for at, cost in enumerate(costs)], **more)


def test_the_same_client_asks_for_the_same_at_the_same_visit():
    assert errand_for(SHOPPING, 3, "1-client-0", 7) == errand_for(SHOPPING, 3, "1-client-0", 7)
    several = {errand_for(SHOPPING, 3, "1-client-0", visit).customer for visit in range(20)}
    assert len(several) > 10
    assert all(1 <= customer <= CUSTOMERS for customer in several)


def test_a_visit_goes_on_where_it_was_after_the_agent_has_moved():
    whole = list(requests_of(ERRAND, Findings()))
    assert len(whole) == 40
    assert list(requests_of(ERRAND, Findings(pages=25))) == whole[25:]


def test_requests_are_about_what_there_is():
    assert all(1 <= one.book <= BOOKS and one.customer == 5 for one in requests_of(ERRAND, Findings()))


def test_of_a_page_the_cheapest_book_is_kept_and_looked_at_next():
    findings = Findings()
    findings.keep(Interaction.NEW_PRODUCTS, page(300, 100, 200), 700)
    assert (findings.book, findings.cost, findings.pages, findings.page_bytes) == (11, 100, 1, 700)
    details = [one for one in requests_of(ERRAND, findings) if one.interaction is Interaction.PRODUCT_DETAIL]
    assert {one.book for one in details} == {11}


def test_a_page_without_books_leaves_what_was_found():
    findings = Findings(book=4, cost=7)
    findings.keep(Interaction.ORDER_INQUIRY, page(), 20)
    assert (findings.book, findings.cost) == (4, 7)


def test_a_cart_is_kept_until_it_is_bought():
    findings = Findings()
    findings.keep(Interaction.SHOPPING_CART, page(100, cart=3, total=100), 1)
    findings.keep(Interaction.HOME, page(50), 1)
    assert findings.cart == 3
    ordering = Errand(ORDERING, 200, "1-2", customer=5)
    carts = {one.interaction: one.cart for one in requests_of(ordering, findings)}
    assert (carts[Interaction.BUY_CONFIRM], carts[Interaction.HOME]) == (3, 0)
    findings.keep(Interaction.BUY_CONFIRM, page(100, order=9, total=90), 1)
    assert (findings.cart, findings.orders, findings.spent) == (0, 1, 90)


def test_what_goes_home_is_small():
    assert len(msgspec.msgpack.encode(Findings(2**20, 2**30, 1000, 9999, 2**20, 2**20, 2**30))) < 200
