"""What an agent offers, as the directory keeps it (FIPA00023: service-description, df-agent-description).

Descriptions are checked once, where they are made or decoded, and cannot be changed afterwards: so agents of
one process, the index and the replica share them without copies.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Never

import msgspec
from msgspec.structs import force_setattr

from formicary.errors import InvalidDescriptionError, InvalidNameError
from formicary.names import check_receiver

if TYPE_CHECKING:
    from collections.abc import Iterable

PropertyValue = str | int | float | bool | tuple[str, ...]
"""What a property can be: text, a number, yes or no, or several texts."""

LARGEST = 16_384
"""How many bytes a description may take, encoded."""

_WORDS = frozenset({int, float, bool, str})
_LARGEST_INTEGER = 2**63  # what every JSON and msgpack library can read back


class Properties(dict[str, PropertyValue]):
    """A description's properties, immutable like the description."""

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> Never:
        raise TypeError("a description's properties cannot be changed; make another with replace()")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = _refuse
    __ior__ = _refuse

    def __hash__(self) -> int:  # type: ignore[override]  # immutable, so it can be hashed
        """Hash by content."""
        return hash(frozenset(self.items()))


_NONE = Properties()


class ServiceDescription(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One service of one agent: an entry of the directory. It cannot be changed once made.

    An agent has one service of a name. Lists become tuples.

    Args:
        agent: the full name of the agent that offers it, such as `alice@c1.lab.localhost`.
        type: what kind of service it is, such as `"printer"`.
        name: the service's own name; without one, it is called by its type.
        protocols: the interaction protocols that it knows, such as `"fipa-request"`.
        ontologies: the ontologies that it knows.
        languages: the content languages that it knows.
        ownership: who it belongs to.
        properties: further named values: text, finite numbers, bool, or several texts.

    Raises:
        InvalidDescriptionError: a value is none that a description can have; with which, and why.
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
        _check_agent(self.agent)
        check_text("type", self.type)
        if not self.type:
            raise InvalidDescriptionError("a service's type is empty; say what it is, such as 'printer'")
        if self.name == "":
            force_setattr(self, "name", self.type)
        check_text("name", self.name)
        check_text("ownership", self.ownership)
        for field in ("protocols", "ontologies", "languages"):
            values = getattr(self, field)
            if values != ():
                force_setattr(self, field, check_texts(field, values))
        if self.properties is not _NONE:
            force_setattr(self, "properties", _check_properties(self.properties))
        if (size := len(_encoder.encode(self))) > LARGEST:
            raise InvalidDescriptionError(
                f"the description of {self.name[:40]!r} takes {size} bytes, and at most {LARGEST} fit; "
                "let agents ask for what is long"
            )

    def replace(self, **changes: Any) -> ServiceDescription:
        """Return a description like this one but for `changes`.

        Raises:
            InvalidDescriptionError: as for a new description.
        """
        return ServiceDescription(**{**msgspec.structs.asdict(self), **changes})


class AgentDescription(msgspec.Struct, frozen=True):
    """An agent and all that it offers, as agents write it to the directory's agent.

    Args:
        agent: the agent's full name.
        services: its services, each with this agent and a name of its own.

    Raises:
        InvalidDescriptionError: a service is another agent's, or two have the same name.
    """

    agent: str
    services: tuple[ServiceDescription, ...]

    def __post_init__(self) -> None:
        _check_agent(self.agent)
        names = set()
        for service in self.services:
            if service.agent != self.agent:
                raise InvalidDescriptionError(
                    f"the service {service.name!r} is {service.agent}'s and stands in the description of "
                    f"{self.agent}"
                )
            if service.name in names:
                raise InvalidDescriptionError(
                    f"{self.agent} describes two services with the name {service.name!r}; name them apart"
                )
            names.add(service.name)


def check_text(what: str, value: object) -> None:
    """Make sure that a value is text that can be encoded.

    Raises:
        InvalidDescriptionError: it is not; `what` says what it would have been.
    """
    if not isinstance(value, str):
        raise InvalidDescriptionError(
            f"a service's {what} is text, not {type(value).__name__}: {shorten(value)}"
        )
    if not value.isascii():
        _check_encodable(what, value)


def check_texts(what: str, values: Any) -> tuple[str, ...]:
    """Return several texts as a tuple.

    Raises:
        InvalidDescriptionError: they are not several texts; `what` says what they would have been.
    """
    if isinstance(values, str) or not isinstance(values, (tuple, list, set, frozenset)):
        raise InvalidDescriptionError(f"a service's {what} are a list of texts, not {shorten(values)}")
    for value in values:
        check_text(what, value)
    return tuple(sorted(values) if isinstance(values, (set, frozenset)) else values)


def check_value(what: str, value: Any) -> PropertyValue:
    """Return the value of a property, several texts as a tuple.

    Raises:
        InvalidDescriptionError: a property cannot be this; `what` names the property.
    """
    kind = type(value)
    if kind not in _WORDS:
        if isinstance(value, (tuple, list, set, frozenset)):
            return check_texts(what, value)
        raise InvalidDescriptionError(
            f"a service's {what} is text, a number, a bool or a list of texts, not {kind.__name__}: "
            f"{shorten(value)}"
        )
    if kind is str:
        check_text(what, value)
    elif kind is float and not math.isfinite(value):
        raise InvalidDescriptionError(f"a service's {what} is a finite number, not {value}")
    elif kind is int and not -_LARGEST_INTEGER <= value < _LARGEST_INTEGER:
        raise InvalidDescriptionError(f"a service's {what} is at most 64 bits long, unlike {shorten(value)}")
    return value  # type: ignore[no-any-return]  # one of _WORDS


def shorten(value: object, longest: int = 60) -> str:
    """Return how a value is written, cut off if it is long: for a sentence about it."""
    text = repr(value)
    return text if len(text) <= longest else text[:longest] + "..."


def _check_agent(name: object) -> None:
    try:
        check_receiver(name)  # type: ignore[arg-type]  # it says what is wrong with other types
    except InvalidNameError as error:
        raise InvalidDescriptionError(f"a service's agent: {error}") from None
    assert isinstance(name, str)
    domain = name.partition("@")[2]
    if "." not in domain and domain != "localhost":
        raise InvalidDescriptionError(
            f"a service's agent is a full name, such as 'alice@c1.lab.localhost', unlike {name!r}"
        )


def _check_properties(properties: Any) -> Properties:
    if not isinstance(properties, dict):
        raise InvalidDescriptionError(
            f"a service's properties map names to values, unlike {shorten(properties)}"
        )
    if not properties:
        return _NONE
    for name in properties:
        check_text("property's name", name)
    return Properties(_checked(properties.items()))


def _checked(items: Iterable[tuple[str, Any]]) -> Iterable[tuple[str, PropertyValue]]:
    return ((name, check_value(f"property {name!r}", value)) for name, value in items)


def _check_encodable(what: str, value: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidDescriptionError(
            f"a service's {what} has half of a surrogate pair in it: {shorten(value)}"
        ) from None


_encoder = msgspec.msgpack.Encoder()
