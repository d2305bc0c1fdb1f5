"""Copies of messages: what agents of a container would pay if they could not share messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import force_setattr

from formicary.core.message import Metadata, copied

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.core.mailbox import Deliver, MessageSink
    from formicary.core.message import Message

_ERRORS = "surrogatepass"  # a body may hold any text


def copy_of(message: Message) -> Message:
    """Return an equal message that shares neither body nor metadata with this one."""
    message, body, metadata = copied(message), message.body, message.metadata
    # Python does not copy immutable text and bytes unless it is forced to.
    other = (
        body.encode(errors=_ERRORS).decode(errors=_ERRORS)
        if isinstance(body, str)
        else bytes(bytearray(body))
    )
    force_setattr(message, "body", other)
    if metadata is not None:
        force_setattr(message, "metadata", Metadata(metadata))
    return message


def copying(deliver: Deliver) -> Deliver:
    """Return an entrance that copies each message."""

    def deliver_copy(message: Message) -> Sequence[MessageSink] | None:
        return deliver(copy_of(message))

    return deliver_copy
