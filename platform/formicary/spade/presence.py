"""The presence of a SPADE agent with an account, and its contacts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formicary.spade.contacts import (
    Contact,
    ContactNotFound,
    PresenceInfo,
    PresenceNotFound,
    PresenceShow,
    PresenceType,
)
from formicary.spade.jid import JID
from formicary.spade.missing import Nothing

if TYPE_CHECKING:
    from formicary.spade.agent import Agent
    from formicary.xmpp import Presence

__all__ = [
    "Contact",
    "ContactNotFound",
    "PresenceInfo",
    "PresenceManager",
    "PresenceNotFound",
    "PresenceShow",
    "PresenceType",
]

_NO_ACCOUNT = (
    "the presence of agents (agent.presence) is not visible: it requires XMPP accounts, and the "
    "program runs without --server"
)
_AFTER_APPROVING = {"to": "both", "both": "both"}  # subscriptions; any other becomes "from"
_AFTER_ACCEPTING = {"none": "to", "from": "both"}
_AFTER_LEAVING = {"both": "from", "to": "none"}
_AFTER_BEING_LEFT = {"both": "to", "from": "none"}


class PresenceManager:
    """Manages the agent's presence, its contacts', and subscriptions.

    Without an account, it only stores the program's settings, invisible to others, which is logged once.

    Methods whose names begin with `on_` are callbacks; replace them with your own.

    Args:
        agent: the agent.
        approve_all: whether to approve all subscription requests.
    """

    def __init__(self, agent: Agent, approve_all: bool = False) -> None:  # noqa: FBT001, FBT002 -- SPADE's
        self.agent = agent
        self.approve_all = approve_all
        self.contacts: dict[str, Contact] = {}
        self.current_presence: PresenceInfo | None = None
        self.account: Presence | None = None  # the account's presence
        self.no_account = _NO_ACCOUNT  # the reason for having none

    def _account(self) -> Presence | Nothing:
        return self.account or Nothing(self.no_account)

    # -- the agent's own ------------------------------------------------------------------------------------

    def is_available(self) -> bool:
        """Return whether the agent is online."""
        return self.current_presence is not None and self.current_presence.is_available()

    def get_presence(self) -> PresenceInfo | None:
        """Return the agent's own presence; None if unset."""
        return self.current_presence

    def get_show(self) -> PresenceShow:
        """Return the agent's availability for chat."""
        return PresenceShow.NONE if self.current_presence is None else self.current_presence.show

    def get_status(self) -> str | None:
        """Return the agent's status text."""
        return None if self.current_presence is None else self.current_presence.status

    def get_priority(self) -> int:
        """Return the agent's priority; the account's connection with the highest gets messages."""
        return 0 if self.current_presence is None else self.current_presence.priority

    def set_presence(
        self,
        presence_type: PresenceType = PresenceType.AVAILABLE,
        show: PresenceShow = PresenceShow.CHAT,
        status: str | None = "",
        priority: int = 0,
    ) -> None:
        """Set the agent's presence.

        Args:
            presence_type: `AVAILABLE` or `UNAVAILABLE`.
            show: the availability for chat.
            status: a human-readable text.
            priority: from -128 to 127.
        """
        account = self._account()
        self.current_presence = PresenceInfo(presence_type, show, status, priority)
        if presence_type is PresenceType.AVAILABLE:
            shown = None if show is PresenceShow.NONE else show.value
            account.set_available(shown, status or "", priority)
        else:
            account.set_unavailable()

    def set_available(self) -> None:
        """Go online."""
        self.set_presence(PresenceType.AVAILABLE)

    def set_unavailable(self) -> None:
        """Appear offline."""
        self.set_presence(PresenceType.UNAVAILABLE, PresenceShow.NONE, None, 0)

    # -- contacts -------------------------------------------------------------------------------------------

    def get_contacts(self) -> dict[str, Contact]:
        """Return contacts that the agent has subscribed to, or asked to, by address."""
        return {jid: contact for jid, contact in self.contacts.items() if contact.is_subscribed()}

    def get_contact(self, jid: str) -> Contact:
        """Return a contact.

        Raises:
            ContactNotFound: the address is unknown.
        """
        bare = JID(str(jid)).bare
        if bare not in self.contacts:
            raise ContactNotFound(f"Contact with JID '{bare}' not found.")
        return self.contacts[bare]

    def get_contact_presence(self, jid: str, resource: str | None = None) -> PresenceInfo:
        """Return a contact's presence; errors as of `get_contact` and `Contact.get_presence`."""
        return self.get_contact(jid).get_presence(resource)

    def subscribe(self, jid: str) -> None:
        """Ask to see another's presence.

        Raises:
            LinkError: the account is not connected.
        """
        account = self._account()
        contact = self._known(jid)
        contact.update_subscription("from" if contact.subscription == "from" else "to", "subscribe")
        account.subscribe(contact.jid)

    def unsubscribe(self, jid: str) -> None:
        """Stop seeing another's presence; errors as of `subscribe`."""
        account = self._account()
        self._change(JID(str(jid)).bare, _AFTER_LEAVING)
        account.unsubscribe(str(jid))

    def approve_subscription(self, jid: str) -> None:
        """Allow another to see the agent's presence; errors as of `subscribe`."""
        account = self._account()
        contact = self.contacts.get(JID(str(jid)).bare)
        if contact is not None:
            contact.update_subscription(_AFTER_APPROVING.get(contact.subscription, "from"), "")
        account.approve(str(jid))

    def subscribed(self, jid: str) -> None:
        """Record that another lets the agent see its presence."""
        if self._known(jid, "to").ask == "subscribe":
            self._change(JID(str(jid)).bare, _AFTER_ACCEPTING)

    def unsubscribed(self, jid: str) -> None:
        """Record that another no longer lets the agent see its presence."""
        self._known(jid)
        self._change(JID(str(jid)).bare, _AFTER_BEING_LEFT)

    def _known(self, jid: str, subscription: str = "none") -> Contact:
        bare = JID(str(jid)).bare
        if bare not in self.contacts:
            self.contacts[bare] = Contact(bare, str(bare), subscription, "", [])
        return self.contacts[bare]

    def _change(self, bare: str, changes: dict[str, str]) -> None:
        contact = self.contacts.get(bare)
        if contact is not None and contact.subscription in changes:
            contact.update_subscription(changes[contact.subscription], "")

    # -- receiving ------------------------------------------------------------------------------------------

    def handle_presence(self, presence: Any) -> None:
        """Record a contact's presence, and call the program's callbacks.

        Args:
            presence: a stanza, by its parts: `from`, `type`, `show`, `status` and `priority`.
        """
        peer = JID(str(presence["from"]))
        if peer.bare == self.agent.jid.bare:
            return
        kind = presence["type"]
        is_show = kind in {show.value for show in PresenceShow}  # slixmpp reports `show` as the type, if set
        info = PresenceInfo(
            PresenceType.AVAILABLE if is_show else PresenceType(kind),
            PresenceShow(presence["show"] or "none"),
            presence["status"],
            int(presence["priority"] or 0),
        )
        contact = self._known(peer)
        contact.update_presence(peer.resource, info)
        if info.type is PresenceType.AVAILABLE:
            self.on_available(str(peer), info, contact.last_presence)
        elif info.type is PresenceType.UNAVAILABLE:
            self.on_unavailable(str(peer), info, contact.last_presence)
        self.on_presence_received(presence)

    def handle_subscription(self, presence: Any) -> None:
        """Handle a subscription stanza, and call the program's callbacks.

        Args:
            presence: a stanza, by its parts `from` and `type`.
        """
        peer = JID(str(presence["from"])).bare
        kind = PresenceType(presence["type"])
        self._known(peer)
        if kind is PresenceType.SUBSCRIBE:
            if self.approve_all:
                self.approve_subscription(peer)
            self.on_subscribe(peer)
        elif kind is PresenceType.SUBSCRIBED:
            self.subscribed(peer)
            self.on_subscribed(peer)
        elif kind is PresenceType.UNSUBSCRIBE:
            self.on_unsubscribe(peer)
        elif kind is PresenceType.UNSUBSCRIBED:
            self.unsubscribed(peer)
            self.on_unsubscribed(peer)

    def handle_contact(self, jid: str, name: str, subscription: str, ask: str, groups: list[str]) -> None:
        """Record an entry of the account's contact list; arguments as of `Contact`."""
        contact = self._known(jid)
        contact.name, contact.groups = name, groups
        contact.update_subscription(subscription, ask)

    # -- for programs to replace ----------------------------------------------------------------------------

    def on_subscribe(self, peer_jid: str) -> None:
        """Called when a contact asks to see the agent's presence."""

    def on_subscribed(self, peer_jid: str) -> None:
        """Called when a contact lets the agent see its presence."""

    def on_unsubscribe(self, peer_jid: str) -> None:
        """Called when a contact stops seeing the agent's presence."""

    def on_unsubscribed(self, peer_jid: str) -> None:
        """Called when a contact no longer lets the agent see its presence."""

    def on_presence_received(self, presence: Any) -> None:
        """Called with each presence received."""

    def on_available(
        self, peer_jid: str, presence_info: PresenceInfo, last_presence: PresenceInfo | None
    ) -> None:
        """Called when a contact is online."""

    def on_unavailable(
        self, peer_jid: str, presence_info: PresenceInfo, last_presence: PresenceInfo | None
    ) -> None:
        """Called when a contact is offline."""
