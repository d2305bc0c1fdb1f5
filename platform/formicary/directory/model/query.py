"""Queries to the directory (FIPA00023: search-constraints).

A query is data, never code, so that it can be sent, stored and explained. Answers meet all of its conditions.
An empty query matches everything.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec.structs import force_setattr

from formicary.core.errors import InvalidDescriptionError
from formicary.core.quoting import shorten
from formicary.directory.model.description import (
    LISTS,
    RESERVED,
    Properties,
    PropertyValue,
    ServiceDescription,
    check_properties,
    check_text,
    check_texts,
    check_value,
)

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_RESULTS = 10_000
"""The most answers of one search."""

MOST_CONDITIONS = 16
"""The most conditions in a query's `where`."""

OPERATORS = ("=", "!=", "<", "<=", ">", ">=", "in", "prefix")
"""The operators of conditions."""

_FURTHEST = 2**31
_PLAIN = 2
_TEXTS = ("type", "name", "agent", "ownership")
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "prefix": str.startswith,
}


class Condition(msgspec.Struct, frozen=True, array_like=True):
    """A condition on a property. A service without the property never matches.

    Numbers are compared with numbers and texts with texts; a value of another type never matches. A list
    matches if one of its texts does, with `!=` if none of them is equal.

    Args:
        property: the property's name.
        operator: one of `=`, `!=`, `<`, `<=`, `>`, `>=`, `in` (is one of several), `prefix` (begins with).
        value: what the property is compared with; with `in`, a list.

    Raises:
        InvalidDescriptionError: the operator is unknown, or the value does not fit it.
    """

    property: str
    operator: Literal["=", "!=", "<", "<=", ">", ">=", "in", "prefix"]
    value: str | int | float | bool | tuple[str | int | float | bool, ...]

    def __post_init__(self) -> None:
        check_text("property's name", self.property)
        what = f"property {shorten(self.property)} in a query"
        if self.operator not in OPERATORS:
            raise InvalidDescriptionError(
                f"{shorten(self.operator)} is not a query operator; use one of {' '.join(OPERATORS)}"
            )
        if self.operator == "in":
            if not isinstance(self.value, (tuple, list)):
                raise InvalidDescriptionError(f"a service's {what} is in a list, not {shorten(self.value)}")
            force_setattr(self, "value", tuple(check_value(what, value) for value in self.value))
            return
        value = check_value(what, self.value)
        force_setattr(self, "value", value)
        if self.operator in _COMPARE and isinstance(value, (tuple, bool)):
            raise InvalidDescriptionError(f"a service's {what} cannot be {self.operator} {shorten(value)}")
        if self.operator == "prefix" and not isinstance(value, str):
            raise InvalidDescriptionError(f"a service's {what} begins with a text, not {shorten(value)}")

    def matches(self, properties: dict[str, PropertyValue]) -> bool:
        """Return whether these properties match."""
        found = properties.get(self.property)
        if found is None:
            return False
        compare = _COMPARE.get(self.operator)
        if compare is None:
            return self._equals(found)
        if found.__class__ is self.value.__class__:
            return compare(found, self.value)
        kind = _kind(self.value)
        singles = found if isinstance(found, tuple) else (found,)
        return any(_kind(single) is kind and compare(single, self.value) for single in singles)

    def _equals(self, found: PropertyValue) -> bool:
        if self.operator == "in" and isinstance(self.value, tuple):
            return any(equals(found, value) for value in self.value)
        return equals(found, self.value) is (self.operator == "=")


class Query(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A query for services.

    Args:
        type: the service's type. Without it, the platform's own entries, whose types begin with `formicary-`,
            do not match.
        name: the service's name.
        agent: the full name of its agent.
        protocols: interaction protocols, all of which it supports.
        ontologies: ontologies, all of which it supports.
        languages: content languages, all of which it supports.
        ownership: its owner.
        properties: values of its properties; texts that a property that is a list contains.
        where: further conditions on properties.
        max_results: the most answers, 1 to 10 000.
        offset: number of matches to skip, to continue an earlier search.

    Raises:
        InvalidDescriptionError: a value is invalid; the message says which, and why.
    """

    type: str | None = None
    name: str | None = None
    agent: str | None = None
    protocols: tuple[str, ...] = ()
    ontologies: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    ownership: str | None = None
    properties: dict[str, PropertyValue] = Properties()
    where: tuple[Condition, ...] = ()
    max_results: int = 100
    offset: int = 0

    def __post_init__(self) -> None:
        # Runs for every search: usual values pass with few checks.
        for value in (self.type, self.name, self.agent, self.ownership):
            if value is not None and value.__class__ is not str:
                _check_texts(self)
        if self.protocols != () or self.ontologies != () or self.languages != ():
            _check_lists(self)
        if self.properties != {}:
            force_setattr(self, "properties", check_properties(self.properties))
        if self.where != ():
            _check_where(self)
        if self.max_results.__class__ is not int or not 0 < self.max_results <= MOST_RESULTS:
            _check_number("max_results", self.max_results, 1, MOST_RESULTS)
        if self.offset.__class__ is not int or self.offset != 0:
            _check_number("offset", self.offset, 0, _FURTHEST)

    @property
    def is_plain(self) -> bool:
        """Whether it has at most one of type, name and agent, and nothing else.

        Without a type, the platform's own entries still do not match.
        """
        return (
            (self.type is None) + (self.name is None) + (self.agent is None) >= _PLAIN
            and self.ownership is None
            and not (self.protocols or self.ontologies or self.languages or self.properties or self.where)
        )

    def matches(self, description: ServiceDescription) -> bool:
        """Return whether a service matches, ignoring the limits."""
        return (
            (
                not description.type.startswith(RESERVED)
                if self.type is None
                else description.type == self.type
            )
            and (self.name is None or description.name == self.name)
            and (self.agent is None or description.agent == self.agent)
            and (self.ownership is None or description.ownership == self.ownership)
            and (not self.protocols or _has(description.protocols, self.protocols))
            and (not self.ontologies or _has(description.ontologies, self.ontologies))
            and (not self.languages or _has(description.languages, self.languages))
            and (not self.properties or self._agrees(description.properties))
            and (not self.where or all(condition.matches(description.properties) for condition in self.where))
        )

    def _agrees(self, properties: dict[str, PropertyValue]) -> bool:
        for name, value in self.properties.items():
            found = properties.get(name)
            if found is None or not equals(found, value):
                return False
        return True


def equals(found: PropertyValue, wanted: Any) -> bool:
    """Return whether a property has a value; a list, whether it contains all of the value's texts."""
    if isinstance(found, tuple):
        return _has(found, wanted) if isinstance(wanted, tuple) else wanted in found
    return _kind(found) is _kind(wanted) and bool(found == wanted)


def _has(found: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return found == wanted or set(wanted).issubset(found)


def _kind(value: Any) -> type:
    return float if value.__class__ is int else value.__class__


def _check_texts(query: Query) -> None:
    for field in _TEXTS:
        value = getattr(query, field)
        if value is not None:
            force_setattr(query, field, check_text(f"{field} in a query", value))


def _check_lists(query: Query) -> None:
    for field in LISTS:
        values = getattr(query, field)
        if values != ():
            force_setattr(query, field, check_texts(f"{field} in a query", values))


def _check_where(query: Query) -> None:
    where: Any = query.where
    if not isinstance(where, (tuple, list)) or not all(isinstance(each, Condition) for each in where):
        raise InvalidDescriptionError(
            f"a query's where must be a list of Condition(property, operator, value), not {shorten(where)}"
        )
    if len(where) > MOST_CONDITIONS:
        raise InvalidDescriptionError(
            f"a query's where has {len(where)} conditions; the limit is {MOST_CONDITIONS}"
        )
    force_setattr(query, "where", tuple(where))


def _check_number(what: str, value: Any, least: int, most: int) -> None:
    if value.__class__ is not int or not least <= value <= most:
        raise InvalidDescriptionError(
            f"a query's {what} must be a number from {least} to {most}, not {shorten(value)}"
            + ("; search again with an offset for the next ones" if what == "max_results" else "")
        )
