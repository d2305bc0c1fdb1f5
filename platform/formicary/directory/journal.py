"""Writes to a directory's file without stopping the loop: what comes during one write is the next."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from formicary.errors import StoreError

if TYPE_CHECKING:
    from formicary.directory.store import Key, Record, Store


class Journal:
    """The changes to a store, in their order. To be used in one event loop, and closed.

    Args:
        store: where they go; it belongs to the journal from now on.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._thread = ThreadPoolExecutor(1, "formicary-directory")
        self._waiting: dict[Key, Record | None] = {}
        self._written: asyncio.Future[None] | None = None  # settled with what is waiting
        self._writer: asyncio.Task[None] | None = None
        self._is_closed = False

    async def write(self, changes: dict[Key, Record | None]) -> None:
        """Put records under their keys, or remove what is there where it is None; return when it is on disk.

        If the caller is cancelled, the changes are written all the same.

        Raises:
            StoreError: none of it has changed, nor what others wrote in the same turn; with why.
        """
        if self._is_closed:
            raise StoreError("the directory's file is closed; nothing more can be registered")
        for key, record in changes.items():
            self._waiting.pop(key, None)  # so that the order is that of the last writes
            self._waiting[key] = record
        if self._written is None:
            self._written = asyncio.get_running_loop().create_future()
        if self._writer is None:
            self._writer = asyncio.create_task(self._write_all())
        await asyncio.shield(self._written)

    async def close(self) -> None:
        """Write what is waiting, and close the file; closing again does nothing."""
        self._is_closed = True
        if self._writer is not None:
            await asyncio.shield(self._writer)
        self._thread.shutdown(wait=False)
        self._store.close()

    async def _write_all(self) -> None:
        loop = asyncio.get_running_loop()
        while self._written is not None:
            changes, written = self._waiting, self._written
            self._waiting, self._written = {}, None
            try:
                await loop.run_in_executor(self._thread, self._store.write, changes)
            except StoreError as error:
                written.set_exception(error)
                written.exception()  # whoever waits sees it; if nobody does any more, that is no news
            else:
                written.set_result(None)
        self._writer = None
