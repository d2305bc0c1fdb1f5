"""SQLite: a file in a temporary folder. Statements run in the agents' thread, in the shop's own process.

It writes ahead and does not wait for the disk after each transaction: what is measured are agents and their
database, and not the disk. After a power failure the last orders would be missing; nobody will miss them.
"""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack, asynccontextmanager, closing
from typing import TYPE_CHECKING, Any

from formicary.core.scratch import scratch_folder
from formicary_bench.experiments.mobile.web_shop.databases.database import fill

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
    from pathlib import Path

    from formicary_bench.experiments.mobile.web_shop.catalogue import Catalogue


class Sqlite:
    """A connection.

    Args:
        connection: what Python has for it.
    """

    key = "INTEGER PRIMARY KEY AUTOINCREMENT"

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def fetch(self, statement: str, *values: int | str) -> Sequence[Sequence[Any]]:
        """Execute a statement, and return the rows that it gives."""
        return self._connection.execute(statement, values).fetchall()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """Have all statements of the block count, or none if it raises."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    async def insert(self, table: str, rows: Sequence[Sequence[int | str]]) -> None:
        """Put rows into a table."""
        places = ", ".join("?" for _ in rows[0])
        self._connection.executemany(f"INSERT INTO {table} VALUES ({places})", rows)  # noqa: S608 -- our own table

    async def count_on(self, table: str) -> None:
        """Do nothing: it numbers rows after those that are there in any case."""


@asynccontextmanager
async def sqlite(catalogue: Catalogue) -> AsyncIterator[Callable[[], Awaitable[Sqlite]]]:
    """Have a database with a shop's data for as long as the block lasts; give what connects to it."""
    with scratch_folder() as folder, ExitStack() as open_ones:

        async def connect() -> Sqlite:
            return Sqlite(open_ones.enter_context(closing(_connected(folder / "shop.sqlite"))))

        await fill(await connect(), catalogue)
        yield connect


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)  # transactions are said in words
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection
