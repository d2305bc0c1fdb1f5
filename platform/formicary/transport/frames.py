"""Frames: batches of messages between two containers of a platform. `docs/wire-format.md` specifies them."""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64, b2a_base64

import msgspec

from formicary.message import Message  # noqa: TC001 -- msgspec reads the annotations at run time

NAMESPACE = "urn:formicary:frame:1"
"""The XML namespace of a frame's element; its number changes with the format."""


class Frame(msgspec.Struct, array_like=True):
    """What one container sends to another in one turn of its loop.

    Args:
        messages: the messages, oldest first.
        receivers: for a message with several receivers, by its place in `messages`: the one that this copy
            is for. A message with one receiver is for that one.
    """

    messages: list[Message]
    receivers: dict[int, str] = {}


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Frame)


def encode(frame: Frame) -> bytes:
    """Return the frame as the text of an XML element: msgpack in base64."""
    return b2a_base64(_encoder.encode(frame), newline=False)


def decode(text: str) -> Frame:
    """Return the frame that `encode` made `text` of.

    Raises:
        ValueError: it is none, with what is wrong.
    """
    try:
        return _decoder.decode(a2b_base64(text, strict_mode=True))
    except (Base64Error, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"not a frame: {error}") from error


def size(message: Message) -> int:
    """Return how many bytes the message takes in a frame."""
    return len(_encoder.encode(message)) * 4 // 3 + 4
