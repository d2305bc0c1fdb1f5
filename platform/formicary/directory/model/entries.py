"""The entries of a directory: an index that notifies the watchers of queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from formicary.directory.model.index import Index
from formicary.directory.model.interests import Interests

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from formicary.directory.model.description import ServiceDescription
    from formicary.directory.model.query import Query

    Changed = Callable[[ServiceDescription | None, ServiceDescription | None], None]

K = TypeVar("K", bound="Hashable")


class QueryWatch:
    """A watched query.

    Args:
        entries: the entries that are watched.
        query: the query.
        changed: called with each service before and after a change; None if it does not match.
    """

    __slots__ = ("_entries", "changed", "query")

    def __init__(self, entries: Entries[K], query: Query, changed: Changed) -> None:
        self.query = query
        self.changed = changed
        self._entries = entries
        entries.interests.put(self, query, self)

    def end(self) -> None:
        """Stop watching; ending again does nothing."""
        self._entries.interests.discard(self, self.query)

    async def close(self) -> None:
        """Stop watching."""
        self.end()


class Entries(Index[K]):
    """An index of descriptions with watchers of queries."""

    def __init__(self) -> None:
        super().__init__()
        self.interests: Interests[QueryWatch, QueryWatch] = Interests()

    def watch(self, query: Query, changed: Changed) -> QueryWatch:
        """Call `changed` with each further change among the matches of a query; as of `QueryWatch`."""
        return QueryWatch(self, query, changed)

    def put(self, key: K, description: ServiceDescription) -> ServiceDescription | None:
        """Add or replace the description with this key; return the former one."""
        former = super().put(key, description)
        if self.interests:
            self._tell(former, description)
        return former

    def remove(self, key: K) -> ServiceDescription | None:
        """Remove and return the description with this key; None if there is none."""
        former = super().remove(key)
        if self.interests:
            self._tell(former, None)
        return former

    def _tell(self, former: ServiceDescription | None, service: ServiceDescription | None) -> None:
        for watch in tuple(self.interests.concerned(former, service)):
            matches = watch.query.matches
            before = former if former is not None and matches(former) else None
            after = service if service is not None and matches(service) else None
            if before is not None or after is not None:
                watch.changed(before, after)
