"""An account's session at its server: the one interface behind which XMPP libraries keep it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

from formicary.core.errors import LinkError

if TYPE_CHECKING:
    from collections.abc import Callable
    from xml.etree.ElementTree import Element

    from formicary.server.account import AccountAddress

CLIENT = "jabber:client"
"""The namespace of stanzas in all that sessions take and give."""

BACKOFF = (0.1, 2.0, 5.0)
"""Seconds before the first try to reconnect, the factor from one to the next, and the longest."""


class StanzaError(LinkError):
    """Somebody has answered with an error."""


class Delivery(Enum):
    """What has become of a stanza."""

    SENT = "sent"
    """The server has been given it, and has not confirmed it yet."""

    TAKEN = "taken"
    """The server has confirmed it, or never confirms any (XEP-0198)."""

    LOST = "lost"
    """The session has ended first: if it was sent, it may have arrived."""


class Owner(Protocol):
    """What a session tells of itself, and of what comes."""

    def opened(self) -> None:
        """Take up a new session; nothing of the last one is known to the server."""

    def interrupted(self, reason: object) -> None:
        """Note that there is no connection for now; it comes back, and with it the session or a new one."""

    def closed(self) -> None:
        """Note that the session is over."""

    def failed(self, error: LinkError) -> None:
        """Note that there will be no session any more."""

    def ended(self) -> None:
        """Note that the session has ended as it was told to."""

    def take(self, stanza: Element) -> None:
        """Take a message or a presence."""

    def answer(self, kind: str, payload: Element, sender: str) -> str | None:
        """Return what answers a request (`<iq/>`), which may be nothing; None if it is refused.

        Args:
            kind: `get` or `set`.
            payload: what is asked.
            sender: who asks; empty for the server.
        """


class Session(ABC):
    """A session with its connection, which comes back by itself when it is lost.

    Args:
        account: whose it is.
        owner: who is told.
    """

    def __init__(self, account: AccountAddress, owner: Owner) -> None:
        self._account = account
        self._owner = owner

    def _no_session(self) -> LinkError:
        return LinkError(f"there is no connection to {self._account} now")

    @property
    @abstractmethod
    def is_established(self) -> bool:
        """Whether there is a session, though its connection may be interrupted."""

    @property
    @abstractmethod
    def is_running(self) -> bool:
        """Whether there is a session, or one is tried to have."""

    @abstractmethod
    def start(self) -> None:
        """Log in, and stay."""

    @abstractmethod
    def stop(self) -> None:
        """Log out; `ended` is told then."""

    @abstractmethod
    async def cut(self) -> None:
        """End all that is left of a session that was stopped."""

    @abstractmethod
    def send(self, stanza: str, changed: Callable[[Delivery], None] | None = None) -> None:
        """Send a message or a presence.

        Args:
            stanza: it, with an id.
            changed: called with what becomes of it.

        Raises:
            LinkError: there is no session.
        """

    @abstractmethod
    async def ask(self, request: str) -> Element | None:
        """Send a request, and return what answers it.

        Args:
            request: an `<iq/>` with an id.

        Raises:
            StanzaError: the answer is an error.
            LinkError: the session ended first, or there is none.
        """


def make_session(account: AccountAddress, owner: Owner) -> Session:
    """Return a session of the library that there is: aioxmpp where it is installed, else slixmpp."""
    if find_spec("aioxmpp") is not None:
        from formicary.xmpp.by_aioxmpp import AioxmppSession

        return AioxmppSession(account, owner)
    from formicary.xmpp.by_slixmpp import SlixmppSession

    return SlixmppSession(account, owner)
