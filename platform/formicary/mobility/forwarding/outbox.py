"""Messages to other containers about the ways to agents that have moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formicary.delivery.control_outbox import ControlOutbox
from formicary.mobility.forwarding.language import Moved, encode

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.delivery.protocols import Transport
    from formicary.mobility.forwarding.language import News

CHANNEL: Final = "ways"
"""The channel of control messages about the ways to agents that have moved."""

_UNSENT: Final = 1000  # that a container is told when it has become a member


class Outbox:
    """Tells other containers about ways, in order, as long as the link over which they are is there.

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
        self._outbox = ControlOutbox(transport, CHANNEL, self._write, behind=True)
        self.close = self._outbox.close

    def tell(self, domain: str, news: News) -> None:
        """Send another container a message, behind all others to it."""
        unsent = self._unsent.setdefault(domain, [])
        if not isinstance(news, Moved) or self._is_member(domain):
            unsent.append(news)
            self._send(domain)
        elif len(unsent) < _UNSENT:  # a guest never becomes a member, and does not know these messages
            unsent.append(news)

    def joined(self, domain: str) -> None:
        """Send a container that is a member now what it could not be sent."""
        if domain in self._unsent:
            self._send(domain)

    def ended(self, domain: str) -> None:
        """Drop what was to be sent to a container, as the link to it has ended."""
        self._unsent.pop(domain, None)
        self._outbox.forget(domain)

    def _send(self, domain: str) -> None:
        if self._transport.is_quiet(domain) and not self._transport.takes_control(domain):
            self._on_end(domain)  # nothing is under way, and nothing is remembered there
        else:
            self._outbox.send(domain)

    def _write(self, domain: str) -> tuple[bytes, ...]:
        unsent = self._unsent.pop(domain, None)
        return () if unsent is None else (encode(unsent),)
