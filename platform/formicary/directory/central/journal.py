"""Writes to a directory's file without stopping the loop: in a thread, in their order."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from formicary.core.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formicary.directory.central.store import Key, Record, Store


class Journal:
    """The changes to a store, in their order. To be used in one event loop, and closed.

    Args:
        store: where they go; it belongs to the journal from now on.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._thread = ThreadPoolExecutor(1, "formicary-directory")
        self._last: asyncio.Future[None] | None = None
        self._is_closed = False

    async def write(self, changes: Mapping[Key, Record | None]) -> None:
        """Put records under their keys, or remove what is there where it is None; return when it is on disk.

        If the caller is cancelled, the changes are written all the same.

        Args:
            changes: not to be changed any more.

        Raises:
            StoreError: none of it has changed; with why.
        """
        if self._is_closed:
            raise StoreError("the directory's file is closed; nothing more can be registered")
        loop = asyncio.get_running_loop()
        self._last = loop.run_in_executor(self._thread, self._store.write, changes)
        await asyncio.shield(self._last)

    async def close(self) -> None:
        """Write what is waiting, and close the file; closing again does nothing."""
        self._is_closed = True
        if self._last is not None:
            await asyncio.wait([self._last])
        self._thread.shutdown(wait=False)
        self._store.close()
