"""Descriptions of the services of agents (FIPA00023: service-description).

Descriptions are checked once, when they are created or decoded, and are immutable, so that agents of one
process, the index and the replica share them without copies.
"""

from __future__ import annotations

import math
import re
from typing import Any, Never, TypeVar

import msgspec
from msgspec.structs import force_setattr

from formicary.core.errors import InvalidDescriptionError, InvalidNameError, TooManyServicesError
from formicary.core.names import check_receiver
from formicary.core.quoting import character, find_unseen, shorten

T = TypeVar("T")
PropertyValue = str | int | float | bool | tuple[str, ...]
"""The value of a property: text, a number, a bool, or several texts."""

LARGEST = 16_384
"""The most bytes of an encoded description."""

MOST_SERVICES = 10_000
"""The most services of an agent."""

RESERVED = "formicary-"
"""The prefix of the types of the platform's own entries, which are found only by type."""

LISTS = ("protocols", "ontologies", "languages")
"""The fields that are lists of texts."""

_USUAL = frozenset({int, bool, str})  # types of properties that need no further check
_TEXT = frozenset({str})
_NUMBERS = frozenset({int, bool, float})
_MOST_SHARED = 4096
_shared: dict[Any, Any] = {}
_is_usual_agent = re.compile(r"[a-z0-9._-]{1,255}@(?:[a-z0-9]{1,63}\.){1,3}[a-z0-9]{1,63}").fullmatch
_is_usual_name = re.compile(r"[ -~]+").fullmatch


class Properties(dict[str, PropertyValue]):
    """A description's properties, immutable like the description."""

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> Never:
        raise TypeError("a description's properties cannot be changed; create a new one with replace()")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = _refuse
    __ior__ = _refuse

    def __hash__(self) -> int:  # type: ignore[override]  # immutable, so it can be hashed
        """Hash by content."""
        return hash(frozenset(self.items()))


_NONE = Properties()


class ServiceDescription(
    msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False
):
    """One service of one agent: an immutable entry of the directory.

    The names of an agent's services are unique. Lists become tuples.

    Args:
        agent: the full name of its agent, such as `alice@c1.lab.localhost`.
        type: the kind of service, such as `"printer"`.
        name: its name, by default its type.
        protocols: the interaction protocols that it supports, such as `"fipa-request"`.
        ontologies: the ontologies that it supports.
        languages: the content languages that it supports.
        ownership: its owner.
        properties: further named values: text, finite numbers, bool, or several texts.

    Raises:
        InvalidDescriptionError: a value is invalid; the message says which, and why.
    """

    agent: str
    type: str
    name: str = ""
    protocols: tuple[str, ...] = ()
    ontologies: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    ownership: str = ""
    properties: dict[str, PropertyValue] = _NONE

    def __post_init__(self) -> None:
        # Runs for every entry that a replica receives: usual values pass with few checks.
        if not (self.agent.__class__ is str and _is_usual_agent(self.agent)):
            _check_agent(self.agent)
        if self.name == "":
            force_setattr(self, "name", self.type)
        if not (self.type.__class__ is self.name.__class__ is self.ownership.__class__ is str and self.type):
            _check_texts(self)
        if not (_is_usual_name(self.type) and _is_usual_name(self.name)):
            _check_names(self)
        force_setattr(self, "type", _share(self.type))
        if self.protocols != () or self.ontologies != () or self.languages != ():
            _check_lists(self)
        if self.properties is not _NONE:
            force_setattr(self, "properties", check_properties(self.properties))
        try:
            size = len(_encode(self))
        except (UnicodeEncodeError, OverflowError):
            raise InvalidDescriptionError(_why_not_encodable(self)) from None
        if size > LARGEST:
            raise InvalidDescriptionError(
                f"the description of {shorten(self.name)} takes {size} bytes, and the limit is "
                f"{LARGEST}; let agents ask for long values"
            )

    def replace(self, **changes: Any) -> ServiceDescription:
        """Return a copy of this description with `changes`.

        Raises:
            InvalidDescriptionError: as for a new description.
        """
        return ServiceDescription(**{**msgspec.structs.asdict(self), **changes})


class Gone(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A service that is no longer registered.

    Args:
        agent: the full name of its agent.
        name: the service's name.
    """

    agent: str
    name: str


def check_text(what: str, value: object) -> str:
    """Return a text as plain str, even if it is of a subclass such as StrEnum.

    Raises:
        InvalidDescriptionError: it is no text; `what` names the field.
    """
    if not isinstance(value, str):
        raise InvalidDescriptionError(
            f"a service's {what} must be text, not {type(value).__name__}: {shorten(value)}"
        )
    return str.__str__(value)


def check_texts(what: str, values: Any) -> tuple[str, ...]:
    """Return several texts as a tuple.

    Raises:
        InvalidDescriptionError: they are not several texts; `what` names the field.
    """
    if not isinstance(values, (tuple, list)):
        raise InvalidDescriptionError(f"a service's {what} must be a list of texts, not {shorten(values)}")
    if not _TEXT.issuperset(map(type, values)):
        values = [check_text(f"{what}, each of them,", value) for value in values]
    return _share(tuple(values))


def check_value(what: str, value: Any) -> PropertyValue:
    """Return the value of a property, several texts as a tuple.

    Raises:
        InvalidDescriptionError: it is invalid; `what` names the property.
    """
    if isinstance(value, (tuple, list)):
        return check_texts(what, value)
    if isinstance(value, str):
        return check_text(what, value)
    if type(value) not in _NUMBERS:
        raise InvalidDescriptionError(
            f"a service's {what} must be text, a number, a bool or a list of texts, not "
            f"{type(value).__name__}: {shorten(value)}"
        )
    if type(value) is float and not math.isfinite(value):
        raise InvalidDescriptionError(f"a service's {what} must be a finite number, not {value}")
    return value  # type: ignore[no-any-return]  # one of _NUMBERS


def too_many(agent: str) -> TooManyServicesError:
    """Return the error for an agent that has as many services as it can have."""
    return TooManyServicesError(
        f"{agent} has {MOST_SERVICES} services, which is the limit; deregister some, or let other "
        "agents offer the rest"
    )


def _share(value: T) -> T:
    """Return an equal value, the same object for all services that have it."""
    if len(_shared) >= _MOST_SHARED:
        _shared.clear()
    shared: T = _shared.setdefault(value, value)
    return shared


def _check_agent(name: Any) -> None:
    try:
        check_receiver(name)
    except InvalidNameError as error:
        raise InvalidDescriptionError(f"a service's agent: {error}") from None
    domain = name.partition("@")[2]
    if "." not in domain and domain != "localhost":
        raise InvalidDescriptionError(
            f"a service's agent must be a full name, such as 'alice@c1.lab.localhost', not {name!r}"
        )


def _check_texts(description: ServiceDescription) -> None:
    for field in ("type", "name", "ownership"):
        force_setattr(description, field, check_text(field, getattr(description, field)))
    if not description.type:
        raise InvalidDescriptionError("a service's type must not be empty; set one, such as 'printer'")


def _check_names(description: ServiceDescription) -> None:
    for field in ("type", "name"):
        if letter := find_unseen(name := getattr(description, field)):
            raise InvalidDescriptionError(
                f"a service's {field} is a name, and {shorten(name)} contains {character(letter)}; "
                "remove it, along with any other control and format characters"
            )


def _check_lists(description: ServiceDescription) -> None:
    for field in LISTS:
        values = getattr(description, field)
        if values != ():
            shared = _share(values) if _are_texts(values) else check_texts(field, values)
            force_setattr(description, field, shared)


def _are_texts(values: Any) -> bool:
    return values.__class__ is tuple and _TEXT.issuperset(map(type, values))


def check_properties(properties: Any) -> Properties:
    """Return immutable properties.

    Raises:
        InvalidDescriptionError: one is invalid, or they are not a dict.
    """
    if not isinstance(properties, dict):
        raise InvalidDescriptionError(
            f"a service's properties must map names to values, not {shorten(properties)}"
        )
    if not properties:
        return _NONE
    checked = {}
    for name, value in properties.items():
        if name.__class__ is not str or not name:
            raise InvalidDescriptionError(
                f"the name of a service's property must be text, not {shorten(name)}"
            )
        if value.__class__ not in _USUAL:
            value = _share(value) if _are_texts(value) else check_value(f"property {shorten(name)}", value)  # noqa: PLW2901
        checked[name] = value
    return Properties(checked)


def _why_not_encodable(description: ServiceDescription) -> str:
    for field, value in msgspec.structs.asdict(description).items():
        try:
            _encode(value)
        except UnicodeEncodeError:
            return f"a service's {field} contains a lone surrogate: {shorten(value)}"
        except OverflowError:
            return f"a service's {field} contains a number of more than 64 bits: {shorten(value)}"
    raise AssertionError("the description can be encoded")


_encode = msgspec.msgpack.Encoder().encode
