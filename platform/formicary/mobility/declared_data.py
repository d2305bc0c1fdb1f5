"""Turn the `data` of agents and behaviours into msgpack and back, by the type that their class declares."""

from __future__ import annotations

import inspect
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, get_type_hints

import msgspec

from formicary.core.errors import FormicaryError, MoveError
from formicary.core.importing import describe_error
from formicary.mobility import plain_data

if TYPE_CHECKING:
    from formicary.core.base_agent import BaseAgent
    from formicary.core.behaviour import Behaviour

    Owner: TypeAlias = BaseAgent | Behaviour


def take_data(owner: Owner, whose: str) -> msgspec.Raw:
    """Return the `data` of an agent or a behaviour as msgpack.

    Args:
        owner: the agent or behaviour.
        whose: its possessive in sentences: `its`, or `the behaviour Buy's`.

    Raises:
        MoveError: it has attributes that are not carried, or something in `data` cannot be.
    """
    data: Any = owner.data
    kind: Any = type(owner)
    _check_attributes(owner, kind, whose)
    try:
        if (decoder := _decoder_of(kind)) is None:
            return plain_data.NIL if data is None else msgspec.Raw(plain_data.encode(data))
        raw = plain_data.encode_declared(data)
    except plain_data.UncarriedError as error:
        hint = "" if _annotation(kind) is not None else "; declare the type of `data`, if it can hold this"
        raise MoveError(f"{whose} data{error.path} {error}, which cannot be carried{hint}") from None
    try:
        arrived = decoder.decode(raw)
    except Exception as error:
        raise MoveError(f"{whose} data does not have its declared type: {describe_error(error)}") from error
    try:
        plain_data.check_arrives(data, arrived)
    except plain_data.UncarriedError as error:
        raise MoveError(
            f"{whose} data{error.path} {error}: declare the type of everything in `data`"
        ) from None
    return msgspec.Raw(raw)


def give_data(owner: Owner, raw: msgspec.Raw, whose: str) -> None:
    """Set the `data` of an agent or a behaviour that has arrived.

    Raises:
        MoveError: it is not of the type that its class declares here.
    """
    kind: Any = type(owner)
    if raw == plain_data.NIL and _annotation(kind) is None:
        return
    try:
        decoder = _decoder_of(kind)
        owner.data = plain_data.decode(raw) if decoder is None else decoder.decode(raw)
    except AttributeError as error:
        raise MoveError(f"{whose} class {kind.__name__} cannot hold data: {error}") from error
    except Exception as error:
        raise MoveError(f"{whose} data does not have its declared type: {describe_error(error)}") from error


def upgrade_data(agent: BaseAgent, raw: msgspec.Raw, version: int) -> None:
    """Upgrade and set the `data` of an agent that has arrived with another version of it.

    Raises:
        MoveError: its class cannot upgrade that version.
    """
    kind: Any = type(agent)
    try:
        upgraded = kind.upgrade(plain_data.decode(raw), version)
        annotation = _annotation(kind)
        agent.data = upgraded if annotation is None else msgspec.convert(upgraded, annotation[0])
    except FormicaryError as error:
        raise MoveError(str(error)) from error
    except Exception as error:
        raise MoveError(
            f"its data of version {version} cannot be upgraded to version {kind.data_version}: "
            f"{describe_error(error)}"
        ) from error


def _check_attributes(owner: Owner, kind: type, whose: str) -> None:
    attributes, slots = getattr(owner, "__dict__", ()), _slots_of(kind)
    names = [*attributes, *(each for each in slots if hasattr(owner, each))] if slots else attributes
    for name in names:
        if name != "data" and not _is_transient(owner, name):
            raise MoveError(
                f"{whose} attribute `{name}` is not carried along; put it in `data`, or list it in "
                "`transient`"
            )


def _is_transient(owner: Owner, name: str) -> bool:
    transient: Any = owner.transient
    return name == transient if isinstance(transient, str) else name in transient


@lru_cache(maxsize=1000)
def _slots_of(kind: type) -> tuple[str, ...]:
    """Return the names of the slots that users' own classes have."""
    names: list[str] = []
    for base in kind.__mro__:
        if base.__module__.startswith("formicary."):
            break
        slots = base.__dict__.get("__slots__", ())
        names += (slots,) if isinstance(slots, str) else slots
    return tuple(name for name in names if name not in {"__dict__", "__weakref__"})


@lru_cache(maxsize=1000)
def _annotation(kind: type) -> tuple[Any] | None:
    """Return the type that a class or its nearest base declares for `data`; None if none does."""
    for base in kind.__mro__:
        if base.__module__.startswith("formicary.core."):
            return None
        declared = inspect.get_annotations(base)
        if "data" in declared:
            holder = type(base.__name__, (), {"__annotations__": {"data": declared["data"]}})
            names = vars(sys.modules[base.__module__]) if base.__module__ in sys.modules else {}
            try:
                return (get_type_hints(holder, names, include_extras=True)["data"],)
            except Exception as error:
                raise MoveError(
                    f"the type of {base.__name__}.data cannot be resolved: {describe_error(error)}; "
                    "import it where the class is defined, not only for type checkers"
                ) from error
    return None


@lru_cache(maxsize=1000)
def _decoder_of(kind: type) -> msgspec.msgpack.Decoder[Any] | None:
    annotation = _annotation(kind)
    if annotation is None or annotation[0] is Any:
        return None
    try:
        return msgspec.msgpack.Decoder(annotation[0])
    except TypeError as error:
        raise MoveError(
            f"the type of {kind.__name__}.data cannot be carried: {describe_error(error)}"
        ) from error
