"""What a shop needs of a database, and how its data gets in there."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol

from formicary_bench.experiments.mobile.web_shop.shop import TABLES
from formicary_bench.vocabulary.shop import POSTGRESQL

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from formicary_bench.experiments.mobile.web_shop.catalogue import Catalogue


class Database(Protocol):
    """A connection to a database."""

    async def fetch(self, statement: str, *values: int | str) -> Sequence[Sequence[Any]]:
        """Execute a statement, and return the rows that it gives.

        Args:
            statement: with `?1`, `?2` and so on in the places of the values.
            values: the values.
        """

    def transaction(self) -> AbstractAsyncContextManager[None]:
        """Return a block of statements of which all count, or none if it raises."""


class Fillable(Database, Protocol):
    """A connection to a database that a shop's data can be put into.

    Attributes:
        key: how it says that it numbers the rows of a table itself.
    """

    key: str

    async def insert(self, table: str, rows: Sequence[Sequence[int | str]]) -> None:
        """Put rows into a table."""

    async def count_on(self, table: str) -> None:
        """Have it number further rows of a table after those that are there."""


async def fill(database: Fillable, catalogue: Catalogue) -> None:
    """Make the tables of a shop, and put its data there."""
    async with database.transaction():
        for statement in TABLES:
            await database.fetch(statement.format(key=database.key))
        for table, rows in vars(catalogue).items():
            await database.insert(table, rows)
        for table in ("customer", "orders"):
            await database.count_on(table)


@asynccontextmanager
async def filled(name: str, catalogue: Catalogue) -> AsyncIterator[Callable[[], Awaitable[Database]]]:
    """Have a database with a shop's data for as long as the block lasts; give what connects to it.

    Args:
        name: which database, by its name in the vocabulary.
        catalogue: the data.

    Raises:
        FormicaryError: it is not there, or cannot be used.
    """
    opened: Callable[[Catalogue], AbstractAsyncContextManager[Callable[[], Awaitable[Database]]]]
    if name == POSTGRESQL:
        from formicary_bench.experiments.mobile.web_shop.databases.postgresql import postgresql

        opened = postgresql
    else:
        from formicary_bench.experiments.mobile.web_shop.databases.sqlite import sqlite

        opened = sqlite
    async with opened(catalogue) as connect:
        yield connect
