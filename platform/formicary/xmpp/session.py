"""An account's session at its server: the one interface behind which XMPP libraries keep it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from formicary.errors import LinkError

if TYPE_CHECKING:
    from collections.abc import Callable
    from xml.etree.ElementTree import Element

    from formicary.server import AccountAddress

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
        """Called when a new session begins; the server has forgotten the last one."""

    def interrupted(self, reason: object) -> None:
        """Called when the connection is interrupted; it comes back with this session or a new one."""

    def closed(self) -> None:
        """Called when the session is over."""

    def failed(self, error: LinkError) -> None:
        """Called when there will be no more sessions."""

    def ended(self) -> None:
        """Called when the session has ended as requested."""

    def take(self, stanza: Element) -> None:
        """Called with a message or a presence."""

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
