"""ACL messages as other platforms have them (FIPA00061): with agent identifiers, which say where one is."""

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
"""The communicative acts of FIPA00037: an ACL message in string form has one of these."""

EXPRESSIONS = {
    ":language": "language",
    ":encoding": "encoding",
    ":ontology": "ontology",
    ":protocol": "protocol",
    ":conversation-id": "conversation_id",
    ":reply-with": "reply_with",
    ":in-reply-to": "in_reply_to",
}
"""The parameters that are expressions, by their names in string form."""

_DATE_TIME = re.compile(r"([+-]?)(\d{4})(\d\d)(\d\d)[Tt](\d\d)(\d\d)(\d\d)(\d{3})([Zz]?)", re.ASCII)
_YEAR, _MONTH = 365, 30  # days, of a duration


class AgentIdentifier(msgspec.Struct, frozen=True):
    """Who an agent is, and where (FIPA00023).

    Args:
        name: its name, such as `seller@jade-platform`.
        addresses: where messages for it are taken, such as `http://127.0.0.1:7778/acc`, the best first.
        resolvers: who else may know where it is.
        parameters: what a platform says besides, by names without the `X-` before them.
    """

    name: str
    addresses: tuple[str, ...] = ()
    resolvers: tuple[AgentIdentifier, ...] = ()
    parameters: dict[str, str] = {}


class AclMessage(msgspec.Struct, frozen=True):
    """An ACL message, as FIPA00061 has it.

    Args:
        performative: one of `PERFORMATIVES`.
        sender: who has sent it.
        receivers: for whom it is.
        reply_to: who shall get the answers, if not the sender.
        content: text, or bytes; None where there is none.
        language: of the content.
        encoding: of the content.
        ontology: of the content.
        protocol: the interaction protocol.
        conversation_id: names the conversation.
        reply_with: what answers shall have as `in_reply_to`.
        in_reply_to: the `reply_with` of what this one answers.
        reply_by: until when an answer is wanted; to the millisecond, with a time zone.
        parameters: user-defined ones, by names without the `X-` before them.
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
    """Return a time as FIPA00070 writes it, in UTC; parts of a millisecond are left out."""
    utc = when.astimezone(UTC)
    return f"{utc.year:04d}{utc:%m%dT%H%M%S}{utc.microsecond // 1000:03d}Z"


def read_time(text: str, now: datetime) -> datetime:
    """Return the time that a text in FIPA00070's form is.

    Args:
        text: the text; without a `Z` at its end it is local time, with a sign in front a duration from now.
        now: the time of day, with a time zone.

    Raises:
        ValueError: it is none.
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
