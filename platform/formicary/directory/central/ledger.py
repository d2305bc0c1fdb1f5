"""The records of a directory's agent, in memory and, if it has one, in a file.

Steps change them atomically, in order. Without a file, a step is performed at once. With one, the steps that
arrive during a write are the next transaction: each is planned when its turn comes, on the records of that
moment, and nobody sees its changes before they are on disk.
"""

from __future__ import annotations

import asyncio
from collections import deque
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from formicary.core.errors import DirectoryError, FormicaryError, StoreError
from formicary.core.logs import get_logger
from formicary.directory.central.draft import Draft, is_in, leave
from formicary.directory.central.leases import Leases
from formicary.directory.central.store import Journal, Key, Registration, Store, Visitor
from formicary.directory.model.entries import Entries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from formicary.directory.central.store import Record
    from formicary.directory.model.description import ServiceDescription

logger = get_logger("formicary.directory")

_BATCH = 256  # steps in a transaction: planning them blocks the loop
_MOST = 100_000  # waiting steps; there are more only if the disk hangs


class Step(NamedTuple):
    """A change to the ledger.

    Args:
        plan: called with a draft, to change it; raises if it cannot.
        done: called with None when the step is performed, or with the error if it cannot be.
        is_forced: whether to change the records in memory even if the file cannot be written, as when an
            agent has ended.
    """

    plan: Callable[[Draft], None]
    done: Callable[[FormicaryError | None], None] = lambda _: None
    is_forced: bool = False


class Ledger:
    """The records of a directory: services, subscriptions, members.

    Args:
        path: the file; None to keep all in memory only.
        registered: called with the key of each service that is registered or renewed.
        removed: called with each other record that has been removed.
    """

    def __init__(
        self, path: Path | None, registered: Callable[[Key], None], removed: Callable[[Record], None]
    ) -> None:
        self.path = path
        self.index: Entries[Key] = Entries()
        """The services."""
        self.others: dict[Key, Record] = {}
        """All other records, by key."""
        self.visitors: dict[str, str] = {}
        """The domain of the container in which each agent that has moved lives."""
        self.leases: Leases[Key] | None = None
        """The leases of services that have one."""
        self._registered = registered
        self._removed = removed
        self._journal: Journal | None = None
        self._steps: deque[Step] = deque()
        self._writer: asyncio.Task[None] | None = None

    # -- life -----------------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Load the file; StoreError if it cannot be used."""
        if self.path is None:
            return
        store, records = await asyncio.to_thread(_load, self.path)
        self._journal = Journal(store)
        self._apply({record.key: record for record in records})

    async def close(self) -> None:
        """Perform all waiting steps, and close the file."""
        self.rest()
        if self._writer is not None:
            await asyncio.shield(self._writer)
        if self._journal is not None:
            await self._journal.close()

    def rest(self) -> None:
        """Stop all leases, so that none ends."""
        if self.leases is not None:
            self.leases.close()

    # -- contents -------------------------------------------------------------------------------------------

    def __contains__(self, key: Key) -> bool:
        return key in self.index if key.kind == "service" else key in self.others

    def keys_in(self, domain: str) -> Iterator[Key]:
        """Return the keys of all records of a container's agents; scans everything."""
        for key in chain(self.index, self.others):
            if is_in(key.agent, domain, self.visitors):
                yield key

    # -- changes --------------------------------------------------------------------------------------------

    def take(self, step: Step) -> None:
        """Perform a step, now or when it is on disk."""
        if self.path is None:
            draft = Draft(self)
            error = _plan(step, draft)
            self._apply(draft.changes)
            step.done(error)
            return
        if len(self._steps) >= _MOST and not step.is_forced:
            step.done(
                DirectoryError(
                    f"{_MOST} requests are already waiting for the directory's disk; try again later"
                )
            )
            return
        self._steps.append(step)
        if self._writer is None:
            self._writer = asyncio.get_running_loop().create_task(self._write_all(), name="directory's file")

    def drop(self, domain: str) -> None:
        """Remove all records of a container's agents at once; only before the first step."""
        draft = Draft(self)
        leave(draft, domain)
        self._apply(draft.changes)
        if draft.changes and self.path is not None:
            dropped = draft.changes
            self.take(Step(lambda first: first.changes.update(dropped)))

    async def _write_all(self) -> None:
        while self._steps:
            steps = [self._steps.popleft() for _ in range(min(len(self._steps), _BATCH))]
            draft = Draft(self)
            errors = [_plan(step, draft) for step in steps]
            failure = await self._write(draft.changes)
            if failure is not None:
                errors = [failure] * len(steps)
                draft = Draft(self)
                for step in steps:
                    if step.is_forced:
                        _plan(step, draft)
            self._apply(draft.changes)
            for step, error in zip(steps, errors, strict=True):
                _tell(step, error)
        self._writer = None

    async def _write(self, changes: Mapping[Key, Record | None]) -> FormicaryError | None:
        if not changes:
            return None
        if self._journal is None:
            return StoreError(f"the directory's file {self.path} is not open; nothing can be registered")
        try:
            await self._journal.write(changes)
        except FormicaryError as error:
            logger.error("%s", error)  # noqa: TRY400 -- its message is a full sentence
            return error
        except Exception:
            logger.exception("the directory's file %s could not be written; please report this", self.path)
            return StoreError(f"{self.path} could not be written; see the log of the directory's container")
        return None

    def _apply(self, changes: Mapping[Key, Record | None]) -> None:
        for key, record in changes.items():
            if key.kind == "service":
                assert record is None or isinstance(record, Registration)
                self._apply_service(key, record)
            elif record is not None:
                self.others[key] = record
                if isinstance(record, Visitor):
                    self.visitors[record.agent] = record.domain
            elif key in self.others:
                self._removed(self.others.pop(key))
                if key.kind == "visitor":
                    del self.visitors[key.agent]

    def _apply_service(self, key: Key, record: Registration | None) -> None:
        if record is None:
            self.index.remove(key)
        else:
            self.index.put(key, record.description)
        if record is not None and record.lease is not None:
            if self.leases is None:
                self.leases = Leases(self._ended)
            self.leases.grant(key, record.lease)
        elif self.leases is not None:
            self.leases.cancel(key)
        if record is not None:
            self._registered(key)

    def _ended(self, keys: list[Key]) -> None:
        """Remove services whose lease has ended, unless a waiting step renews it."""
        ended = [(key, self.index.get(key)) for key in keys]

        def plan(draft: Draft) -> None:
            draft.remove(key for key, service in ended if self._is_as_it_was(draft, key, service))

        self.take(Step(plan, is_forced=True))

    def _is_as_it_was(self, draft: Draft, key: Key, service: ServiceDescription | None) -> bool:
        is_renewed = self.leases is not None and key in self.leases
        return key not in draft.changes and not is_renewed and self.index.get(key) is service


def _plan(step: Step, draft: Draft) -> FormicaryError | None:
    try:
        step.plan(draft)
    except FormicaryError as error:
        return error
    except Exception:
        logger.exception("the directory could not handle a request; please report this")
        return DirectoryError("the directory could not handle the request; see the log of its container")
    return None


def _tell(step: Step, error: FormicaryError | None) -> None:
    try:
        step.done(error)
    except Exception:
        logger.exception("the directory could not answer; please report this")


def _load(path: Path) -> tuple[Store, list[Record]]:
    store = Store(path)
    try:
        return store, list(store.load())
    except BaseException:
        store.close()
        raise
