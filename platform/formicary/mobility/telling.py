"""Sends what containers tell each other about agents that move, at the end of a turn of the loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from formicary.container.protocols import Transport
    from formicary.mobility.handover.machine import HandOver

CHANNEL: Final = "mobility"
"""The channel of control messages about agents that move."""

_AGAIN: Final = 0.05  # s after which is sent what could not be


class Telling:
    """Sends what a container's hand-overs have to say.

    Args:
        machine: they.
        transport: what reaches the others.
    """

    def __init__(self, machine: HandOver, transport: Transport) -> None:
        self._machine = machine
        self._transport = transport
        self._unsent: dict[str, list[bytes]] = {}  # by domain
        self._timer: asyncio.TimerHandle | None = None

    def send(self) -> None:
        """Send all that is to be said now, each behind the messages that were sent to the same container."""
        for domain in tuple(self._unsent):
            self._send_to(domain, self._unsent.pop(domain))
        if receivers := self._machine.receivers:
            for domain in tuple(receivers):
                payloads = self._machine.take_envelopes(domain)
                if domain in self._unsent:
                    self._unsent[domain].extend(payloads)
                else:
                    self._send_to(domain, payloads)
        if self._unsent and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_AGAIN, self._send_again)

    def forget(self, domain: str) -> None:
        """Drop what was to be said to a container: its link is another one, or it is not there."""
        self._unsent.pop(domain, None)

    def close(self) -> None:
        """Send nothing more."""
        self._unsent.clear()
        if self._timer is not None:
            self._timer.cancel()

    def _send_to(self, domain: str, payloads: list[bytes]) -> None:
        for number, payload in enumerate(payloads):
            if not self._transport.send_control(domain, CHANNEL, payload, behind=True):
                self._unsent[domain] = payloads[number:]
                return

    def _send_again(self) -> None:
        self._timer = None
        self.send()
