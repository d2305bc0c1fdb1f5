"""Write the file of sleepers without stopping the event loop: changes during a write form the next one."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from formicary.core.errors import FormicaryError, StoreError
from formicary.core.logs import get_logger
from formicary.sleeping.store import Sleeper

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from formicary.sleeping.store import SleeperStore

    Done = Callable[[StoreError | None], None]
    Change: TypeAlias = Sleeper | Sequence[str]

logger = get_logger("formicary.sleeping")

_BATCH = 2000  # changes in a transaction
_BATCH_BYTES = 1 << 24  # to put or read at a time


class Journal:
    """Makes changes to a file of sleepers, in order.

    Args:
        store: the file.
    """

    def __init__(self, store: SleeperStore) -> None:
        self._store = store
        self._changes: list[tuple[Change, Done]] = []
        self._task: asyncio.Task[None] | None = None
        self._one_at_a_time = asyncio.Lock()

    def put(self, sleeper: Sleeper, done: Done) -> None:
        """Save an agent; `done` is called with None when it is on disk, or with the error."""
        self._add(sleeper, done)

    def take_back(self, name: str, done: Done) -> None:
        """Remove an agent that was just saved; `done` as of `put`."""
        self._add((name,), done)

    async def remove(self, names: Sequence[str]) -> StoreError | None:
        """Remove agents, all or none, even if cancelled; return the error, if any."""
        removed: asyncio.Future[StoreError | None] = asyncio.get_running_loop().create_future()
        self._add(names, removed.set_result)
        return await asyncio.shield(removed)

    async def read(self, names: Sequence[str]) -> tuple[dict[str, bytes], bool]:
        """Return snapshots by name, and whether there may be more, as these were too large.

        Raises:
            StoreError: the file cannot be read.
        """
        async with self._one_at_a_time:
            found = await asyncio.to_thread(self._store.snapshots, names, _BATCH_BYTES)
        return found, sum(map(len, found.values())) >= _BATCH_BYTES

    async def close(self) -> None:
        """Make all pending changes, and close the file."""
        if self._task is not None:
            await asyncio.shield(self._task)
        async with self._one_at_a_time:
            await asyncio.to_thread(self._store.close)

    def _add(self, change: Change, done: Done) -> None:
        self._changes.append((change, done))
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._write_all(), name="sleepers' file")

    async def _write_all(self) -> None:
        try:
            while self._changes:
                batch = self._next_batch()
                error = await self._write([change for change, _ in batch])
                for _, done in batch:
                    _tell(done, error)
        finally:
            self._task = None

    def _next_batch(self) -> list[tuple[Change, Done]]:
        """Return changes for one transaction: not too large, and with no agent twice."""
        names: set[str] = set()
        size = count = 0
        for change, _ in self._changes:
            changed = (change.name,) if isinstance(change, Sleeper) else change
            size += len(change.snapshot) if isinstance(change, Sleeper) else 0
            is_too_much = size > _BATCH_BYTES or len(names) + len(changed) > _BATCH
            if count and (is_too_much or not names.isdisjoint(changed)):
                break
            names.update(changed)
            count += 1
        batch, self._changes = self._changes[:count], self._changes[count:]
        return batch

    async def _write(self, changes: list[Change]) -> StoreError | None:
        put = [change for change in changes if isinstance(change, Sleeper)]
        removed = [name for change in changes if not isinstance(change, Sleeper) for name in change]
        try:
            async with self._one_at_a_time:
                await asyncio.to_thread(self._store.write, put, removed)
        except StoreError as error:
            logger.error("%s", error)  # noqa: TRY400 -- it is a full sentence
            return error
        return None


def _tell(done: Done, error: StoreError | None) -> None:
    try:
        done(error)
    except FormicaryError as problem:
        logger.error("%s", problem)  # noqa: TRY400 -- as above
    except Exception:
        logger.exception("an agent could not fall asleep or wake up; please report this")
