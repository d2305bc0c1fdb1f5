"""Control messages of one channel, which wait until the transport accepts them."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from formicary.delivery.protocols import Transport

_AGAIN: Final = 0.05  # s until a retry


class ControlOutbox:
    """Sends control messages to other containers, to each in order, and retries those not accepted.

    Messages are written when they can be sent; until then, their source combines them. So no more waits
    here for a container than was written at once.

    Args:
        transport: reaches the other containers.
        channel: the channel of the messages.
        write: returns all messages for a container, by its domain; called once for one or several `send`s,
            when nothing waits.
        behind: whether messages to agents there that wait to go out are sent first.
    """

    def __init__(
        self,
        transport: Transport,
        channel: str,
        write: Callable[[str], Iterable[bytes]],
        *,
        behind: bool = False,
    ) -> None:
        self._transport = transport
        self._channel = channel
        self._write = write
        self._behind = behind
        self._due: dict[str, None] = {}  # domains with something to write
        self._unsent: dict[str, deque[bytes]] = {}  # what is written but not accepted
        self._timer: asyncio.TimerHandle | None = None

    def send(self, *domains: str) -> None:
        """Send the messages for these containers, behind what still waits for them."""
        self._due.update(dict.fromkeys(domains))
        for domain in dict.fromkeys((*self._unsent, *domains)):
            self._send_to(domain)
        if self._unsent and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_AGAIN, self._send_again)

    def forget(self, domain: str) -> None:
        """Drop what waits for a container whose link is new, or that is gone."""
        self._due.pop(domain, None)
        self._unsent.pop(domain, None)

    def close(self) -> None:
        """Stop sending."""
        self._due.clear()
        self._unsent.clear()
        if self._timer is not None:
            self._timer.cancel()

    def _send_to(self, domain: str) -> None:
        unsent = self._unsent.setdefault(domain, deque())
        while unsent or domain in self._due:
            if not unsent:
                del self._due[domain]
                unsent.extend(self._write(domain))
            elif self._transport.send_control(domain, self._channel, unsent[0], behind=self._behind):
                unsent.popleft()
            else:
                return
        del self._unsent[domain]

    def _send_again(self) -> None:
        self._timer = None
        self.send()
