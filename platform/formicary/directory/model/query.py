"""What is asked of the directory: which services, and how many (FIPA00023: search-constraints).

A query is data, never code, so that it can be sent, kept and explained. All of its conditions hold for an
answer. An empty query matches everything.
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
"""How many answers one search gives at most."""

MOST_CONDITIONS = 16
"""How many conditions a query has in `where` at most."""

OPERATORS = ("=", "!=", "<", "<=", ">", ">=", "in", "prefix")
"""What a condition can ask of a property."""

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
    """Something that a property must be. A service without the property never matches.

    Numbers are compared with numbers and texts with texts; a value of another kind never matches. A property
    that is a list matches if one of its texts does, with `!=` if none of them is equal.

    Args:
        property: the property's name.
        operator: one of `=`, `!=`, `<`, `<=`, `>`, `>=`, `in` (is one of several), `prefix` (begins with).
        value: what the property is held against; with `in`, a list.

    Raises:
        InvalidDescriptionError: there is no such operator, or it cannot be asked with this value.
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
        """Tell whether a service with these properties is meant."""
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
    """Which services are meant, and how many of them are wanted.

    Args:
        type: the service's type. Without it, the platform's own entries, whose types begin with `formicary-`,
            are not meant.
        name: the service's name.
        agent: the full name of the agent that offers it.
        protocols: interaction protocols that it knows, all of them.
        ontologies: ontologies that it knows, all of them.
        languages: content languages that it knows, all of them.
        ownership: who it belongs to.
        properties: values that its properties have; where a property is a list, texts that are in it.
        where: further conditions on properties.
        max_results: how many answers are wanted at most, 1 to 10 000.
        offset: how many matches are left out before the first answer, to go on from an earlier search.

    Raises:
        InvalidDescriptionError: a value is none that a query can have; with which, and why.
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
        # Runs for every search: what is usual passes with few looks.
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
        """Whether it asks for nothing but at most one of type, name and agent.

        Without a type, it does not mean the platform's own entries all the same.
        """
        return (
            (self.type is None) + (self.name is None) + (self.agent is None) >= _PLAIN
            and self.ownership is None
            and not (self.protocols or self.ontologies or self.languages or self.properties or self.where)
        )

    def matches(self, description: ServiceDescription) -> bool:
        """Tell whether a service is meant, whatever the limits."""
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
    """Tell whether a property is what is wanted; a list is if all that is wanted is in it."""
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
