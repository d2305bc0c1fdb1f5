"""Finds the watchers of a change by their queries.

A query is indexed by its agent, name or type; only those with none of these are checked against every change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from formicary.directory.model.description import ServiceDescription
    from formicary.directory.model.query import Query

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
