"""An agent's presence and contacts (RFC 6121), in SPADE's shapes."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import aioxmpp

from formicary.core.errors import LinkError
from formicary.core.logs import get_logger
from formicary.core.strand import PROGRAM_EXITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from formicary.xmpp.client import AccountClient

logger = get_logger("formicary")

Show = Literal["chat", "away", "xa", "dnd"]


@dataclass(frozen=True, slots=True)
class Contact:
    """An entry of the account's contact list, which its server keeps.

    Attributes:
        address: the contact's address, without a resource.
        name: the name that the list gives it, if any.
        subscription: who sees whose presence: `"none"`, `"to"` (the agent sees the contact's), `"from"` or
            `"both"`.
        is_available: whether the contact is online as far as the agent can see.
        is_asked: whether it was asked to show its presence and has not answered.
        groups: those of the list in which it is, sorted.
    """

    address: str
    name: str | None
    subscription: str
    is_available: bool
    is_asked: bool = False
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PresenceState:
    """What somebody says of its presence.

    Attributes:
        is_available: whether it is online.
        show: how much it may be disturbed; None for as usual.
        status: a text for people; empty if there is none.
        priority: which of its connections gets messages to its bare address: the highest.
    """

    is_available: bool
    show: Show | None
    status: str
    priority: int


class Presence:
    """Whether the agent is online for others, and others for it.

    Set what shall be called when something happens; each gets the other's address: `on_available` and
    `on_unavailable` (with its resource), `on_subscribe` (it asks to see the agent's presence: `approve` it or
    not), `on_subscribed`, `on_unsubscribe` and `on_unsubscribed`. `on_presence` gets the address and a
    `PresenceState`, whenever the other says something of itself; `on_contact` each entry of the contact list
    that is new or has changed.

    Args:
        client: the agent's connection.
        name: the agent's name, for the log.
        exits: called with a name and the SystemExit or KeyboardInterrupt that was raised there.
    """

    def __init__(self, client: AccountClient, name: str, exits: Callable[[str, BaseException], None]) -> None:
        xmpp = client.xmpp
        self._client = client
        self._name = name
        self._exits = exits
        self._own = _with_priority(xmpp.summon(aioxmpp.PresenceServer))
        self._others = xmpp.summon(aioxmpp.PresenceClient)
        self._roster = xmpp.summon(aioxmpp.RosterClient)
        self.approve_all = False
        """Whether everybody who asks may see the agent's presence, without asking `on_subscribe`."""

        self.on_available: Callable[[str], None] | None = None
        self.on_unavailable: Callable[[str], None] | None = None
        self.on_subscribe: Callable[[str], None] | None = None
        self.on_subscribed: Callable[[str], None] | None = None
        self.on_unsubscribe: Callable[[str], None] | None = None
        self.on_unsubscribed: Callable[[str], None] | None = None
        self.on_presence: Callable[[str, PresenceState], None] | None = None
        self.on_contact: Callable[[Contact], None] | None = None
        self._others.on_available.connect(lambda jid, _: self._tell("on_available", str(jid)))
        self._others.on_unavailable.connect(lambda jid, _: self._tell("on_unavailable", str(jid)))
        for event in ("on_available", "on_changed", "on_unavailable"):
            getattr(self._others, event).connect(self._seen)
        for event in ("on_entry_added", "on_entry_name_changed", "on_entry_subscription_state_changed"):
            getattr(self._roster, event).connect(self._listed)
        self._roster.on_subscribe.connect(self._asked)
        for event in ("on_subscribed", "on_unsubscribe", "on_unsubscribed"):
            getattr(self._roster, event).connect(self._teller(event))
        self.set_available()

    def set_available(self, show: Show | None = None, status: str = "", priority: int = 0) -> None:
        """Be online.

        Args:
            show: how much the agent may be disturbed; None for as usual.
            status: a text for people.
            priority: which of the account's connections gets messages to its bare address: the highest.
        """
        state = aioxmpp.PresenceState(available=True, show=aioxmpp.PresenceShow(show))
        self._own.set_presence(state, status=status, priority=priority)

    def set_unavailable(self) -> None:
        """Seem offline; messages to the account are then stored by its server or sent back."""
        self._own.set_presence(aioxmpp.PresenceState(available=False))

    def subscribe(self, address: str) -> None:
        """Ask to see another's presence.

        Raises:
            LinkError: the agent has no connection at this moment.
        """
        with self._connected():
            self._roster.subscribe(_bare(address))

    def unsubscribe(self, address: str) -> None:
        """Stop seeing another's presence; errors as of `subscribe`."""
        with self._connected():
            self._roster.unsubscribe(_bare(address))

    def approve(self, address: str) -> None:
        """Let another see the agent's presence, now or whenever it asks; errors as of `subscribe`."""
        with self._connected():
            self._roster.approve(_bare(address))

    async def remove(self, address: str) -> None:
        """Take another off the contact list; neither sees the other's presence then.

        Waits while there is no connection.

        Raises:
            LinkError: the connection was lost before the server had answered.
        """
        with self._connected():
            await self._roster.remove_entry(_bare(address))

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """Have what fails in the block for want of a connection say so."""
        try:
            yield
        except ConnectionError as error:
            raise LinkError(
                f"{self._client} is not connected now, and connects again by itself: try again later"
            ) from error

    @property
    def contacts(self) -> dict[str, Contact]:
        """The contact list, by address, as it is known now."""
        return {str(jid): self._contact(jid, item) for jid, item in self._roster.items.items()}

    def is_available(self, address: str) -> bool:
        """Return whether another is online, as far as the agent can see."""
        return self._is_available(_bare(address))

    def _contact(self, jid: Any, item: Any) -> Contact:
        return Contact(
            str(jid),
            item.name,
            item.subscription,
            self._is_available(jid),
            is_asked=item.ask == "subscribe",
            groups=tuple(sorted(item.groups)),
        )

    def _listed(self, item: Any) -> None:
        self._tell("on_contact", self._contact(item.jid, item))

    def _seen(self, jid: Any, stanza: Any) -> None:
        state = PresenceState(
            stanza.type_ == aioxmpp.PresenceType.AVAILABLE,
            stanza.show.value,
            stanza.status.any() if stanza.status else "",
            stanza.priority,
        )
        self._tell("on_presence", str(jid), state)

    def _is_available(self, jid: Any) -> bool:
        stanza = self._others.get_most_available_stanza(jid)
        return stanza is not None and stanza.type_ == aioxmpp.PresenceType.AVAILABLE

    def _asked(self, stanza: Any) -> None:
        if self.approve_all:
            self._roster.approve(stanza.from_)
        else:
            self._tell("on_subscribe", str(stanza.from_))

    def _teller(self, event: str) -> Callable[[Any], None]:
        return lambda stanza: self._tell(event, str(stanza.from_))

    def _tell(self, event: str, *what: object) -> None:
        callback = getattr(self, event)
        if callback is not None:
            try:
                callback(*what)
            except Exception:
                logger.exception("%s of agent %s's presence raised an exception", event, self._name)
            except PROGRAM_EXITS as error:
                self._exits(f"{self._name}/{event}", error)


def _with_priority(own: Any) -> Any:
    """Have what is said of the agent's presence have its priority, which aioxmpp 0.13 leaves out."""
    make = own.make_stanza

    def make_stanza() -> Any:
        stanza = make()
        stanza.priority = own.priority
        return stanza

    own.make_stanza = make_stanza
    return own


def _bare(address: str) -> Any:
    return aioxmpp.JID.fromstr(address).bare()
