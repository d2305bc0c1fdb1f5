"""An account's session with its server: the interface to XMPP libraries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import TYPE_CHECKING

from formicary.errors import LinkError

if TYPE_CHECKING:
    from collections.abc import Callable
    from xml.etree.ElementTree import Element

    from formicary.server import AccountAddress
    from formicary.xmpp.client import AccountClient

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


class Session(ABC):
    """A session with its connection, which reconnects by itself."""

    def __init__(self, account: AccountAddress, owner: AccountClient) -> None:
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
