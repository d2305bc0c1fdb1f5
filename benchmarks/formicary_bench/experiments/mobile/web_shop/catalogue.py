"""The data of a shop before its first visitor: books, authors, customers and orders, made from a seed.

The sizes are those of TPC-W's smallest shop, with one author for four books and nine orders for ten
customers, but with fewer customers. Money is in cents.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

BOOKS = 1000
AUTHORS = BOOKS // 4
CUSTOMERS = 1000
ORDERS = CUSTOMERS * 9 // 10

SUBJECTS = (
    *("arts", "biographies", "business", "children", "computers", "cooking", "gardens", "health"),
    *("history", "home", "humor", "languages", "literature", "music", "mysteries", "nature"),
    *("parenting", "politics", "reference", "religion", "romance", "science", "sports", "travel"),
)
"""The subjects of books."""

SYLLABLES = (
    *("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu"),
    *("na", "pe", "ri", "so", "tu", "va"),
)
"""The syllables of names and titles; searches look for one of them."""

_DAYS = 3650  # at most since publication
_DEAREST = 9_999
_MOST_LINES = 5  # of an order
_MOST_COPIES = 9
_DESCRIPTION = (100, 500)  # characters
_STOCK = (10, 30)

Rows = list[tuple[int | str, ...]]


@dataclass(frozen=True)
class Catalogue:
    """The rows of each table, in the order of the columns of `shop.TABLES`.

    Attributes:
        author: number, name.
        book: number, title, author, subject, day, cost, stock, description.
        customer: number, name, discount in percent.
        orders: number, customer, total.
        order_line: order, book, copies.
    """

    author: Rows
    book: Rows
    customer: Rows
    orders: Rows
    order_line: Rows


def make_catalogue(seed: int) -> Catalogue:
    """Make a shop's data; equal seeds give equal data on all machines."""
    source = random.Random(seed)
    books: Rows = [_book(number, source) for number in range(1, BOOKS + 1)]
    orders: Rows = []
    lines: Rows = []
    for number in range(1, ORDERS + 1):
        bought = list(_lines(number, source))
        total = sum(int(books[book - 1][5]) * copies for _, book, copies in bought)
        orders.append((number, source.randint(1, CUSTOMERS), total))
        lines += bought
    return Catalogue(
        author=[(number, _name(source)) for number in range(1, AUTHORS + 1)],
        book=books,
        customer=[(number, _name(source), source.randrange(51)) for number in range(1, CUSTOMERS + 1)],
        orders=orders,
        order_line=lines,
    )


def _book(number: int, source: random.Random) -> tuple[int | str, ...]:
    return (
        number,
        " ".join(_word(source).capitalize() for _ in range(source.randint(2, 5))),
        source.randint(1, AUTHORS),
        source.choice(SUBJECTS),
        source.randrange(_DAYS),
        source.randint(100, _DEAREST),
        source.randint(*_STOCK),
        _text(source),
    )


def _lines(order: int, source: random.Random) -> Iterator[tuple[int, int, int]]:
    for book in source.sample(range(1, BOOKS + 1), source.randint(1, _MOST_LINES)):
        yield order, book, source.randint(1, _MOST_COPIES)


def _text(source: random.Random) -> str:
    length, text = source.randint(*_DESCRIPTION), ""
    while len(text) < length:
        text += f"{_word(source)} "
    return text[:length]


def _name(source: random.Random) -> str:
    return f"{_word(source).capitalize()} {_word(source).capitalize()}"


def _word(source: random.Random) -> str:
    return "".join(source.choice(SYLLABLES) for _ in range(source.randint(1, 4)))
