"""SPADE's messages, which are mutable, with performative and other parameters in their metadata."""
# ruff: noqa: SLF001 -- messages are created on each send and receive, without a call per attribute

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Never, Self

from formicary import Message as PlatformMessage
from formicary.errors import UnsupportedError
from formicary.extending import FORM_PARAMETERS
from formicary.extending import FORM_TITLE as SPADE_X_METADATA
from formicary.spade.jid import JID, NOBODY, known

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SPADE_X_METADATA", "Message", "MessageBase"]


class MessageBase:
    """The base of messages and templates.

    Args:
        to: the receiver's address.
        sender: the sender's address; filled in on sending.
        body: the content.
        thread: the conversation.
        metadata: further values by name, such as `performative`; both are text.

    Raises:
        TypeError: a value has another type.
    """

    # The metadata of a received message, and of an answer to it, is created on access: until then `_values`
    # is None, and the platform's message holds it.
    __slots__ = ("_body", "_came", "_sender", "_thread", "_to", "_values", "sent")

    _came: PlatformMessage
    _values: dict[str, str] | None

    def __init__(
        self,
        to: str | None = None,
        sender: str | None = None,
        body: str | None = None,
        thread: str | None = None,
        metadata: dict[str, str] | None = None,
    ) -> None:
        self.sent = False
        self._to = known.get(to) or _address(to, "to")
        self._sender = NOBODY if sender is None else _address(sender, "sender")
        self._body = body if type(body) is str else _text_or_none(body, "body")
        self._thread = None if thread is None else _text_or_none(thread, "thread")
        if metadata is None:
            self._values = {}
        else:
            self._values = metadata
            for key, value in metadata.items():
                if type(key) is not str or type(value) is not str:
                    _check_metadata(key, value)

    @property
    def to(self) -> JID:
        """The receiver's address; an empty one if there is none."""
        return self._to

    @to.setter
    def to(self, address: str | None) -> None:
        self._to = _address(address, "to")

    @property
    def sender(self) -> JID:
        """The sender's address; an empty one if there is none."""
        return self._sender

    @sender.setter
    def sender(self, address: str | None) -> None:
        self._sender = _address(address, "sender")

    @property
    def body(self) -> str | None:
        """The content."""
        return self._body

    @body.setter
    def body(self, body: str | None) -> None:
        self._body = body if type(body) is str else _text_or_none(body, "body")

    @property
    def thread(self) -> str | None:
        """The conversation."""
        return self._thread

    @thread.setter
    def thread(self, thread: str | None) -> None:
        self._thread = _text_or_none(thread, "thread")

    @property
    def _metadata(self) -> dict[str, str]:
        values = self._values
        if values is None:
            values = self._values = metadata_of(self._came)
        return values

    @_metadata.setter
    def _metadata(self, metadata: dict[str, str]) -> None:
        self._values = metadata

    @property
    def metadata(self) -> dict[str, str]:
        """The further values by name."""
        return self._metadata

    @metadata.setter
    def metadata(self, metadata: dict[str, str]) -> None:
        for key, value in metadata.items():
            _check_metadata(key, value)
        self._metadata = metadata

    def set_metadata(self, key: str, value: str) -> None:
        """Set one of the further values.

        Raises:
            TypeError: one of them is not text.
        """
        if type(key) is not str or type(value) is not str:
            _check_metadata(key, value)
        self._metadata[key] = value

    def get_metadata(self, key: str) -> str | None:
        """Return one of the further values; None if there is none."""
        return self._metadata.get(key)

    @staticmethod
    def empty_jid(jid: JID) -> bool:
        """Return whether an address is empty."""
        return not jid

    def empty_to(self) -> bool:
        """Return whether there is no receiver."""
        return not self._to

    def empty_sender(self) -> bool:
        """Return whether there is no sender."""
        return not self._sender

    def match(self, message: MessageBase) -> bool:
        """Return whether another message contains each value of this one."""
        return (
            (not self._to or message.to == self._to)
            and (not self._sender or message.sender == self._sender)
            and (not self._body or message.body == self._body)
            and (not self._thread or message.thread == self._thread)
            and all(message.get_metadata(key) == value for key, value in self._metadata.items())
        )

    @property
    def id(self) -> int:
        """The object's identity in the process."""
        return id(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and self.match(other) and other.match(self)

    __hash__ = None  # type: ignore[assignment]  # it can be changed

    def _text(self, kind: str) -> str:
        body = f"\n{self._body}\n" if self._body else ""
        start = f'<{kind} to="{self._to}" from="{self._sender}" thread="{self._thread}"'
        return f"{start} metadata={self._metadata}>{body}</{kind}>"


class Message(MessageBase):
    """A message, received as a copy; arguments as of `MessageBase`."""

    def make_reply(self) -> Message:
        """Return a copy with receiver and sender swapped."""
        reply = _new(Message)
        reply.sent = False
        reply._to = self._sender
        reply._sender = self._to
        reply._body = self._body
        reply._thread = self._thread
        values = self._values
        if values is None:
            reply._values = None
            reply._came = self._came
        else:
            reply._values = values.copy()
        return reply

    @classmethod
    def from_node(cls, node: object) -> Never:
        """Raise an error: there are no XMPP stanzas here.

        Raises:
            AttributeError, UnsupportedError: it is not a stanza, or it is one.
        """
        if isinstance(node, MessageBase):
            raise AttributeError(  # noqa: TRY004 -- SPADE's
                "from_node() takes a stanza, but this is already a message"
            )
        raise UnsupportedError(_NO_STANZAS)

    def prepare(self, client: object) -> Never:
        """Raise an error: there are no XMPP stanzas here.

        Raises:
            UnsupportedError: always.
        """
        del client
        raise UnsupportedError(_NO_STANZAS)

    def to_platform(self, receiver: str | None, sender: str | None) -> PlatformMessage:
        """Return the platform's message to send.

        Args:
            receiver: the full name of the agent, or an address outside the platform.
            sender: the sender's full name.
        """
        metadata = self._values
        if metadata is None:
            came = self._came
            return PlatformMessage(
                receiver,
                sender,
                self._body or "",
                came.performative,
                self._thread,
                None,  # the answer's receiver would be a platform name
                came.language,
                came.encoding,
                came.ontology,
                came.protocol,
                came.conversation_id,
                came.reply_with,
                came.in_reply_to,
                came.reply_by,
                came.metadata,
            )
        if not metadata:
            return PlatformMessage(receiver, sender, self._body or "", None, self._thread)
        if len(metadata) == 1 and "performative" in metadata:
            return PlatformMessage(receiver, sender, self._body or "", metadata["performative"], self._thread)
        values: dict[str, Any] = {}
        rest: dict[str, str] = {}
        for key, value in metadata.items():
            name = FORM_PARAMETERS.get(key)
            if name is None or name == "reply_to":  # which would be a platform name
                rest[key] = value
            else:
                values[name] = value
        return PlatformMessage(
            receiver, sender, self._body or "", thread=self._thread, metadata=rest or None, **values
        )

    @classmethod
    def from_platform(cls, message: PlatformMessage, to: JID, sender: JID) -> Self:
        """Return a received message as a SPADE message."""
        made = _new(cls)
        made.sent = False
        made._to = to
        made._sender = sender
        body = message.body
        made._body = body if isinstance(body, str) else body.decode(errors="replace")
        made._thread = message.thread
        made._came = message
        made._values = None
        return made

    def __str__(self) -> str:
        return self._text("message")


_new = object.__new__
_NO_STANZAS = "messages are not XMPP stanzas here, because containers carry them; use send()"
_LATER = [(key, name) for key, name in FORM_PARAMETERS.items() if name not in {"performative", "reply_to"}]


def metadata_of(message: PlatformMessage) -> dict[str, str]:
    """Return a message's SPADE metadata: parameters by FIPA names, and its own metadata."""
    metadata = dict(message.metadata) if message.metadata else {}
    if message.performative is not None:
        metadata["performative"] = message.performative
    # The rest starts with these five: if none is set, as usual, nothing is iterated.
    if (
        message.conversation_id is None
        and message.ontology is None
        and message.language is None
        and message.protocol is None
        and message.reply_with is None
        and message.in_reply_to is None
        and message.encoding is None
        and message.reply_by is None
    ):
        return metadata
    metadata |= {key: value for key, name in _LATER if (value := getattr(message, name)) is not None}
    if message.reply_by is not None:
        metadata["reply-by"] = message.reply_by.isoformat()
    return metadata


def value_of(message: PlatformMessage, key: str) -> str | None:
    """Return one value of a message's SPADE metadata."""
    if key == "performative":
        return message.performative
    if (name := FORM_PARAMETERS.get(key)) is not None and name != "reply_to":
        value: str | None = getattr(message, name)
        return value
    if key == "reply-by" and message.reply_by is not None:
        return message.reply_by.isoformat()
    metadata: Mapping[str, str] | None = message.metadata
    return metadata.get(key) if metadata is not None else None


def _address(given: object, what: str) -> JID:
    if given is None:
        return NOBODY
    if isinstance(given, str) or hasattr(given, "bare"):  # also slixmpp's addresses
        return JID(str(given))
    raise TypeError(
        f"a message's {what} must be an address, such as 'alice@localhost', not {type(given).__name__}"
    )


def _text_or_none(given: object, what: str) -> str | None:
    if given is not None and not isinstance(given, str):
        raise TypeError(f"a message's {what} must be text, not {type(given).__name__}")
    return given


def _check_metadata(key: object, value: object) -> None:
    if not isinstance(key, str) or not isinstance(value, str):
        raise TypeError(f"a message's metadata must map text to text, not {key!r}: {value!r}")
