"""The words of SPADE's presence; an agent that has none says so when something is called of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ContactNotFound(Exception):  # noqa: N818 -- SPADE's name
    """There is no such contact."""


class PresenceNotFound(Exception):  # noqa: N818 -- SPADE's name
    """Nothing is known of a contact's presence."""


class PresenceShow(Enum):
    """How much somebody may be disturbed (RFC 6121, 4.7.2.1)."""

    EXTENDED_AWAY = "xa"
    AWAY = "away"
    CHAT = "chat"
    DND = "dnd"
    NONE = "none"


class PresenceType(Enum):
    """What is said about somebody's presence (RFC 6121, 4.7.1)."""

    AVAILABLE = "available"
    UNAVAILABLE = "unavailable"
    ERROR = "error"
    PROBE = "probe"
    SUBSCRIBE = "subscribe"
    SUBSCRIBED = "subscribed"
    UNSUBSCRIBE = "unsubscribe"
    UNSUBSCRIBED = "unsubscribed"


@dataclass(slots=True)
class PresenceInfo:
    """What is known of somebody's presence.

    Attributes:
        type: whether it is online.
        show: how much it may be disturbed.
        status: a text for people.
        priority: of several connections, which one gets messages.
    """

    type: PresenceType
    show: PresenceShow
    status: str | None = ""
    priority: int = 0

    def is_available(self) -> bool:
        """Tell whether it is online."""
        return self.type is PresenceType.AVAILABLE


@dataclass(slots=True)
class Contact:
    """An entry of an account's contact list.

    Attributes:
        jid: the contact's address.
        name: the name that the list gives it.
        subscription: who sees whose presence: `none`, `to`, `from` or `both`.
        ask: `subscribe` while it was asked to show its presence and has not answered.
        groups: those of the list in which it is.
    """

    jid: str
    name: str
    subscription: str
    ask: str
    groups: list[str]
