"""How containers tell each other something past their agents: as msgpack that is checked when it is read."""

from __future__ import annotations

from typing import Annotated, Generic, TypeVar

import msgspec

T = TypeVar("T")

Number = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]

encode = msgspec.msgpack.Encoder().encode


class ControlDecoder(Generic[T]):
    """Reads one kind of what is told.

    Args:
        decoder: knows what can be said.
        what: what it should be, as part of a sentence.
    """

    def __init__(self, decoder: msgspec.msgpack.Decoder[T], what: str) -> None:
        self._decode = decoder.decode
        self._what = what

    def decode(self, payload: bytes | memoryview) -> T:
        """Return what another container has said.

        Raises:
            ValueError: it is nothing of this kind.
        """
        try:
            return self._decode(payload)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ValueError(f"not {self._what}: {error}") from error
