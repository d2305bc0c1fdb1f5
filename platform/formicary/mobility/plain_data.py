"""Encode plain data as msgpack, including tuples and sets, which msgpack does not have.

Other data is refused, with the path to it: an object that arrived as something else would be a surprise far
from its cause.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCALARS: Final = frozenset({type(None), bool, int, float, str, bytes})
_KINDS: Final[dict[int, type]] = {1: tuple, 2: set, 3: frozenset}
_CODES: Final[dict[type, int]] = {kind: code for code, kind in _KINDS.items()}
_LARGEST: Final = 1 << 64
_SMALLEST: Final = -(1 << 63)
_COMPOSED: Final = (msgspec.Struct, dict, list, tuple)
_FAILURES: Final = (TypeError, ValueError, OverflowError, RecursionError)

NIL: Final = msgspec.Raw(b"\xc0")
"""None, as msgpack."""

encode_any = msgspec.msgpack.Encoder().encode
"""Encodes data of a declared type."""


class UncarriedError(Exception):
    """A value cannot be carried: `path` leads to it, and the text says what it is."""

    def __init__(self, what: str, path: str = "") -> None:
        super().__init__(what)
        self.path = path

    def within(self, step: str) -> UncarriedError:
        """Return this, as seen from one level above."""
        self.path = step + self.path
        return self


def encode(value: object) -> bytes:
    """Return plain data as msgpack.

    Raises:
        UncarriedError: something in it is not plain.
    """
    try:
        return encode_any(_carried(value))
    except RecursionError:
        raise UncarriedError("is nested too deeply, or contains itself") from None
    except UnicodeEncodeError:
        raise UncarriedError("contains text with a lone surrogate, which is not valid Unicode") from None


def decode(data: bytes | msgspec.Raw) -> Any:
    """Return the plain data that was encoded by `encode`.

    Raises:
        ValueError: it was not.
    """
    try:
        return _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, TypeError, RecursionError) as error:
        raise ValueError(f"not plain data: {error}") from error


def _carried(value: Any) -> Any:
    kind = type(value)
    if kind in _SCALARS:
        if kind is int and not _SMALLEST <= value < _LARGEST:
            raise UncarriedError("is an int of more than 64 bits")
        return value
    if kind is dict:
        return {_key(key): _item(inner, key) for key, inner in value.items()}
    if kind is list:
        return [_item(inner, number) for number, inner in enumerate(value)]
    if kind in _CODES:
        inside = [_item(inner, number) for number, inner in enumerate(value)]
        return msgspec.msgpack.Ext(_CODES[kind], encode_any(inside))
    raise UncarriedError(f"is {_article(kind.__name__)}")


def _item(value: Any, key: object) -> Any:
    if type(value) is str:
        return value
    try:
        return _carried(value)
    except UncarriedError as error:
        raise error.within(f"[{key!r}]") from None


def _key(key: Any) -> Any:
    if type(key) not in _SCALARS:
        raise UncarriedError(f"is {_article(type(key).__name__)}", f"'s key {key!r}")
    return key


def _restored(code: int, data: memoryview) -> Any:
    if code not in _KINDS:
        raise TypeError(f"there is no kind {code}")
    return _KINDS[code](_decoder.decode(data))


_decoder = msgspec.msgpack.Decoder(ext_hook=_restored)


# -- data of a declared type --------------------------------------------------------------------------------


def encode_declared(value: object) -> bytes:
    """Return an object of a declared type as msgpack.

    Raises:
        UncarriedError: something in it cannot be encoded.
    """
    try:
        return encode_any(value)
    except _FAILURES as error:
        raise _find_uncarried(value, error) from None


def _find_uncarried(value: Any, error: Exception, above: tuple[int, ...] = ()) -> UncarriedError:
    """Return an error for the innermost value that cannot be encoded."""
    if id(value) in above:
        return UncarriedError("has itself in it")
    for step, inner in _inside(value):
        try:
            encode_any(inner)
        except _FAILURES as inner_error:
            return _find_uncarried(inner, inner_error, (*above, id(value))).within(step)
    if isinstance(error, TypeError):
        return UncarriedError(f"is {_article(type(value).__name__)}")
    if isinstance(error, OverflowError):
        return UncarriedError("is an int of more than 64 bits")
    return UncarriedError(f"cannot be carried: {error}")


def check_arrives(value: Any, arrived: Any) -> None:
    """Check that an object of a declared type arrives unchanged.

    Args:
        value: the object.
        arrived: the object as decoded at the destination.

    Raises:
        UncarriedError: something in it is lost, or changes.
    """
    _check_fields(value)
    if value != arrived:
        _check_same(value, arrived)


def _check_same(value: Any, arrived: Any) -> None:
    _check_fields(value)
    is_same_kind = type(value) is type(arrived)
    inside, inside_arrived = dict(_inside(value)), dict(_inside(arrived))
    has_parts = isinstance(value, _COMPOSED) or dataclasses.is_dataclass(value)
    if is_same_kind and has_parts and inside.keys() == inside_arrived.keys():
        for step, inner in inside.items():
            try:
                _check_same(inner, inside_arrived[step])
            except UncarriedError as error:
                raise error.within(step) from None
    elif value != arrived and value == value:  # noqa: PLR0124 -- a float may be no number
        what = "" if is_same_kind else f", and would arrive as {_article(type(arrived).__name__)}"
        raise UncarriedError(f"is {_article(type(value).__name__)}{what}")


def _check_fields(value: Any) -> None:
    """Check that a dataclass has no attributes besides its fields."""
    if dataclasses.is_dataclass(value):
        names = {field.name for field in dataclasses.fields(value)}
        for name in getattr(value, "__dict__", ()):
            if name not in names and not hasattr(type(value), name):  # a cached property is computed again
                raise UncarriedError("is not a field of its class", f".{name}")


def _inside(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
    elif dataclasses.is_dataclass(value):
        names = tuple(field.name for field in dataclasses.fields(value))
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield f"[{key!r}]", inner
        return
    elif isinstance(value, list | tuple | set | frozenset):
        for number, inner in enumerate(value):
            yield f"[{number}]", inner
        return
    else:
        return
    for name in names:
        if hasattr(value, name):
            yield f".{name}", getattr(value, name)


def _article(kind: str) -> str:
    return f"{'an' if kind[:1] in 'AEIOUaeiou' else 'a'} {kind}"
