"""Batches of messages between two containers, as frames carry them; `docs/wire-format.md` specifies them."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import msgspec

from formicary.errors import InvalidMessageError
from formicary.message import Message
from formicary.names import check_local, complete_for

NAMESPACE = "urn:formicary:frame:2"
"""The XML namespace of a frame's element; its number changes with the format."""

_REMEMBERED = 65_536  # names whose full form is remembered

_USUAL = ("to", "sender", "body", "performative")
_RARE = tuple(field for field in Message.__struct_fields__ if field not in _USUAL)
_rare_values = attrgetter(*_RARE)
_NONE = (None,) * len(_RARE)


class Entry(msgspec.Struct, array_like=True, gc=False):
    """One message in a batch. Names are agents' own: who is at the ends of the link says in which containers.

    Args:
        to: the receiver.
        sender: the sender.
        body: text or bytes.
        performative: the message's.
        rare: all other parameters that the message has; `to` among them, with full names, where it has
            several receivers.
    """

    to: str
    sender: str
    body: Any
    performative: str | None = None
    rare: dict[str, Any] | None = None


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(list[Entry])


class Names(dict[str, str]):
    """The full names of one container's agents by their own names, each made and checked once.

    Args:
        domain: the container's full domain.
    """

    def __init__(self, domain: str) -> None:
        super().__init__()
        self._suffix = f"@{domain}"

    def __missing__(self, local: str) -> str:
        if len(self) >= _REMEMBERED:
            self.clear()
        name = self[local] = check_local(local) + self._suffix
        return name


def to_entry(message: Message, receiver: str) -> Entry:
    """Return the entry of `message` for one of its receivers, by full name.

    Raises:
        InvalidMessageError: the message has values of wrong types.
    """
    sender, act = message.sender, message.performative
    rare = None
    values = _rare_values(message)
    if values != _NONE or message.to is not receiver or (act is not None and type(act) is not str):
        message.check()
        rare = {name: value for name, value in zip(_RARE, values, strict=True) if value is not None}
        if message.reply_to is not None:
            rare["reply_to"] = complete_for(message.reply_to, sender)
        if isinstance(message.to, tuple):
            rare["to"] = message.to
    assert sender is not None
    return Entry(
        receiver[: receiver.index("@")], sender[: sender.index("@")], message.body, act, rare or None
    )


def from_entry(entry: Entry, receivers: Names, senders: Names) -> tuple[Message, str]:
    """Return the message of an entry, and the full name of the receiver that it is for.

    Args:
        entry: the entry.
        receivers: the names of the receiving container.
        senders: the names of the sending container: an entry cannot claim to be from elsewhere.

    Raises:
        ValueError: the entry's values cannot be a message's.
    """
    receiver, sender = receivers[entry.to], senders[entry.sender]
    if entry.rare is None:
        return Message(receiver, sender, entry.body, entry.performative), receiver
    parameters = {"to": receiver, **entry.rare, "sender": sender, "body": entry.body}
    if isinstance(parameters["to"], list):
        parameters["to"] = tuple(parameters["to"])
    try:
        message = Message(performative=entry.performative, **parameters)
    except TypeError as error:
        raise InvalidMessageError(f"not a message: {error}") from error
    message.check()
    return message, receiver


encode = _encoder.encode
"""Returns a batch, a list of entries, as bytes of msgpack."""


def decode(data: bytes | memoryview) -> list[Entry]:
    """Return the entries of the batch that `encode` made `data` of.

    Raises:
        ValueError: it is none, with what is wrong.
    """
    try:
        return _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"not a batch of messages: {error}") from error


def size(message: Message) -> int:
    """Return how many bytes the message takes in a batch, at most."""
    return len(_encoder.encode(message)) + 256
