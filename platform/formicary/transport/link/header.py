"""The header of every frame, and the session parameters in a hello.

`docs/link-protocol.md` specifies them.
"""

from __future__ import annotations

from struct import Struct
from typing import Any, Final

import msgspec

HEADER = Struct("!BIIQQ")
"""Kind, the sender's incarnation, the receiver's (0 if unknown), number, acknowledged number."""

SIZE = HEADER.size

# Kinds of frames. DATA, PART and CLOSE are numbered; others may be lost or come twice.
HELLO: Final = 1
"""Announces the sender and its session parameters; an answer has its number as `acknowledged`."""
DATA: Final = 2
"""A batch of messages, or its last part."""
PART: Final = 3
"""An earlier part of a batch that is larger than a frame."""
ACK: Final = 4
"""Acknowledges, and nothing else."""
PING: Final = 5
"""Must be answered at once by a pong with the same number."""
PONG: Final = 6
LOST: Final = 7
"""A numbered frame is missing: resend what is not acknowledged."""
CLOSE: Final = 8
"""The sender stops, and takes nothing more."""
BUSY: Final = 9
"""Answers a ping as a pong does; acknowledgements are withheld until there is room."""

LOWEST_VERSION = VERSION = 2
"""The versions of the protocol that are supported; 1 had no links."""

WINDOW_FRAMES = 1024
WINDOW_BYTES = 1 << 22
MESSAGE_LIMIT = 16 << 20
"""Bytes of the largest message in a batch."""


class SessionParameters(msgspec.Struct):
    """The payload of a hello.

    Args:
        versions: the lowest and the highest version of the protocol that the sender speaks.
        frame_limit: bytes of the largest frame that reaches it on every path.
        window_frames: how many frames it takes before it has acknowledged any.
        window_bytes: how many bytes these may have; one frame may always have more.
        message_limit: bytes of the largest batch that it assembles from parts.
        offer: how to reach it directly, if possible.
        previous: of the last session with this receiver that the sender has ended and took anything in: the
            incarnations of the sender and the receiver, and the number of the last frame that it took.
        receipts: whether it tells which messages were taken by their receivers, and wants to be told.
    """

    versions: tuple[int, int] = (LOWEST_VERSION, VERSION)
    frame_limit: int = 1 << 18
    window_frames: int = WINDOW_FRAMES
    window_bytes: int = WINDOW_BYTES
    message_limit: int = MESSAGE_LIMIT
    offer: Any = None
    previous: tuple[int, int, int] | None = None
    receipts: bool = False


_HELLO_LIMIT = 1 << 14  # bytes of parameters, as an offer is kept
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(SessionParameters)


def write_parameters(parameters: SessionParameters) -> bytes:
    """Return the payload of a hello."""
    return _encoder.encode(parameters)


def read_parameters(payload: bytes | memoryview) -> SessionParameters:
    """Return the parameters in a hello; ValueError if they are invalid."""
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
