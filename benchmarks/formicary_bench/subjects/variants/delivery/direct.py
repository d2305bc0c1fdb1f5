"""Hand-over by the sender itself, as in our containers: of the message, or of a copy."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import msgspec

from formicary import Message
from formicary_bench.subjects.variants.delivery.design import Design

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary_bench.subjects.variants.delivery.path import DeliveryPath

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Message).decode


class HandOver(Design):
    """The sender hands the message itself over: what that costs more than in our containers, paths cost."""

    def take(self, message: Message, path: DeliveryPath) -> None:
        """Hand it over."""
        self.arrive(message, path)


class Copies(Design):
    """The sender hands a copy over.

    Args:
        copied: what copies a message.
    """

    def __init__(self, copied: Callable[[Message], Message]) -> None:
        self._copied = copied

    def take(self, message: Message, path: DeliveryPath) -> None:
        """Hand a copy over; a message that cannot be copied is a dead letter."""
        try:
            message = self._copied(message)
        except (TypeError, ValueError) as error:  # as msgspec's errors are
            path.on_arrival()
            self.container.dispatcher.add_dead_letter(
                message, f"it could not be copied: {error}", path.receiver
            )
            return
        self.arrive(message, path)


def deep_copy(message: Message) -> Message:
    """Copy a message and all in it that can be changed; Python copies no text, as nobody can change that."""
    metadata = (
        message.metadata
    )  # cannot be changed either, and so not copied: that would be to fill a new one
    return copy.deepcopy(message, {id(metadata): metadata})


def encoded_copy(message: Message) -> Message:
    """Copy a message with its text and all, as if it went to another process: encode and decode it."""
    return _decode(_encode(message))
