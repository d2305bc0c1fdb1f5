"""The shop: what each interaction reads and writes in the database, and the page it returns.

Tables and statements follow TPC-W, without credit cards, addresses and pictures. The statements are the same
for all databases.
"""

# ruff: noqa: S608 - statements consist of our own parts; requests only supply values

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from formicary_bench.experiments.mobile.web_shop.mixes import Interaction

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from formicary_bench.experiments.mobile.web_shop.databases import Database

TABLES = (
    "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
    """CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL, author INTEGER NOT NULL,
    subject TEXT NOT NULL, day INTEGER NOT NULL, cost INTEGER NOT NULL, stock INTEGER NOT NULL,
    description TEXT NOT NULL)""",
    "CREATE INDEX book_subject ON book (subject, day)",
    "CREATE TABLE customer (id {key}, name TEXT NOT NULL, discount INTEGER NOT NULL)",
    "CREATE TABLE orders (id {key}, customer INTEGER NOT NULL, total INTEGER NOT NULL)",
    "CREATE INDEX order_customer ON orders (customer)",
    "CREATE TABLE order_line (orders INTEGER NOT NULL, book INTEGER NOT NULL, copies INTEGER NOT NULL)",
    "CREATE INDEX line_order ON order_line (orders)",
    "CREATE TABLE cart (id {key}, customer INTEGER NOT NULL)",
    """CREATE TABLE cart_line (cart INTEGER NOT NULL, book INTEGER NOT NULL, copies INTEGER NOT NULL,
    PRIMARY KEY (cart, book))""",
)
"""The tables of a shop; `{key}` is a database's type of a column whose rows it numbers."""

NUMBERED = "customer", "orders"
"""The tables with rows from the start, whose new rows are numbered after them."""

_OFFER = "book.id, book.title, author.name, book.cost, book.stock"
_OFFERS = f"SELECT {_OFFER} FROM book JOIN author ON author.id = book.author"
_CART_LINES, _ORDER_LINES = (
    f"SELECT book.id, book.title, author.name, book.cost, {lines}.copies FROM {lines} "
    f"JOIN book ON book.id = {lines}.book JOIN author ON author.id = book.author "
    f"WHERE {lines}.{of} = ?1 ORDER BY book.id"
    for lines, of in (("cart_line", "cart"), ("order_line", "orders"))
)
_PAGE = 50  # offers in a list
_SHOWN = 5  # offers beside the requested ones
_RECENT = 3333  # recent orders that decide best sellers
_NEW_PERCENT = 20  # share of buyers that are new to the shop
_STOCK_AGAIN, _LOWEST_STOCK = 21, 10


class Request(msgspec.Struct, frozen=True, array_like=True):
    """A request of a visitor.

    Attributes:
        interaction: the interaction.
        customer: the visitor.
        book: the book that it is about.
        cart: the visitor's cart; 0 for none yet.
        word: a subject or a search term.
        choice: a number for further choices.
    """

    interaction: Interaction
    customer: int
    book: int
    cart: int = 0
    word: str = ""
    choice: int = 0


class Offer(msgspec.Struct, frozen=True, array_like=True):
    """A book on a page: number, title, author, price and stock; in an order, copies instead of stock."""

    book: int
    title: str
    author: str
    cost: int
    stock: int


class Page(msgspec.Struct, frozen=True, array_like=True):
    """An answer of the shop.

    Attributes:
        offers: the books on the page.
        text: other text.
        cart: the visitor's cart; 0 for none.
        order: the order made or shown; 0 for none.
        total: the total of cart or order in cents.
    """

    offers: list[Offer] = []
    text: str = ""
    cart: int = 0
    order: int = 0
    total: int = 0


class Shop:
    """Answers requests from a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def answer(self, request: Request) -> Page:
        """Process a request completely or not at all, and return the page."""
        answer = _ANSWERS[request.interaction]
        if request.interaction not in _WRITING:
            return await answer(self, request)
        async with self._database.transaction():
            return await answer(self, request)

    async def _home(self, request: Request) -> Page:
        return Page(await self._beside(request), await self._name(request.customer))

    async def _new_products(self, request: Request) -> Page:
        condition = "WHERE subject = ?1 ORDER BY day DESC, title LIMIT"
        return Page(await self._offers(f"{_OFFERS} {condition} {_PAGE}", request.word))

    async def _best_sellers(self, request: Request) -> Page:
        statement = (
            f"SELECT {_OFFER} FROM book JOIN author ON author.id = book.author "
            "JOIN (SELECT book AS sold, SUM(copies) AS many FROM order_line "
            f"WHERE orders > (SELECT MAX(id) - {_RECENT} FROM orders) GROUP BY book) AS recent "
            f"ON recent.sold = book.id WHERE book.subject = ?1 "
            f"ORDER BY recent.many DESC, book.id LIMIT {_PAGE}"
        )
        return Page(await self._offers(statement, request.word))

    async def _product_detail(self, request: Request) -> Page:
        offers = await self._offers(f"{_OFFERS} WHERE book.id = ?1", request.book)
        ((text,),) = await self._rows("SELECT description FROM book WHERE id = ?1", request.book)
        return Page(offers, text)

    _admin_request = _product_detail

    async def _search_request(self, request: Request) -> Page:
        return Page(await self._beside(request))

    async def _search_results(self, request: Request) -> Page:
        column = ("lower(book.title)", "lower(author.name)")[request.choice % 2]
        statement = f"{_OFFERS} WHERE {column} LIKE ?1 ORDER BY book.title, book.id LIMIT {_PAGE}"
        return Page(await self._offers(statement, f"%{request.word}%"))

    async def _shopping_cart(self, request: Request) -> Page:
        return await self._cart(await self._filled(request), await self._beside(request))

    async def _customer_registration(self, request: Request) -> Page:
        return Page(text=await self._name(request.customer))

    _order_inquiry = _customer_registration

    async def _buy_request(self, request: Request) -> Page:
        if request.choice % 100 < _NEW_PERCENT:
            ((known,),) = await self._rows(
                "INSERT INTO customer (name, discount) VALUES (?1, ?2) RETURNING id", request.word, 0
            )
            request = msgspec.structs.replace(request, customer=known)
        return await self._cart(await self._filled(request), [], await self._name(request.customer))

    async def _buy_confirm(self, request: Request) -> Page:
        cart = await self._filled(request)
        page = await self._cart(cart, [])
        ((discount,),) = await self._rows("SELECT discount FROM customer WHERE id = ?1", request.customer)
        total = page.total * (100 - discount) // 100
        ((order,),) = await self._rows(
            "INSERT INTO orders (customer, total) VALUES (?1, ?2) RETURNING id", request.customer, total
        )
        for offer in page.offers:
            await self._rows("INSERT INTO order_line VALUES (?1, ?2, ?3)", order, offer.book, offer.stock)
            await self._rows(
                f"UPDATE book SET stock = CASE WHEN stock - ?2 < {_LOWEST_STOCK} "
                f"THEN stock - ?2 + {_STOCK_AGAIN} ELSE stock - ?2 END WHERE id = ?1",
                offer.book,
                offer.stock,
            )
        await self._rows("DELETE FROM cart_line WHERE cart = ?1", cart)
        await self._rows("DELETE FROM cart WHERE id = ?1", cart)
        return Page(page.offers, order=order, total=total)

    async def _order_display(self, request: Request) -> Page:
        last = "SELECT id, total FROM orders WHERE customer = ?1 ORDER BY id DESC LIMIT 1"
        found = await self._rows(last, request.customer)
        if not found:
            return Page()
        ((order, total),) = found
        return Page(await self._offers(_ORDER_LINES, order), order=order, total=total)

    async def _admin_confirm(self, request: Request) -> Page:
        cost = 100 + request.choice % 9_900
        await self._rows("UPDATE book SET cost = ?2 WHERE id = ?1", request.book, cost)
        return await self._product_detail(request)

    async def _filled(self, request: Request) -> int:
        """Return the visitor's cart with the book in it, creating it if necessary."""
        cart = request.cart
        if not cart:
            statement = "INSERT INTO cart (customer) VALUES (?1) RETURNING id"
            ((cart,),) = await self._rows(statement, request.customer)
        if not request.cart or request.interaction is Interaction.SHOPPING_CART:
            await self._rows(
                "INSERT INTO cart_line VALUES (?1, ?2, 1) "
                "ON CONFLICT (cart, book) DO UPDATE SET copies = cart_line.copies + 1",
                cart,
                request.book,
            )
        return cart

    async def _cart(self, cart: int, beside: list[Offer], text: str = "") -> Page:
        """Return the page of a cart, with other books beside it."""
        offers = await self._offers(_CART_LINES, cart)
        total = sum(offer.cost * offer.stock for offer in offers)
        return Page([*offers, *beside], text, cart, total=total)

    async def _beside(self, request: Request) -> list[Offer]:
        """Return the few books shown beside others: those after the book of the request."""
        statement = f"{_OFFERS} WHERE book.id >= ?1 ORDER BY book.id LIMIT {_SHOWN}"
        return await self._offers(statement, request.book)

    async def _name(self, customer: int) -> str:
        ((name,),) = await self._rows("SELECT name FROM customer WHERE id = ?1", customer)
        return str(name)

    async def _offers(self, statement: str, *values: int | str) -> list[Offer]:
        return [Offer(*row) for row in await self._rows(statement, *values)]

    async def _rows(self, statement: str, *values: int | str) -> Sequence[Sequence[Any]]:
        return await self._database.fetch(statement, *values)


_WRITING = {
    Interaction.SHOPPING_CART,
    Interaction.BUY_REQUEST,
    Interaction.BUY_CONFIRM,
    Interaction.ADMIN_CONFIRM,
}

_ANSWERS: dict[Interaction, Callable[[Shop, Request], Awaitable[Page]]] = {
    interaction: getattr(Shop, f"_{interaction.name.lower()}") for interaction in Interaction
}
