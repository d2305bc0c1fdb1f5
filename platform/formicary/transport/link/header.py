"""What the two ends of a link say to each other: the header of every frame, and what a hello holds.

`docs/link-protocol.md` specifies them.
"""

from __future__ import annotations

from struct import Struct
from typing import Any, Final

import msgspec

HEADER = Struct("!BIIQQ")
"""Kind, the sender's incarnation, the receiver's (0 where it is not known), number, acknowledged number."""

SIZE = HEADER.size

# Kinds of frames. Data, parts and the close are numbered; the others may be lost and come twice.
HELLO: Final = 1
"""Announces the sender and its session parameters; an answer gives its number back as `acknowledged`."""
DATA: Final = 2
"""A batch of messages, or the last part of one."""
PART: Final = 3
"""A part of a batch that is larger than a frame; the next frames bring the rest."""
ACK: Final = 4
"""Only acknowledges."""
PING: Final = 5
"""Are you there? To be answered at once by a pong with the same number."""
PONG: Final = 6
LOST: Final = 7
"""A frame came whose number is not the next: send again what is not acknowledged."""
CLOSE: Final = 8
"""The sender stops, and takes nothing more."""
BUSY: Final = 9
"""Answers a ping as a pong does, but holds acknowledgements back until there is room."""

LOWEST_VERSION = VERSION = 2
"""The versions of the protocol that are spoken here; 1 had no links."""

WINDOW_FRAMES = 1024
WINDOW_BYTES = 1 << 22
MESSAGE_LIMIT = 16 << 20
"""Bytes of the largest message, as it is written in a batch."""


class SessionParameters(msgspec.Struct):
    """What a hello holds.

    Args:
        versions: the lowest and the highest version of the protocol that the sender speaks.
        frame_limit: bytes of the largest frame that reaches it on every path.
        window_frames: how many frames it takes before it has acknowledged any of them.
        window_bytes: how many bytes these may be together; one frame it takes in any case.
        message_limit: bytes of the largest batch that it puts together from parts.
        offer: how to reach it directly, if it can be.
        previous: of the last session with this receiver that the sender has ended and took anything in: the
            incarnations of the sender and the receiver in it, and the number of the last frame that it took.
        receipts: whether it says which messages were taken by their receivers, and wants to be told.
    """

    versions: tuple[int, int] = (LOWEST_VERSION, VERSION)
    frame_limit: int = 1 << 18
    window_frames: int = WINDOW_FRAMES
    window_bytes: int = WINDOW_BYTES
    message_limit: int = MESSAGE_LIMIT
    offer: Any = None
    previous: tuple[int, int, int] | None = None
    receipts: bool = False


_HELLO_LIMIT = 1 << 14  # bytes of parameters: what is in an offer is kept
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(SessionParameters)


def write_parameters(parameters: SessionParameters) -> bytes:
    """Return the payload of a hello."""
    return _encoder.encode(parameters)


def read_parameters(payload: bytes | memoryview) -> SessionParameters:
    """Return what a hello holds; ValueError if it is none, or its numbers make no sense."""
    if len(payload) > _HELLO_LIMIT:
        raise ValueError(f"a hello with {len(payload)} bytes of parameters")
    try:
        parameters = _decoder.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"not a hello: {error}") from error
    numbers = (
        parameters.frame_limit,
        parameters.window_frames,
        parameters.window_bytes,
        parameters.message_limit,
    )
    if parameters.frame_limit <= _SMALLEST_FRAME or min(numbers) < 1 or max(numbers) >= 1 << 53:
        raise ValueError("a hello with limits that nothing fits into")
    return parameters


_SMALLEST_FRAME = 1024
