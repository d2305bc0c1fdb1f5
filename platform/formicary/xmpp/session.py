"""An account's session with its server: the interface to XMPP libraries."""

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
"""The namespace of stanzas in sessions."""

BACKOFF = (0.1, 2.0, 5.0)
"""Seconds before the first attempt to reconnect, the factor between attempts, and the longest delay."""


class StanzaError(LinkError):
    """The answer is an error."""


class Delivery(Enum):
    """The state of a sent stanza."""

    SENT = "sent"
    """Sent to the server, and not confirmed yet."""

    TAKEN = "taken"
    """Confirmed by the server, or sent to a server that never confirms (XEP-0198)."""

    LOST = "lost"
    """The session ended first: a sent stanza may have arrived."""


class Owner(Protocol):
    """Callbacks for a session's events and stanzas."""

    def opened(self) -> None:
        """Called when a new session begins; the last one is lost."""

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
        """Return the answer to a request (`<iq/>`), which may be empty; None to refuse it.

        Args:
            kind: `get` or `set`.
            payload: the request.
            sender: the requester; empty for the server.
        """


class Session(ABC):
    """A session with its connection, which reconnects by itself.

    Args:
        account: the account.
        owner: receives the callbacks.
    """

    def __init__(self, account: AccountAddress, owner: Owner) -> None:
        self._account = account
        self._owner = owner

    def _no_session(self) -> LinkError:
        return LinkError(f"there is no connection to {self._account} now")

    @property
    @abstractmethod
    def is_established(self) -> bool:
        """Whether a session is established, though its connection may be interrupted."""

    @property
    @abstractmethod
    def is_running(self) -> bool:
        """Whether there is a session or an attempt to establish one."""

    @abstractmethod
    def start(self) -> None:
        """Log in, and stay logged in."""

    @abstractmethod
    def stop(self) -> None:
        """Log out, then call `ended`."""

    @abstractmethod
    async def cut(self) -> None:
        """Clean up a stopped session."""

    @abstractmethod
    def send(self, stanza: str, changed: Callable[[Delivery], None] | None = None) -> None:
        """Send a message or a presence.

        Args:
            stanza: the stanza, with an ID.
            changed: called with its state.

        Raises:
            LinkError: there is no session.
        """

    @abstractmethod
    async def ask(self, request: str) -> Element | None:
        """Send a request and return the answer.

        Args:
            request: an `<iq/>` with an ID.

        Raises:
            StanzaError: the answer is an error.
            LinkError: the session ended first, or there is none.
        """
