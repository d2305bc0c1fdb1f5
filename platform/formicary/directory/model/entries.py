"""The entries of a directory: an index that notifies the watchers of queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

from formicary.directory.model.index import Index

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from formicary.directory.model.description import ServiceDescription
    from formicary.directory.model.query import Query

    Changed = Callable[[ServiceDescription | None, ServiceDescription | None], None]

K = TypeVar("K", bound="Hashable")
V = TypeVar("V")

_FIELDS: Final = ("agent", "name", "type")  # the most selective first


class Interests(Generic[K, V]):
    """Watchers by key and query."""

    def __init__(self) -> None:
        self._homes: dict[str, dict[str, dict[K, V]]] = {field: {} for field in _FIELDS}
        self._rest: dict[K, V] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def put(self, key: K, query: Query, who: V) -> None:
        """Add or replace the watcher with this key and query."""
        field, value = _home(query)
        home = self._homes[field].setdefault(value, {}) if field else self._rest
        self._count += key not in home
        home[key] = who

    def discard(self, key: K, query: Query) -> None:
        """Remove the watcher with this key and query, if any."""
        field, value = _home(query)
        home = self._homes[field].get(value, {}) if field else self._rest
        if home.pop(key, None) is None:
            return
        self._count -= 1
        if field and not home:
            del self._homes[field][value]

    def concerned(self, before: ServiceDescription | None, after: ServiceDescription | None) -> Iterator[V]:
        """Yield the watchers whose queries may match a service before or after a change, each once.

        Args:
            before: the service; None if it is new.
            after: the service of the same agent and name; None if it is removed.
        """
        service = after or before
        if service is not None:
            yield from self._homes["agent"].get(service.agent, {}).values()
            yield from self._homes["name"].get(service.name, {}).values()
        for kind in {each.type for each in (before, after) if each is not None}:
            yield from self._homes["type"].get(kind, {}).values()
        yield from self._rest.values()


def _home(query: Query) -> tuple[str, str]:
    """Return the field by which a query is indexed, and its value."""
    for field in _FIELDS:
        value = getattr(query, field)
        if value is not None:
            return field, value
    return "", ""


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
