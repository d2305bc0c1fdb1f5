"""The encoding of control messages between containers: msgpack, validated when it is decoded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar

import msgspec

T = TypeVar("T")

Number = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]

encode = msgspec.msgpack.Encoder().encode


@dataclass(slots=True, frozen=True)
class Send:
    """An instruction of a state machine: send a control message to a container."""

    domain: str
    payload: bytes


class ControlDecoder(Generic[T]):
    """Decodes the control messages of one channel."""

    def __init__(self, decoder: msgspec.msgpack.Decoder[T], what: str) -> None:
        self._decode = decoder.decode
        self._what = what

    def decode(self, payload: bytes | memoryview) -> T:
        """Return a message of another container.

        Raises:
            ValueError: it is invalid.
        """
        try:
            return self._decode(payload)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ValueError(f"not {self._what}: {error}") from error
