"""What waits to go to one other container: it becomes one frame per turn of the loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NoReturn, Protocol

from formicary.errors import FormicaryError, MessageTooLargeError
from formicary.transport.frames import Frame, encode, size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.mailbox import Place
    from formicary.message import Message

_LIMIT = 10_000  # messages that may wait for the next turn of the loop


class Carrier(Protocol):
    """What the frames of outboxes go out through."""

    is_ready: bool
    """Whether there is a connection with room to write."""

    is_closed: bool
    """Whether there will not be one any more."""

    def send_frame(self, domain: str, frame: Frame, data: bytes) -> None:
        """Send a frame, encoded as `data`, to the container at `domain`."""

    def reject(self, message: Message, receiver: str, error: FormicaryError) -> NoReturn:
        """Make a dead letter of a message that cannot go, and raise `error`."""

    def undeliverable(self, message: Message, receiver: str, reason: str) -> None:
        """Learn that a message that was taken cannot go out."""

    async def ready(self) -> None:
        """Wait until there is a connection with room to write, or none to come."""


class Outbox:
    """The messages for one container.

    Args:
        carrier: the transport.
        domain: the other container's full domain.
        frame_limit: bytes of the largest frame; a message must fit in one.
    """

    __slots__ = (
        "_carrier",
        "_domain",
        "_frame_limit",
        "_is_scheduled",
        "_large",
        "_loop",
        "_messages",
        "_receivers",
    )

    def __init__(self, carrier: Carrier, domain: str, frame_limit: int) -> None:
        self._carrier = carrier
        self._domain = domain
        self._frame_limit = frame_limit
        self._large = frame_limit // 16  # characters of a body from which on it pays to measure the message
        self._loop = asyncio.get_running_loop()
        self._messages: list[Message] = []
        self._receivers: dict[int, str] = {}
        self._is_scheduled = False

    def accept(self, message: Message) -> Sequence[Place] | None:
        """Take a message with one receiver there; return this place if there is no room now.

        Raises:
            MessageTooLargeError: it is too large for a frame.
            InvalidMessageError: it has values of wrong types.
        """
        messages = self._messages
        if not self._carrier.is_ready or len(messages) >= _LIMIT:
            return (self,)
        if message.has_rare_fields() or len(message.body) > self._large:
            self._look_at(message)
        messages.append(message)
        if not self._is_scheduled:
            self._is_scheduled = True
            self._loop.call_soon(self.flush)
        return None

    def accept_for(self, message: Message, receiver: str) -> Sequence[Place] | None:
        """Take a message that has several receivers for one of them, as `accept`."""
        index = len(self._messages)
        full = self.accept(message)
        if full is None:
            self._receivers[index] = receiver
        return full

    def put(self, message: Message) -> bool:
        """Take a message; return False if there is no room now."""
        return self.accept(message) is None

    async def room(self) -> None:
        """Wait for room."""
        await self._carrier.ready()

    def is_done(self) -> bool:
        """Tell whether there is no way out any more."""
        return self._carrier.is_closed

    def flush(self) -> None:
        """Send what waits, as one frame or, if it is too large for one, as several."""
        self._is_scheduled = False
        if self._messages and self._carrier.is_ready:
            messages, self._messages = self._messages, []
            receivers, self._receivers = self._receivers, {}
            self._send(messages, receivers)

    def _send(self, messages: list[Message], receivers: dict[int, str]) -> None:
        frame = Frame(messages, receivers)
        data = encode(frame)
        if len(data) <= self._frame_limit:
            self._carrier.send_frame(self._domain, frame, data)
        elif len(messages) == 1:
            receiver = receivers.get(0, str(messages[0].to))
            self._carrier.undeliverable(messages[0], receiver, too_large(len(data), self._frame_limit))
        else:
            half = len(messages) // 2
            first = {index: name for index, name in receivers.items() if index < half}
            second = {index - half: name for index, name in receivers.items() if index >= half}
            self._send(messages[:half], first)
            self._send(messages[half:], second)

    def _look_at(self, message: Message) -> None:
        try:
            message.check()
        except FormicaryError as error:
            self._carrier.reject(message, str(message.to), error)
        needed = size(message) + 64  # what a frame adds
        if needed > self._frame_limit:
            self._carrier.reject(
                message, str(message.to), MessageTooLargeError(too_large(needed, self._frame_limit))
            )

    def withdraw(self) -> list[tuple[Message, str]]:
        """Take out what waits; return it with the receivers."""
        taken = [
            (message, self._receivers.get(index, str(message.to)))
            for index, message in enumerate(self._messages)
        ]
        self._messages, self._receivers = [], {}
        return taken

    def __str__(self) -> str:
        return f"the link to {self._domain}"


def too_large(needed: int, limit: int) -> str:
    """Return the sentence about a message of `needed` bytes where `limit` bytes may pass."""
    return (
        f"the message takes {needed} bytes on the way, "
        f"more than the {limit} that the XMPP server lets through at once"
    )
