"""The shop's statements in real databases: SQLite, and PostgreSQL where it is installed."""

import asyncio

import pytest

from formicary.errors import FormicaryError
from formicary_bench.experiments.mobile.web_shop import postgresql_server
from formicary_bench.experiments.mobile.web_shop.catalogue import CUSTOMERS, ORDERS, make_catalogue
from formicary_bench.experiments.mobile.web_shop.databases import filled
from formicary_bench.experiments.mobile.web_shop.mixes import Interaction
from formicary_bench.experiments.mobile.web_shop.shop import Request, Shop
from formicary_bench.vocabulary.values import POSTGRESQL, SQLITE

CATALOGUE = make_catalogue(7)


@pytest.fixture(scope="module")
def server():
    """The address of a server shared by all tests; None if PostgreSQL is not installed."""
    with asyncio.Runner() as runner:
        running = postgresql_server.server()
        try:
            address = runner.run(running.__aenter__())
        except FormicaryError:
            yield None
            return
        yield address
        runner.run(running.__aexit__(None, None, None))


@pytest.fixture(params=[SQLITE, pytest.param(POSTGRESQL, marks=pytest.mark.postgresql)])
def database(request, server, monkeypatch):
    if server and request.param == POSTGRESQL:
        monkeypatch.setenv(postgresql_server.GIVEN, server)
    return request.param


def ask(interaction, **about):
    return Request(interaction, about.pop("customer", 5), about.pop("book", 10), **about)


async def test_pages_have_what_was_asked_for(database):
    async with filled(database, CATALOGUE) as connect:
        shop = Shop(await connect())
        home = await shop.answer(ask(Interaction.HOME))
        assert [offer.book for offer in home.offers] == [10, 11, 12, 13, 14]
        assert home.text == CATALOGUE.customer[4][1]

        new = await shop.answer(ask(Interaction.NEW_PRODUCTS, word="travel"))
        days = {row[0]: row[4] for row in CATALOGUE.book if row[3] == "travel"}
        assert [days[offer.book] for offer in new.offers] == sorted(days.values(), reverse=True)[:50]

        best = await shop.answer(ask(Interaction.BEST_SELLERS, word="travel"))
        sold = dict.fromkeys(days, 0)
        for _, book, copies in CATALOGUE.order_line:
            if book in sold:
                sold[book] += copies
        assert [sold[offer.book] for offer in best.offers] == sorted(
            filter(None, sold.values()), reverse=True
        )

        detail = await shop.answer(ask(Interaction.PRODUCT_DETAIL, book=77))
        number, title, author, _, _, cost, stock, description = CATALOGUE.book[76]
        (offer,) = detail.offers
        assert (offer.book, offer.title, offer.cost, offer.stock) == (number, title, cost, stock)
        assert (offer.author, detail.text) == (CATALOGUE.author[author - 1][1], description)


async def test_searches_find_titles_or_authors(database):
    async with filled(database, CATALOGUE) as connect:
        shop = Shop(await connect())
        by_title = await shop.answer(ask(Interaction.SEARCH_RESULTS, word="gu", choice=2))
        by_author = await shop.answer(ask(Interaction.SEARCH_RESULTS, word="gu", choice=3))
    assert 0 < len(by_title.offers) <= 50
    assert all("gu" in offer.title.lower() for offer in by_title.offers)
    assert by_author.offers
    assert all("gu" in offer.author.lower() for offer in by_author.offers)


async def test_a_cart_becomes_an_order(database):
    async with filled(database, CATALOGUE) as connect:
        shop, other = Shop(await connect()), await connect()
        cart = await shop.answer(ask(Interaction.SHOPPING_CART, book=20))
        assert cart.cart
        await shop.answer(ask(Interaction.SHOPPING_CART, book=21, cart=cart.cart))
        full = await shop.answer(ask(Interaction.SHOPPING_CART, book=21, cart=cart.cart))
        costs = {row[0]: row[5] for row in CATALOGUE.book}
        assert {(offer.book, offer.stock) for offer in full.offers[:2]} == {(20, 1), (21, 2)}
        assert full.total == costs[20] + 2 * costs[21]

        request = await shop.answer(ask(Interaction.BUY_REQUEST, cart=full.cart, choice=99))
        assert (request.cart, request.total) == (full.cart, full.total)
        bought = await shop.answer(ask(Interaction.BUY_CONFIRM, cart=full.cart))
        discount = CATALOGUE.customer[4][2]
        assert bought.order == ORDERS + 1
        assert bought.total == full.total * (100 - discount) // 100
        shown = await shop.answer(ask(Interaction.ORDER_DISPLAY))
        assert (shown.order, shown.total) == (bought.order, bought.total)
        assert [(offer.book, offer.stock) for offer in shown.offers] == [(20, 1), (21, 2)]

        stock = (await other.fetch("SELECT stock FROM book WHERE id = ?1", 21))[0][0]  # seen by others, too
        left = CATALOGUE.book[20][6] - 2
        assert stock == (left if left >= 10 else left + 21)
        assert [tuple(row) for row in await other.fetch("SELECT COUNT(*) FROM cart")] == [(0,)]


async def test_who_buys_may_be_new_to_the_shop(database):
    async with filled(database, CATALOGUE) as connect:
        connection = await connect()
        await Shop(connection).answer(ask(Interaction.BUY_REQUEST, word="Somebody", choice=0))
        last = await connection.fetch("SELECT id, name FROM customer ORDER BY id DESC LIMIT 1")
    assert tuple(last[0]) == (CUSTOMERS + 1, "Somebody")


async def test_the_other_pages(database):
    async with filled(database, CATALOGUE) as connect:
        shop = Shop(await connect())
        assert len((await shop.answer(ask(Interaction.SEARCH_REQUEST))).offers) == 5
        name = CATALOGUE.customer[4][1]
        assert (await shop.answer(ask(Interaction.CUSTOMER_REGISTRATION))).text == name
        assert (await shop.answer(ask(Interaction.ORDER_INQUIRY))).text == name
        assert (await shop.answer(ask(Interaction.ADMIN_REQUEST))).offers[0].cost == CATALOGUE.book[9][5]
        changed = await shop.answer(ask(Interaction.ADMIN_CONFIRM, choice=23))
        assert changed.offers[0].cost == 123
        without = next(
            row[0] for row in CATALOGUE.customer if row[0] not in {one[1] for one in CATALOGUE.orders}
        )
        assert (await shop.answer(ask(Interaction.ORDER_DISPLAY, customer=without))).offers == []


async def test_of_a_request_that_fails_nothing_counts(database):
    async with filled(database, CATALOGUE) as connect:
        connection = await connect()
        with pytest.raises(ValueError, match="not enough values"):  # there is no such customer
            await Shop(connection).answer(ask(Interaction.BUY_CONFIRM, customer=CUSTOMERS + 50))
        assert tuple((await connection.fetch("SELECT COUNT(*) FROM cart"))[0]) == (0,)
        await Shop(connection).answer(ask(Interaction.BUY_CONFIRM))


async def test_without_postgresql_it_is_said_what_to_do(monkeypatch, tmp_path):
    monkeypatch.delenv(postgresql_server.GIVEN, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(postgresql_server, "_DEBIAN", tmp_path)
    with pytest.raises(
        FormicaryError, match=r"PostgreSQL is not installed; install it .* FORMICARY_POSTGRESQL"
    ):
        async with postgresql_server.server():
            pass


async def test_a_server_that_is_given_is_taken(monkeypatch):
    monkeypatch.setenv(postgresql_server.GIVEN, "postgresql://me@database.example/shops")
    async with postgresql_server.server() as address:
        assert address == "postgresql://me@database.example/shops"


@pytest.mark.postgresql
async def test_a_server_that_does_not_answer_is_said_to_be(monkeypatch, tmp_path):
    monkeypatch.setenv(postgresql_server.GIVEN, f"postgresql://me@/shops?host={tmp_path}")
    with pytest.raises(FormicaryError, match="PostgreSQL refused the connection"):
        async with filled(POSTGRESQL, CATALOGUE):
            pass


@pytest.mark.postgresql
async def test_nothing_stays_in_a_server_that_is_given(server, monkeypatch):
    import asyncpg

    monkeypatch.setenv(postgresql_server.GIVEN, server)
    async with filled(POSTGRESQL, CATALOGUE):
        pass
    connection = await asyncpg.connect(server)
    left = await connection.fetch("SELECT 1 FROM pg_namespace WHERE nspname LIKE 'formicary%'")
    await connection.close()
    assert left == []


@pytest.mark.postgresql
async def test_a_server_of_our_own_that_does_not_start_says_why(monkeypatch):
    monkeypatch.delenv(postgresql_server.GIVEN, raising=False)
    command = postgresql_server._command
    monkeypatch.setattr(postgresql_server, "_command", lambda *of: [*command(*of), "-c", "no_such=1"])
    with pytest.raises(FormicaryError, match=r"PostgreSQL does not start \(it has ended\).*no_such"):
        async with asyncio.timeout(60), postgresql_server.server():
            pass
