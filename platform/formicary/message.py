"""Messages: what agents say to each other (FIPA00061, the ACL message structure)."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 -- msgspec reads the annotations at run time
from typing import Any, Never

import msgspec
from msgspec.structs import force_setattr

from formicary.errors import InvalidMessageError
from formicary.names import check_receiver

_REMEMBERED = 65_536
_receivers: set[str] = set()  # names that passed check_receiver; most messages go to a name seen before


class Metadata(dict[str, str]):
    """A message's further named values: text to text, and immutable like the message."""

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> Never:
        raise TypeError("a message's metadata cannot be changed; make another message with replace()")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = _refuse
    __ior__ = _refuse  # type: ignore[assignment]  # a refusal returns nothing

    def __hash__(self) -> int:  # type: ignore[override]  # immutable, so it can be hashed
        """Hash by content."""
        return hash(frozenset(self.items()))


class Message(msgspec.Struct, frozen=True, array_like=True, kw_only=True, gc=False):
    """One ACL message. It cannot be changed once made, so agents in one process share it without copies.

    Args:
        to: the receiver, or a tuple (or list) of receivers; `alice`, `alice@c2` or a full address.
        sender: set by the container that sends; what is given here is replaced by the truth.
        body: the content, text or bytes.
        performative: the type of the communicative act, `"request"`, `"inform"`, ... (FIPA00037).
        thread: SPADE's and XMPP's thread of a conversation (XEP-0201).
        reply_to: who shall get the answer, if not the sender.
        language: the language in which `body` is written, such as `"json"`.
        encoding: the encoding of `body`.
        ontology: what gives the symbols in `body` their meaning.
        protocol: the interaction protocol, such as `"fipa-request"`.
        conversation_id: names the conversation that the message belongs to.
        reply_with: an expression that the answer shall carry as `in_reply_to`.
        in_reply_to: the `reply_with` of the message that this one answers.
        reply_by: the latest time at which the sender wants the answer; with a time zone.
        metadata: further named values, text to text, as SPADE has them.

    Raises:
        InvalidNameError: a receiver's name is not a name.
        InvalidMessageError: a value has a type that a message cannot carry.
    """

    to: str | tuple[str, ...] | None = None
    sender: str | None = None
    body: str | bytes = ""
    performative: str | None = None
    thread: str | None = None
    reply_to: str | None = None
    language: str | None = None
    encoding: str | None = None
    ontology: str | None = None
    protocol: str | None = None
    conversation_id: str | None = None
    reply_with: str | None = None
    in_reply_to: str | None = None
    reply_by: datetime | None = None
    metadata: dict[str, str] | None = None

    def __post_init__(self) -> None:
        # Runs for every message: what is usual passes with a few look-ups, the rest is looked at in full.
        if self.to not in _receivers:
            _check_receivers(self)
        kind = self.body.__class__
        if kind is not str and kind is not bytes:
            raise InvalidMessageError(
                f"a message's body is text or bytes, not {kind.__name__}; encode it first, with json.dumps() say"
            )
        act = self.performative
        if (
            (act is not None and act.__class__ is not str)
            or self.thread
            or self.reply_to
            or self.language
            or self.encoding
            or self.ontology
            or self.protocol
            or self.conversation_id
            or self.reply_with
            or self.in_reply_to
            or self.reply_by
            or self.metadata is not None
        ):
            _check_rare(self)

    def make_reply(
        self, *, body: str | bytes = "", performative: str = "inform", **changes: Any
    ) -> Message:
        """Return an answer to this message: to its `reply_to` or sender, in the same conversation.

        Protocol, language, encoding, ontology, thread and conversation are those of this message;
        `in_reply_to` is its `reply_with`.

        Args:
            body: the content of the answer.
            performative: the type of the answer.
            changes: other parameters of `Message` that the answer shall have.

        Raises:
            InvalidMessageError: this message has no sender that could be answered.
        """
        to = self.reply_to or self.sender
        if to is None:
            raise InvalidMessageError("a message that has not been sent has no sender to reply to")
        own = self.to
        reply = Message(
            to=to,
            sender=own if own.__class__ is str else None,  # type: ignore[arg-type]  # narrowed by its class
            body=body,
            performative=performative,
            thread=self.thread,
            language=self.language,
            encoding=self.encoding,
            ontology=self.ontology,
            protocol=self.protocol,
            conversation_id=self.conversation_id,
            in_reply_to=self.reply_with,
        )
        return msgspec.structs.replace(reply, **changes) if changes else reply

    def replace(self, **changes: Any) -> Message:
        """Return a message like this one but for `changes`.

        Raises:
            InvalidNameError, InvalidMessageError: as for a new message.
        """
        return msgspec.structs.replace(self, **changes)

    @property
    def receivers(self) -> tuple[str, ...]:
        """The receivers, always as a tuple."""
        if self.to is None:
            return ()
        return (self.to,) if isinstance(self.to, str) else self.to

    def get_metadata(self, key: str) -> str | None:
        """Return one of the further named values, or None; SPADE's name for it."""
        return self.metadata.get(key) if self.metadata else None


def stamped(message: Message, sender: str) -> Message:
    """Return `message` as sent by `sender`; a message is never changed under its maker's hands."""
    copy: Message = message.__copy__()
    force_setattr(copy, "sender", sender)
    return copy


def _check_receivers(message: Message) -> None:
    to = message.to
    if to is None:
        return
    if isinstance(to, list):
        to = tuple(to)
        force_setattr(message, "to", to)
    names = to if isinstance(to, tuple) else (to,)
    if not names:
        raise InvalidMessageError("a message's receivers are an empty tuple; name at least one")
    for name in names:
        check_receiver(name)
        if len(_receivers) >= _REMEMBERED:
            _receivers.clear()
        _receivers.add(name)


_TEXTS = (
    "performative",
    "sender",
    "thread",
    "reply_to",
    "language",
    "encoding",
    "ontology",
    "protocol",
    "conversation_id",
    "reply_with",
    "in_reply_to",
)


def _check_rare(message: Message) -> None:
    for field in _TEXTS:
        value = getattr(message, field)
        if value is not None and not isinstance(value, str):
            raise InvalidMessageError(f"a message's {field} is text, not {type(value).__name__}: {value!r}")
    if message.reply_to is not None and message.reply_to not in _receivers:
        check_receiver(message.reply_to)
    if message.reply_by is not None and (
        not hasattr(message.reply_by, "tzinfo") or message.reply_by.tzinfo is None
    ):
        raise InvalidMessageError(
            f"a message's reply_by is a time with a time zone, not {message.reply_by!r}; "
            "write datetime.now(UTC) + timedelta(seconds=5), say"
        )
    _check_metadata(message)


def _check_metadata(message: Message) -> None:
    metadata = message.metadata
    if metadata is None or metadata.__class__ is Metadata:
        return
    if not isinstance(metadata, dict) or not all(
        isinstance(key, str) and isinstance(value, str) for key, value in metadata.items()
    ):
        raise InvalidMessageError(f"a message's metadata maps text to text, unlike {metadata!r}")
    force_setattr(message, "metadata", Metadata(metadata))
