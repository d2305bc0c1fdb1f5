"""SPADE's terms of presence, and the contacts of an account."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formicary.spade.jid import JID


class ContactNotFound(Exception):  # noqa: N818 -- SPADE's name
    """There is no such contact."""


class PresenceNotFound(Exception):  # noqa: N818 -- SPADE's name
    """A contact's presence is unknown."""


class PresenceShow(Enum):
    """Availability for chat (RFC 6121, 4.7.2.1)."""

    EXTENDED_AWAY = "xa"
    AWAY = "away"
    CHAT = "chat"
    DND = "dnd"
    NONE = "none"


class PresenceType(Enum):
    """The type of a presence stanza (RFC 6121, 4.7.1)."""

    AVAILABLE = "available"
    UNAVAILABLE = "unavailable"
    ERROR = "error"
    PROBE = "probe"
    SUBSCRIBE = "subscribe"
    SUBSCRIBED = "subscribed"
    UNSUBSCRIBE = "unsubscribe"
    UNSUBSCRIBED = "unsubscribed"


@dataclass(slots=True, repr=False)
class PresenceInfo:
    """The known presence of an agent or contact.

    Attributes:
        type: whether it is online.
        show: its availability for chat.
        status: a human-readable text.
        priority: decides which of several connections gets messages.
    """

    type: PresenceType
    show: PresenceShow
    status: str | None = ""
    priority: int = 0

    def is_available(self) -> bool:
        """Return whether it is online."""
        return self.type is PresenceType.AVAILABLE

    def __str__(self) -> str:
        return (
            f"PresenceInfo(Type: {self.type}, Show: {self.show}, Status: {self.status}, "
            f"Priority: {self.priority})"
        )

    __repr__ = __str__


@dataclass(slots=True, repr=False)
class Contact:
    """An entry of the account's contact list, or another known address.

    Attributes:
        jid: the contact's address.
        name: its name in the list.
        subscription: who sees whose presence: `none`, `to`, `from` or `both`.
        ask: `subscribe` while a subscription request is unanswered.
        groups: its groups in the list.
        resources: the presence of each of its connections, by resource.
        current_presence: the presence of the connection with the highest priority; None if unknown.
        last_presence: the previous one.
    """

    jid: JID
    name: str
    subscription: str
    ask: str
    groups: list[str]
    resources: dict[str, PresenceInfo] = field(default_factory=dict)
    current_presence: PresenceInfo | None = None
    last_presence: PresenceInfo | None = None

    def update_presence(self, resource: str, presence_info: PresenceInfo) -> None:
        """Update the presence of one of its connections."""
        if presence_info == self.resources.get(resource):
            return
        self.resources[resource] = presence_info
        newest = max(self.resources.values(), key=lambda info: info.priority)
        if newest != self.current_presence:
            self.last_presence, self.current_presence = self.current_presence, newest

    def get_presence(self, resource: str | None = None) -> PresenceInfo:
        """Return its presence, or that of one of its connections.

        Raises:
            KeyError: the connection is unknown.
            PresenceNotFound: its presence is unknown.
        """
        if resource:
            if resource not in self.resources:
                raise KeyError(f"Resource '{resource}' not found for contact {self.jid}.")
            return self.resources[resource]
        if self.current_presence is None:
            raise PresenceNotFound(f"No presence information available for contact {self.jid}.")
        return self.current_presence

    def update_subscription(self, subscription: str, ask: str) -> None:
        """Update who sees whose presence."""
        self.subscription, self.ask = subscription, ask

    def is_available(self) -> bool:
        """Return whether it is online, as far as is known."""
        return self.current_presence is not None and self.current_presence.is_available()

    def is_subscribed(self) -> bool:
        """Return whether its presence is visible, or a subscription is requested."""
        return self.subscription in {"both", "to"} or self.ask == "subscribe"

    def __str__(self) -> str:
        return f"Contact(JID: {self.jid}, Name: {self.name}, Presence: {self.current_presence})"

    __repr__ = __str__
