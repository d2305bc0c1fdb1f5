"""ACL messages of other platforms (FIPA00061), with agent identifiers that contain addresses."""

from __future__ import annotations

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
