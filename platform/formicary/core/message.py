"""Messages: what agents say to each other (FIPA00061, the ACL message structure)."""

from __future__ import annotations

import itertools
from datetime import datetime
from typing import TYPE_CHECKING, Any, Never

import msgspec
from msgspec.structs import force_setattr

from formicary.core.errors import InvalidMessageError
from formicary.core.names import check_receiver, is_domain
from formicary.core.quoting import shorten

if TYPE_CHECKING:
    from collections.abc import Callable

    Body = str | bytes
else:
    Body = Any  # msgspec cannot tell the two apart while it decodes; __post_init__ sees to it

# This many messages of a process are checked in full: a program's mistakes show in its first messages.
_FULLY_CHECKED = 10_000
# This many agents of a container may write to each other at random: with fewer, most names would be checked
# again, which takes as long as the rest of a message. A quarter of a million takes 8 MB besides the names.
_REMEMBERED = 262_144
_receivers: set[object] = set()  # names that passed check_receiver
_count = itertools.count()
_BODIES = frozenset({str, bytes})


class Metadata(dict[str, str]):
    """A message's further named values: text to text, and immutable like the message."""

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> Never:
        raise TypeError("a message's metadata cannot be changed; create a new message with replace()")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = _refuse
    __ior__ = _refuse

    def __hash__(self) -> int:  # type: ignore[override]  # immutable, so it can be hashed
        """Hash by content."""
        return hash(frozenset(self.items()))


class Message(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An ACL message. It is immutable, so that agents in one process share it without copying.

    Args:
        to: the receiver, or a tuple (or list) of receivers; `alice`, `alice@c2` or a full address.
        sender: set when the message is sent; a value given here is replaced.
        body: the content, text or bytes.
        performative: the type of the communicative act, `"request"`, `"inform"`, ... (FIPA00037).
        thread: SPADE's and XMPP's thread of a conversation (XEP-0201).
        reply_to: the agent that is to get the answer, if not the sender.
        language: the language in which `body` is written, such as `"json"`.
        encoding: the encoding of `body`.
        ontology: the ontology that gives the symbols in `body` their meaning.
        protocol: the interaction protocol, such as `"fipa-request"`.
        conversation_id: identifies the conversation that the message belongs to.
        reply_with: the value that the answer is to have as `in_reply_to`.
        in_reply_to: the `reply_with` of the message that this one answers.
        reply_by: the latest time at which the sender wants the answer; with a time zone.
        metadata: further named values, text to text, as SPADE has them.

    Raises:
        InvalidNameError: a receiver's name is invalid.
        InvalidMessageError: a value is of a type that a message cannot carry. Textual parameters are checked
            in the first 10 000 messages of a process, in the first to each name, and in all that leave the
            process; other parameters in every message.
    """

    to: str | tuple[str, ...] | None = None
    sender: str | None = None
    body: Body = ""
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
        # Runs for every message: most go to a name seen before, and pass after five comparisons. Checking all
        # parameters of each would take half as long again.
        try:
            # Two comparisons, as looking into a set of the two classes takes longer.
            if (
                self.to in _receivers
                and (type(self.body) is str or type(self.body) is bytes)
                and self.metadata is None
                and self.reply_to is None
                and self.reply_by is None
            ):
                return
        except TypeError:  # a list of receivers cannot be looked up; it becomes a tuple
            pass
        _check_usual(self)

    def make_reply(self, *, body: str | bytes = "", performative: str = "inform") -> Message:
        """Return an answer to this message: to its `reply_to` or sender, in the same conversation.

        Protocol, language, encoding, ontology, thread and conversation are those of this message;
        `in_reply_to` is its `reply_with`. For more, `replace` it.

        Args:
            body: the content of the answer.
            performative: the type of the answer.

        Raises:
            InvalidMessageError: this message has no sender.
        """
        own = self.to
        return answer_to(self, own if type(own) is str else None, body, performative)

    def check(self) -> None:
        """Check that every parameter has the type that its receiver expects.

        Raises:
            InvalidMessageError: one does not.
            InvalidNameError: `reply_to` is not a valid name.
        """
        for field in TEXT_PARAMETERS:
            value = getattr(self, field)
            if value is not None and not isinstance(value, str):
                raise InvalidMessageError(
                    f"a message's {field} must be text, not {type(value).__name__}: {value!r}"
                )
        if (
            not self.body
            and self.performative is None
            and self.sender is not None
            and not _is_full(self.sender)
        ):
            raise _not_sender(self.sender)
        if self.reply_to is not None:
            check_receiver(self.reply_to)
        if self.reply_by is not None and not isinstance(self.reply_by, datetime):
            raise InvalidMessageError(f"a message's reply_by must be a datetime, not {self.reply_by!r}")
        if self.reply_by is not None and self.reply_by.utcoffset() is None:
            raise InvalidMessageError(
                "a message's reply_by must have a time zone, such as datetime.now(UTC), not "
                f"{self.reply_by!r}"
            )

    def replace(self, **changes: Any) -> Message:
        """Return a copy of this message with `changes`.

        Raises:
            InvalidNameError, InvalidMessageError: as for a new message.
        """
        message = msgspec.structs.replace(self, **changes)
        message.__post_init__()  # some versions of msgspec leave it out
        check_unsent(message)
        return message

    @property
    def receivers(self) -> tuple[str, ...]:
        """The receivers, always as a tuple."""
        if self.to is None:
            return ()
        return (self.to,) if isinstance(self.to, str) else self.to

    def get_metadata(self, key: str) -> str | None:
        """Return a value of `metadata`, or None; as in SPADE."""
        return self.metadata.get(key) if self.metadata else None


def answer_to(message: Message, sender: str | None, body: str | bytes, performative: str) -> Message:
    """Return the answer of `sender` to a message; as `Message.make_reply`, but with positional arguments."""
    to = message.reply_to
    if to is None and (to := message.sender) is None:
        raise InvalidMessageError("a message that was never sent has no sender to reply to")
    return Message(
        to,
        sender,
        body,
        performative,
        message.thread,
        None,
        message.language,
        message.encoding,
        message.ontology,
        message.protocol,
        message.conversation_id,
        None,
        message.reply_with,
    )


def stamp(message: Message, sender: str | None) -> Message:
    """Return `message` as sent by `sender`.

    A message that was not sent yet is changed in place, as nobody else has it; one with a sender is copied,
    as others may be reading it.

    Raises:
        InvalidMessageError, InvalidNameError: as of `check_unsent`.
    """
    check_unsent(message, sender)
    if message.sender is not None:
        message = copied(message)
    force_setattr(message, "sender", sender)
    return message


def check_unsent(message: Message, sender: str | None = None) -> None:
    """Check a message as `Message.check` does, with a shorter path for usual ones.

    Args:
        message: the message.
        sender: the sender's full name, if known.

    Raises:
        InvalidMessageError: it is not a message, or a parameter is invalid.
        InvalidNameError: its `reply_to` is not a valid name.
    """
    if not isinstance(message, Message):
        raise InvalidMessageError(
            f"send() takes a Message, not {shorten(message)}: write Message(to='bob', body=...)"
        )
    if (message.sender is not None and not message.body) or not (
        (message.sender is None or type(message.sender) is str)
        and message.reply_to is None
        and message.reply_by is None
        and (message.performative is None or type(message.performative) is str)
        and (message.thread is None or type(message.thread) is str)
        and (message.language is None or type(message.language) is str)
        and (message.encoding is None or type(message.encoding) is str)
        and (message.ontology is None or type(message.ontology) is str)
        and (message.protocol is None or type(message.protocol) is str)
        and (message.conversation_id is None or type(message.conversation_id) is str)
        and (message.reply_with is None or type(message.reply_with) is str)
        and (message.in_reply_to is None or type(message.in_reply_to) is str)
    ):
        message.check()
    given = message.sender
    if given is not None and sender is not None and given != sender.partition("@")[0] and not _is_full(given):
        raise _not_sender(given)


copied: Callable[[Message], Message] = Message.__copy__  # type: ignore[attr-defined]  # msgspec's stubs lack it
"""Returns a copy of a message; by way of `copy.copy` it would take twice as long."""


def _is_full(name: str) -> bool:
    return "@" in name or ("." in name and is_domain(name))


def _not_sender(given: str) -> InvalidMessageError:
    return InvalidMessageError(
        f"{shorten(given)} cannot be a message's sender, which is set when it is sent; if this is the body, "
        "write Message('bob', body='hello')"
    )


def _check_usual(message: Message) -> None:
    check_unsent(message)
    _check_receivers(message)
    if message.body.__class__ not in _BODIES:
        raise InvalidMessageError(
            f"a message's body must be text or bytes, not {type(message.body).__name__}; encode it "
            "first, for example with json.dumps()"
        )
    metadata = message.metadata
    if metadata is not None and metadata.__class__ is not Metadata:
        if not isinstance(metadata, dict) or not all(
            isinstance(key, str) and isinstance(value, str) for key, value in metadata.items()
        ):
            raise InvalidMessageError(f"a message's metadata must map text to text, not {metadata!r}")
        force_setattr(message, "metadata", Metadata(metadata))


def _check_receivers(message: Message) -> None:
    to = message.to
    if to is None:
        return
    if isinstance(to, list):
        to = tuple(to)
        force_setattr(message, "to", to)
    names = to if isinstance(to, tuple) else (to,)
    if not names:
        raise InvalidMessageError("a message's receivers are empty; name at least one")
    for name in names:
        check_receiver(name)
        if next(_count) < _FULLY_CHECKED:
            continue
        if len(_receivers) >= _REMEMBERED:
            _receivers.clear()
        _receivers.add(name)


TEXT_PARAMETERS = (
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
"""The textual parameters."""

FORM_TITLE = "spade:x:metadata"
"""The title of the data form (XEP-0004) in which XMPP carries what it has no place for, as SPADE has it."""

FORM_PARAMETERS = {
    name.replace("_", "-"): name for name in TEXT_PARAMETERS if name not in {"sender", "thread"}
}
"""Parameters by their names in the form and in SPADE's metadata, which are FIPA's.

Sender and thread have places of their own.
"""
