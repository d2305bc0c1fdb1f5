"""The entries of a directory, whatever its design: an index that tells who watches a query of its changes."""

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
    """A query that is watched.

    Args:
        entries: where it is.
        query: what is looked for.
        changed: called with each service before and after a change; None where it does not match.
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
    """Descriptions by key, found by query, with those who watch queries."""

    def __init__(self) -> None:
        super().__init__()
        self.interests: Interests[QueryWatch, QueryWatch] = Interests()

    def watch(self, query: Query, changed: Changed) -> QueryWatch:
        """Call `changed` with each change to what matches a query, from now on; as of `QueryWatch`."""
        return QueryWatch(self, query, changed)

    def put(self, key: K, description: ServiceDescription) -> ServiceDescription | None:
        """Add a description, or put it in the place of the one with this key, which is returned."""
        former = super().put(key, description)
        if self.interests:
            self._tell(former, description)
        return former

    def remove(self, key: K) -> ServiceDescription | None:
        """Remove the description with this key and return it; None if there is none."""
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
