"""Batches of messages between two containers, as frames carry them; `docs/wire-format.md` specifies them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import asdict, astuple

from formicary.core.errors import InvalidMessageError
from formicary.core.message import Message
from formicary.core.names import complete

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary.transport.link.outbox import Letter
    from formicary.transport.link.wire_names import Names, WireNames

NAMESPACE = "urn:formicary:frame:2"
"""The XML namespace of a frame's element; its number changes with the format."""

_FRAME = 1 << 18  # bytes above which a batch has one message only, as it does not fit into a frame
_ARRAY_OF_ONE = 0x91
_COLLECTIONS = frozenset(
    (*range(0x80, 0xA0), 0xDC, 0xDD, 0xDE, 0xDF)
)  # first bytes of msgpack's arrays and maps

_USUAL = ("to", "sender", "body", "performative")
_RARE = Message.__struct_fields__[len(_USUAL) :]
_NONE = (None,) * len(_RARE)
_TEXT = frozenset({str})
_SIMPLE = frozenset(_RARE) - {"reply_to", "reply_by", "metadata"}
"""The parameters that can be any text."""

Entry = tuple[str, str, Any, str | None, dict[str, Any] | None]
"""One message in a batch: to, sender, body, performative, and all other parameters that the message has.

Agents whose home is the container at that end of the link go by their own names, others with their home's:
`alice@c1`. Several receivers are among the other parameters, as `to` with full names.
"""


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(list[Entry])
# Otherwise large batches could decode to many times their size, such as millions of empty lists.
_Others = msgspec.defstruct(
    "_Others",
    [
        *((name, str | None, None) for name in sorted(_SIMPLE | {"reply_to"})),
        ("reply_by", datetime | None, None),
        ("metadata", dict[str, str] | None, None),
        ("to", list[str] | None, None),
    ],
    forbid_unknown_fields=True,
)
_large_decoder = msgspec.msgpack.Decoder(
    list[tuple[str, str, msgspec.Raw, str | None, _Others | None]]  # type: ignore[valid-type]
)


def to_entry(message: Message, receiver: str, receivers: WireNames, senders: WireNames) -> Entry:
    """Return the entry of `message` for one of its receivers, by full name.

    `receivers` and `senders` shorten names for the link's ends. InvalidMessageError if a value of the message
    has a wrong type.
    """
    values = astuple(message)
    to, sender, body, act = values[:4]
    if values[4:] == _NONE and to is receiver and (act is None or act.__class__ is str):
        return receivers[receiver], senders[sender], body, act, None
    others = {name: value for name, value in zip(_RARE, values[4:], strict=True) if value is not None}
    if not _is_simple(others) or (act is not None and act.__class__ is not str):
        message.check()
    if message.reply_to is not None:
        others["reply_to"] = complete(message.reply_to, senders.domain, senders.platform)
    if isinstance(to, tuple):
        others["to"] = to
    return receivers[receiver], senders[sender], body, act, others or None


def to_entries(letters: list[tuple[Message, str]], receivers: WireNames, senders: WireNames) -> list[Entry]:
    """Return the entries of messages, as `to_entry` does.

    Most messages are handled here, attribute by attribute, which saves a call and two tuples for each.
    """
    entries: list[Entry] = []
    add = entries.append
    for message, receiver in letters:
        act = message.performative
        if (
            message.to is receiver
            and (act is None or act.__class__ is str)
            and message.thread is None
            and message.reply_to is None
            and message.language is None
            and message.encoding is None
            and message.ontology is None
            and message.protocol is None
            and message.conversation_id is None
            and message.reply_with is None
            and message.in_reply_to is None
            and message.reply_by is None
            and message.metadata is None
        ):
            add((receivers[receiver], senders[message.sender], message.body, act, None))  # type: ignore[index]
        else:
            add(to_entry(message, receiver, receivers, senders))
    return entries


def from_entry(entry: Entry, receivers: Names, senders: Names) -> tuple[Message, str]:
    """Return the message of an entry, and the full name of the one receiver of this copy.

    ValueError if it is no message, or `senders` does not allow its sender.
    """
    to, by, body, act, others = entry
    receiver, sender = receivers[to], senders[by]
    if others is None:
        return Message(receiver, sender, body, act), receiver
    if _is_simple(others):
        return Message(receiver, sender, body, act, *map(others.get, _RARE)), receiver
    parameters = {"to": receiver, **others, "sender": sender, "body": body}
    if isinstance(parameters["to"], list):
        parameters["to"] = tuple(parameters["to"])
    try:
        message = Message(performative=act, **parameters)
    except TypeError as error:
        raise InvalidMessageError(f"not a message: {error}") from error
    message.check()
    return message, receiver


def _is_simple(others: dict[str, Any]) -> bool:
    """Return whether parameters need no further check, like those of most requests and answers."""
    return _SIMPLE.issuperset(others) and _TEXT.issuperset(map(type, others.values()))


encode = _encoder.encode
"""Encode a batch, a list of entries, as msgpack."""


def decode(data: bytes | memoryview) -> list[Entry]:
    """Return the entries of an encoded batch; ValueError if it is none."""
    try:
        if len(data) <= _FRAME:
            return _decoder.decode(data)
        if data[0] != _ARRAY_OF_ONE:
            raise ValueError(f"not a batch: {len(data)} bytes that are not a single message")
        ((receiver, sender, raw, act, others),) = _large_decoder.decode(data)
        body = _decode_body(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"not a batch of messages: {error}") from error
    if others is not None:
        others = {name: value for name, value in asdict(others).items() if value is not None}
    return [(receiver, sender, body, act, others)]


def _decode_body(raw: msgspec.Raw) -> Any:
    """Return a large body; ValueError if it is a list or a map, which could take many times its memory."""
    if memoryview(raw)[0] in _COLLECTIONS:
        raise ValueError("not a batch of messages: a body that is neither text nor bytes")
    return msgspec.msgpack.decode(raw)


def size(message: Message) -> int:
    """Return how many bytes a message takes in a batch at most."""
    return len(_encoder.encode(message)) + 256


class SentBatch:
    """The messages of a sent batch: a sequence of letters, kept as the bytes that went out.

    Thousands of messages may wait until they are known to be taken. As objects they would be ten times as
    large, and push everything else out of the processor's caches. So they are decoded again if they fail,
    which is rare.
    """

    __slots__ = ("_count", "_data", "_receivers", "_senders")

    def __init__(self, data: bytes, count: int, receivers: Names, senders: Names) -> None:
        self._data = data
        self._count = count
        self._receivers = receivers
        self._senders = senders

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Letter]:
        return iter(self._letters())

    def __getitem__(self, index: int | slice) -> Letter | list[Letter]:
        return self._letters()[index]

    def _letters(self) -> list[Letter]:
        return [from_entry(entry, self._receivers, self._senders) for entry in decode(self._data)]
