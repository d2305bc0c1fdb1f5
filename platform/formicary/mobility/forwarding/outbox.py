"""Messages to other containers about the ways to agents that have moved, with retries."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from formicary.mobility.forwarding.language import Moved, encode

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.delivery.protocols import Transport
    from formicary.mobility.forwarding.language import News

CHANNEL: Final = "ways"
"""The channel of control messages about the ways to agents that have moved."""

_UNSENT: Final = 1000  # that somebody is told when it has become a member
_AGAIN: Final = 0.05  # s after which is tried again what could not be told


class Outbox:
    """Sends messages to other containers, in order.

    Args:
        transport: what reaches them.
        is_member: whether a container is a member of the platform; others are sent nothing.
        on_end: called if a container cannot be reached, and nothing is under way to it.
    """

    def __init__(
        self, transport: Transport, is_member: Callable[[str], bool], on_end: Callable[[str], None]
    ) -> None:
        self._transport = transport
        self._is_member = is_member
        self._on_end = on_end
        self._unsent: dict[str, list[News]] = {}  # by domain
        self._timer: asyncio.TimerHandle | None = None

    def tell(self, domain: str, news: News) -> None:
        """Send another container a message, behind all others to it."""
        unsent = self._unsent.setdefault(domain, [])
        if isinstance(news, Moved) and not self._is_member(domain):
            if len(unsent) < _UNSENT:  # a guest never becomes a member, and does not know these messages
                unsent.append(news)
            return
        unsent.append(news)
        self._send(domain)

    def joined(self, domain: str) -> None:
        """Send a container that is a member now what it could not be sent."""
        if self._unsent.get(domain):
            self._send_again()

    def ended(self, domain: str) -> None:
        """Drop what was to be sent to a container, as the link to it has ended."""
        self._unsent.pop(domain, None)

    def _send(self, domain: str) -> None:
        if not self._unsent.get(domain):
            return
        payload = encode(self._unsent[domain])
        if self._transport.send_control(domain, CHANNEL, payload, behind=True):
            del self._unsent[domain]
        elif self._transport.is_quiet(domain):
            self._on_end(domain)  # nothing is under way, and nothing is remembered there
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_AGAIN, self._send_again)

    def _send_again(self) -> None:
        self.close()
        for domain in tuple(self._unsent):
            self._send(domain)

    def close(self) -> None:
        """Stop retrying."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
