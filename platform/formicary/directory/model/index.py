"""An index of descriptions in memory.

Each type, name, agent and value of a property has a posting: the entries that have it, oldest first. A search
takes the query's shortest posting and checks its entries against the rest of the query; without a rest, as in
a search for a type alone, it takes its answers from the front.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar

from formicary.directory.model.description import RESERVED

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from formicary.directory.model.description import PropertyValue, ServiceDescription
    from formicary.directory.model.query import Query

K = TypeVar("K", bound="Hashable")

_TOLERATED = 8  # one of so many entries of a posting may be a hole, which searches skip


class Index(Generic[K]):
    """Descriptions by key, in the order in which they were put; one put again counts as new."""

    def __init__(self) -> None:
        self._all: _Posting[K] = _Posting()
        self._types: _Column[K] = _Column()
        self._names: _Column[K] = _Column()
        self._agents: _Column[K] = _Column()
        self._properties: dict[str, _Column[K]] = {}
        self._reserved = 0  # number of the platform's own entries

    def __len__(self) -> int:
        return len(self._all)

    def __contains__(self, key: object) -> bool:
        return key in self._all

    def get(self, key: K) -> ServiceDescription | None:
        """Return the description with this key, or None."""
        return self._all.get(key)

    def __iter__(self) -> Iterator[K]:
        """Yield all keys, oldest first; the index must not change meanwhile."""
        return iter(self._all)

    def put(self, key: K, description: ServiceDescription) -> ServiceDescription | None:
        """Add or replace the description with this key; return the former one."""
        former = Index.remove(self, key) if key in self._all else None
        entries = self._all
        entries[key] = description
        self._types.add(description.type, key, entries)
        self._reserved += description.type.startswith(RESERVED)
        self._names.add(description.name, key, entries)
        self._agents.add(description.agent, key, entries)
        if description.properties:
            for name, value in _each(description.properties):
                column = self._properties.get(name)
                if column is None:
                    column = self._properties[name] = _Column()
                column.add(value, key, entries)
        return former

    def remove(self, key: K) -> ServiceDescription | None:
        """Remove and return the description with this key; None if there is none."""
        former = self._all.get(key)
        if former is None:
            return None
        self._all.drop(key)
        self._types.drop(former.type, key)
        self._reserved -= former.type.startswith(RESERVED)
        self._names.drop(former.name, key)
        self._agents.drop(former.agent, key)
        for name, value in _each(former.properties):
            column = self._properties.get(name)
            if column is not None:  # a list may have the same text twice
                column.drop(value, key)
                if not column:
                    del self._properties[name]
        return former

    def keys_of(self, agent: str) -> tuple[K, ...]:
        """Return the keys of an agent's descriptions, oldest first."""
        found = self._agents.get(agent)
        if isinstance(found, _Posting):
            return tuple(found)
        return () if found is None else (found,)

    def count_of(self, agent: str) -> int:
        """Return how many descriptions an agent has."""
        found = self._agents.get(agent)
        return len(found) if isinstance(found, _Posting) else int(found is not None)

    def search(self, query: Query) -> tuple[ServiceDescription, ...]:
        """Return the matches of a query, oldest first, within its limits.

        The time is proportional to the number of answers if the query has one of type, name and agent alone;
        otherwise to that of entries with the rarest of the query's type, name, agent and properties.
        """
        end = query.offset + query.max_results
        if query.type is None or not query.is_plain:
            return tuple(islice(self.matches(query), query.offset, end))
        found = self._types.get(query.type)  # nearly all searches, so it is direct
        if isinstance(found, _Posting):
            return tuple(islice(found.values(), query.offset, end))
        return () if found is None or query.offset else (self._all[found],)

    def matches(self, query: Query) -> Iterator[ServiceDescription]:
        """Yield all matches of a query, oldest first, ignoring its limits; the index must not change."""
        fewest: dict[K, ServiceDescription] = self._all
        for column, value in self._terms(query):
            found = None if column is None else column.get(value)
            if found is None:
                return iter(())
            if not isinstance(found, _Posting):
                fewest = {found: self._all[found]}
            elif len(found) < len(fewest):
                fewest = found
        answers: Iterator[ServiceDescription] = iter(fewest.values())
        if not query.is_plain or (self._reserved and query.type is None):
            answers = filter(query.matches, answers)
        return answers

    def _terms(self, query: Query) -> list[tuple[_Column[K] | None, str | int | float | bool]]:
        """Return the columns to search, and the values."""
        terms: list[tuple[_Column[K] | None, str | int | float | bool]] = []
        if query.type is not None:
            terms.append((self._types, query.type))
        if query.name is not None:
            terms.append((self._names, query.name))
        if query.agent is not None:
            terms.append((self._agents, query.agent))
        if query.properties:
            terms += [(self._properties.get(name), value) for name, value in _each(query.properties)]
        return terms


class _Posting(dict[K, "ServiceDescription"]):
    """Entries by key, oldest first.

    A dict keeps a hole for each removed entry until it grows, and readers skip all of them. So it is packed
    when there are many.
    """

    __slots__ = ("holes",)
    holes: int

    def __init__(self, *entries: dict[K, ServiceDescription]) -> None:
        super().__init__(*entries)
        self.holes = 0

    def drop(self, key: K) -> None:
        """Remove an entry, if it exists."""
        self.pop(key, None)
        self.holes += 1
        if self.holes > len(self) // _TOLERATED + _TOLERATED:
            entries = dict(self)
            self.clear()
            self.update(entries)
            self.holes = 0


class _Column(dict["str | int | float | bool", "_Posting[K] | K"]):
    """The postings of all values of a field.

    Most names and agents have a single entry: its key is kept without a posting.
    """

    __slots__ = ()

    def add(self, value: str | float, key: K, entries: dict[K, ServiceDescription]) -> None:
        """Add one of the `entries` to a value's posting."""
        found = self.setdefault(value, key)
        if isinstance(found, _Posting):
            found[key] = entries[key]
        elif found is not key and found != key:
            self[value] = _Posting({found: entries[found], key: entries[key]})

    def drop(self, value: str | float, key: K) -> None:
        """Remove an entry from a value's posting, if it exists."""
        found = self.get(value)
        if isinstance(found, _Posting):
            found.drop(key)
            if found:
                return
        self.pop(value, None)


def _each(properties: dict[str, PropertyValue]) -> Iterator[tuple[str, str | int | float | bool]]:
    for name, value in properties.items():
        if isinstance(value, tuple):
            for text in value:
                yield name, text
        else:
            yield name, value
