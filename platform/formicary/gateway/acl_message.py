"""ACL messages of other platforms (FIPA00061), with agent identifiers that contain addresses.

They are written in string form (FIPA00070).
"""

from __future__ import annotations

import base64
import re
from datetime import UTC, datetime, timedelta

import msgspec

PERFORMATIVES = frozenset(
    {
        "accept-proposal",
        "agree",
        "cancel",
        "cfp",
        "confirm",
        "disconfirm",
        "failure",
        "inform",
        "inform-if",
        "inform-ref",
        "not-understood",
        "propagate",
        "propose",
        "proxy",
        "query-if",
        "query-ref",
        "refuse",
        "reject-proposal",
        "request",
        "request-when",
        "request-whenever",
        "subscribe",
    }
)
"""The communicative acts of FIPA00037, one of which each ACL message has."""

EXPRESSIONS = {
    ":language": "language",
    ":encoding": "encoding",
    ":ontology": "ontology",
    ":protocol": "protocol",
    ":conversation-id": "conversation_id",
    ":reply-with": "reply_with",
    ":in-reply-to": "in_reply_to",
}
"""The parameters whose values are expressions, by their names in string form."""

_DATE_TIME = re.compile(r"([+-]?)(\d{4})(\d\d)(\d\d)[Tt](\d\d)(\d\d)(\d\d)(\d{3})([Zz]?)", re.ASCII)
_YEAR, _MONTH = 365, 30  # days of a duration
BASE64 = "JADE-Encoding"
"""The user-defined parameter with which JADE marks the content as bytes in Base64."""

# Every reader takes these for words; JADE reads some others as numbers, or drops them.
_is_word = re.compile(r"[A-Za-z_][A-Za-z0-9_.:/+*@%-]*", re.ASCII).fullmatch
_is_parameter = re.compile(r"[^\x00-\x20()]+").fullmatch
_is_url = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[!#-'*-~]+", re.ASCII).fullmatch


class AgentIdentifier(msgspec.Struct, frozen=True):
    """An agent's name and addresses (FIPA00023).

    Args:
        name: its name, such as `seller@jade-platform`.
        addresses: URLs that accept its messages, such as `http://127.0.0.1:7778/acc`, best first.
        resolvers: agents that may know its addresses.
        parameters: user-defined parameters, by name without the `X-` prefix.
    """

    name: str
    addresses: tuple[str, ...] = ()
    resolvers: tuple[AgentIdentifier, ...] = ()
    parameters: dict[str, str] = {}


class AclMessage(msgspec.Struct, frozen=True):
    """An ACL message (FIPA00061).

    Args:
        performative: one of `PERFORMATIVES`.
        sender: the sender.
        receivers: the receivers.
        reply_to: who gets the answers, if not the sender.
        content: text or bytes; None if absent.
        language: of the content.
        encoding: of the content.
        ontology: of the content.
        protocol: the interaction protocol.
        conversation_id: the conversation.
        reply_with: the `in_reply_to` for answers.
        in_reply_to: the `reply_with` of the message that this one answers.
        reply_by: the deadline for an answer, to the millisecond, with a time zone.
        parameters: user-defined parameters, by name without the `X-` prefix.
    """

    performative: str
    sender: AgentIdentifier | None = None
    receivers: tuple[AgentIdentifier, ...] = ()
    reply_to: tuple[AgentIdentifier, ...] = ()
    content: str | bytes | None = None
    language: str | None = None
    encoding: str | None = None
    ontology: str | None = None
    protocol: str | None = None
    conversation_id: str | None = None
    reply_with: str | None = None
    in_reply_to: str | None = None
    reply_by: datetime | None = None
    parameters: dict[str, str] = {}


def write_time(when: datetime) -> str:
    """Return a time in FIPA00070's form, in UTC, truncated to milliseconds."""
    utc = when.astimezone(UTC)
    return f"{utc.year:04d}{utc:%m%dT%H%M%S}{utc.microsecond // 1000:03d}Z"


def read_time(text: str, now: datetime) -> datetime:
    """Parse a time in FIPA00070's form.

    Args:
        text: the text; without a final `Z`, local time; with a leading sign, a duration from now.
        now: the current time, with a time zone.

    Raises:
        ValueError: the text is malformed.
    """
    if (match := _DATE_TIME.fullmatch(text)) is None:
        raise ValueError(f"{text[:40]!r} is not a time, such as 20261231T235959000Z")
    sign, zone = match[1], match[9]
    year, month, day, hour, minute, second, millisecond = map(int, match.groups()[1:8])
    try:
        if sign:
            duration = timedelta(
                days=_YEAR * year + _MONTH * month + day,
                hours=hour,
                minutes=minute,
                seconds=second,
                milliseconds=millisecond,
            )
            return now + duration if sign == "+" else now - duration
        when = datetime(
            year, month, day, hour, minute, second, millisecond * 1000, tzinfo=UTC if zone else None
        )
        return when if zone else when.astimezone()
    except (ValueError, OverflowError, OSError) as error:
        raise ValueError(f"{text[:40]!r} is not a time: {error}") from None


def write_acl(message: AclMessage) -> tuple[bytes, str]:
    """Return a message in string form, and the name of its character set.

    Raises:
        ValueError: string form cannot carry it.
    """
    if message.performative not in PERFORMATIVES:
        raise ValueError(f"{message.performative!r} is not a performative of FIPA00037")
    parts = [f"({message.performative}"]
    if message.sender is not None:
        parts.append(f":sender {write_identifier(message.sender)}")
    for name, identifiers in ((":receiver", message.receivers), (":reply-to", message.reply_to)):
        if identifiers:
            parts.append(f"{name} (set {' '.join(map(write_identifier, identifiers))})")
    content, parameters = message.content, message.parameters
    if isinstance(content, bytes):
        parameters = parameters | {BASE64: "Base64"}
        content = base64.b64encode(content).decode()
    if content is not None:
        parts.append(f":content {_string(content)}")
    for name, field in EXPRESSIONS.items():
        if (value := getattr(message, field)) is not None:
            parts.append(f"{name} {_expression(value)}")
    if message.reply_by is not None:
        parts.append(f":reply-by {write_time(message.reply_by)}")
    parts += _user_defined(parameters)
    text = "\n ".join(parts) + ")"
    return text.encode(), "US-ASCII" if text.isascii() else "UTF-8"


def write_identifier(identifier: AgentIdentifier) -> str:
    """Return an agent identifier in string form.

    Raises:
        ValueError: an address is invalid.
    """
    parts = [f"(agent-identifier :name {_expression(identifier.name)}"]
    for url in identifier.addresses:
        if not _is_url(url):
            raise ValueError(f"{url[:60]!r} is not an address")
    if identifier.addresses:
        parts.append(f":addresses (sequence {' '.join(identifier.addresses)})")
    if identifier.resolvers:
        parts.append(f":resolvers (sequence {' '.join(map(write_identifier, identifier.resolvers))})")
    return " ".join([*parts, *_user_defined(identifier.parameters)]) + ")"


def _user_defined(parameters: dict[str, str]) -> list[str]:
    for name in parameters:
        if not _is_parameter(name):
            raise ValueError(f"{name[:60]!r} cannot be the name of a parameter: it has spaces, ( or ) in it")
    return [f":X-{name} {_expression(value)}" for name, value in parameters.items()]


def _expression(text: str) -> str:
    return text if _is_word(text) else _string(text)


def _string(text: str) -> str:
    if text.endswith("\\"):  # which would escape the closing quote
        return f'#{len(text.encode())}"{text}'
    return '"' + text.replace('"', '\\"') + '"'
