"""An agent's presence and contacts (RFC 6121), modelled on SPADE."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, cast, get_args

from formicary.errors import LinkError
from formicary.extending import get_logger
from formicary.transport.xmpp.stanzas import clean, escaped, quoted
from formicary.xmpp import stanzas
from formicary.xmpp.session import CLIENT, StanzaError

if TYPE_CHECKING:
    from collections.abc import Callable
    from xml.etree.ElementTree import Element

    from formicary.xmpp.client import AccountClient

logger = get_logger("formicary")

Show = Literal["chat", "away", "xa", "dnd"]

_ROSTER = "jabber:iq:roster"
_QUERY = f"{{{_ROSTER}}}query"
_ITEM = f"{{{_ROSTER}}}item"
_PRIORITY = re.compile(r"[+-]?[0-9]{1,3}")
_EVENTS = {kind: f"on_{kind}" for kind in ("subscribe", "subscribed", "unsubscribe", "unsubscribed")}


@dataclass(frozen=True, slots=True)
class Contact:
    """An entry of the account's contact list on the server.

    Attributes:
        address: the contact's address, without a resource.
        name: its name in the list, if any.
        subscription: who sees whose presence: `"none"`, `"to"` (the agent sees the contact's), `"from"` or
            `"both"`.
        is_available: whether the contact is online, as far as the agent can see.
        is_asked: whether a subscription request is unanswered.
        groups: its groups in the list, sorted.
    """

    address: str
    name: str | None
    subscription: str
    is_available: bool
    is_asked: bool = False
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PresenceState:
    """A user's announced presence.

    Attributes:
        is_available: whether it is online.
        show: availability for chat; None for normal.
        status: a human-readable text; empty if none.
        priority: its connection with the highest priority gets messages to its bare address.
    """

    is_available: bool
    show: Show | None
    status: str
    priority: int


_UNAVAILABLE = PresenceState(is_available=False, show=None, status="", priority=0)


class Presence:
    """The agent's presence, and that of its contacts.

    Set callbacks, each called with the other's address: `on_available` and `on_unavailable` (with its
    resource), `on_subscribe` (it asks to see the agent's presence: `approve` it or not), `on_subscribed`,
    `on_unsubscribe` and `on_unsubscribed`. `on_presence` gets the address and a `PresenceState` for each
    presence received; `on_contact` gets each new or changed entry of the contact list.

    Args:
        client: the agent's connection.
        name: the agent's name, for the log.
        exits: called with a name and a SystemExit or KeyboardInterrupt from a callback.
    """

    def __init__(self, client: AccountClient, name: str, exits: Callable[[str, BaseException], None]) -> None:
        self._client = client
        self._name = name
        self._exits = exits
        self._own = stanzas.presence()
        self._others: dict[str, dict[str, PresenceState]] = {}  # by bare address, then by full address
        self._listed: dict[str, Contact] = {}
        self.approve_all = False
        """Whether to approve all requests to see the agent's presence, without calling `on_subscribe`."""

        self.on_available: Callable[[str], None] | None = None
        self.on_unavailable: Callable[[str], None] | None = None
        self.on_subscribe: Callable[[str], None] | None = None
        self.on_subscribed: Callable[[str], None] | None = None
        self.on_unsubscribe: Callable[[str], None] | None = None
        self.on_unsubscribed: Callable[[str], None] | None = None
        self.on_presence: Callable[[str, PresenceState], None] | None = None
        self.on_contact: Callable[[Contact], None] | None = None
        client.greet = self._greet
        client.on_presence = self._take
        client.requests[_QUERY] = self._pushed

    def set_available(self, show: Show | None = None, status: str = "", priority: int = 0) -> None:
        """Go online.

        Args:
            show: availability for chat; None for normal.
            status: a human-readable text.
            priority: the account's connection with the highest priority gets messages to its bare address.
        """
        parts = {"show": show or "", "status": status, "priority": str(priority) if priority else ""}
        elements = (f"<{name}>{escaped(clean(each))}</{name}>" for name, each in parts.items() if each)
        self._show(content="".join(elements))

    def set_unavailable(self) -> None:
        """Appear offline; the server then stores messages to the account, or returns them."""
        self._show("unavailable")

    def _show(self, kind: str = "", content: str = "") -> None:
        self._own = stanzas.presence(kind, content=content)
        if self._client.session.is_established:
            self._client.session.send(self._own)

    def subscribe(self, address: str) -> None:
        """Ask to see another's presence.

        Raises:
            LinkError: the agent is not connected.
        """
        self._say("subscribe", address)

    def unsubscribe(self, address: str) -> None:
        """Stop seeing another's presence; errors as of `subscribe`."""
        self._say("unsubscribe", address)

    def approve(self, address: str) -> None:
        """Allow another to see the agent's presence, now or when it asks; errors as of `subscribe`."""
        self._say("subscribed", address)

    def _say(self, kind: str, address: str) -> None:
        try:
            self._client.session.send(stanzas.presence(kind, _bare(address)))
        except LinkError as error:
            raise LinkError(
                f"{self._client} is not connected now, and will reconnect by itself: try again later"
            ) from error

    async def remove(self, address: str) -> None:
        """Remove a contact, ending subscriptions both ways.

        Waits for a connection if there is none.

        Raises:
            LinkError: the connection was lost before the server answered.
        """
        await self._client.room(address)
        item = f"<item jid={quoted(clean(_bare(address)))} subscription='remove'/>"
        await self._client.session.ask(stanzas.request("set", f"<query xmlns='{_ROSTER}'>{item}</query>"))

    @property
    def contacts(self) -> dict[str, Contact]:
        """The currently known contact list, by address."""
        return {address: self._with_presence(contact) for address, contact in self._listed.items()}

    def is_available(self, address: str) -> bool:
        """Return whether another is online, as far as the agent can see."""
        return bool(self._others.get(_bare(address)))

    def _with_presence(self, contact: Contact) -> Contact:
        return replace(contact, is_available=self.is_available(contact.address))

    # -- events of the server -------------------------------------------------------------------------------

    async def _greet(self) -> None:
        """Fetch the contact list and announce the agent; called with each new session."""
        for address in [*self._others]:
            self._gone(address)
        with suppress(StanzaError):  # a server may not support one
            answer = await self._client.session.ask(stanzas.request("get", f"<query xmlns='{_ROSTER}'/>"))
            items = [] if answer is None else [_contact(item) for item in answer.iterfind(_ITEM)]
            addresses = {contact.address for contact in items}
            self._listed = {each: self._listed[each] for each in self._listed if each in addresses}
            for contact in items:
                self._list(contact)
        self._client.session.send(self._own)

    def _pushed(self, kind: str, query: Element, sender: str) -> str | None:
        """Apply a change of the contact list (RFC 6121, 2.1.6) from our own server."""
        if kind != "set" or sender.partition("/")[0] not in {"", self._client.address}:
            return None
        for item in query.iterfind(_ITEM):
            contact = _contact(item)
            if contact.subscription == "remove":
                self._listed.pop(contact.address, None)
            else:
                self._list(contact)
        return ""

    def _list(self, contact: Contact) -> None:
        if self._listed.get(contact.address) != contact:
            self._listed[contact.address] = contact
            self._tell("on_contact", self._with_presence(contact))

    def _take(self, stanza: Element) -> None:
        sender, kind = stanza.get("from", ""), stanza.get("type", "")
        if not kind:
            self._come(sender, _state(stanza))
        elif kind == "unavailable":
            self._gone(sender, _state(stanza))
        elif kind == "error":
            self._gone(_bare(sender))
        elif kind == "subscribe" and self.approve_all:
            with suppress(LinkError):  # the request is repeated in the next session
                self.approve(sender)
        elif kind in _EVENTS:
            self._tell(_EVENTS[kind], _bare(sender))

    def _come(self, address: str, state: PresenceState) -> None:
        resources = self._others.setdefault(_bare(address), {})
        is_new = address not in resources
        resources[address] = state
        if is_new:
            self._tell("on_available", address)
        self._tell("on_presence", address, state)

    def _gone(self, address: str, state: PresenceState = _UNAVAILABLE) -> None:
        """Record that a user went offline: one resource, or entirely without one."""
        bare = _bare(address)
        resources = self._others.get(bare, {})
        for each in [address] if address in resources else [*resources] if address == bare else []:
            del resources[each]
            self._tell("on_unavailable", each)
            self._tell("on_presence", each, state)
        if not resources:
            self._others.pop(bare, None)

    def _tell(self, event: str, *what: object) -> None:
        callback = getattr(self, event)
        if callback is not None:
            try:
                callback(*what)
            except Exception:
                logger.exception("%s of agent %s's presence raised an exception", event, self._name)
            except (KeyboardInterrupt, SystemExit) as error:
                self._exits(f"{self._name}/{event}", error)


def _bare(address: str) -> str:
    return address.partition("/")[0].lower()


def _contact(item: Element) -> Contact:
    return Contact(
        item.get("jid", ""),
        item.get("name"),
        item.get("subscription", "none"),
        is_available=False,
        is_asked=item.get("ask") == "subscribe",
        groups=tuple(sorted(group.text or "" for group in item.iterfind(f"{{{_ROSTER}}}group"))),
    )


def _state(stanza: Element) -> PresenceState:
    show, status, priority = (
        stanza.findtext(f"{{{CLIENT}}}{name}", "") for name in ("show", "status", "priority")
    )
    return PresenceState(
        "type" not in stanza.attrib,
        cast("Show", show) if show in get_args(Show) else None,
        status,
        int(priority) if _PRIORITY.fullmatch(priority) else 0,
    )
