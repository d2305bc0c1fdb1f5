"""What waits to go to one other container: it becomes one frame per turn of the loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NoReturn, Protocol

from formicary.errors import FormicaryError, MessageTooLargeError
from formicary.transport.frames import encode, size, to_entry

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.mailbox import Place
    from formicary.message import Message
    from formicary.transport.frames import Entry

Letter = tuple["Message", str]
"""A message, and the full name of the one receiver that it goes to here."""

_LIMIT = 10_000  # messages that may wait for the next turn of the loop


class Carrier(Protocol):
    """What the frames of outboxes go out through."""

    is_ready: bool
    """Whether there is a connection with room to write."""

    is_closed: bool
    """Whether there will not be one any more."""

    def send_frame(self, domain: str, data: bytes, letters: list[Letter]) -> None:
        """Send a frame, which holds `letters`, to the container at `domain`."""

    def reject(self, message: Message, receiver: str, error: FormicaryError) -> NoReturn:
        """Make a dead letter of a message that cannot go, and raise `error`."""

    def undeliverable(self, message: Message, receiver: str, reason: str) -> None:
        """Learn that a message that was taken cannot go out."""

    def at_turn_end(self, callback: Callable[[], None]) -> None:
        """Call back when the agents have had their turn."""

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
        "_letters",
    )

    address = None

    def __init__(self, carrier: Carrier, domain: str, frame_limit: int) -> None:
        self._carrier = carrier
        self._domain = domain
        self._frame_limit = frame_limit
        self._large = frame_limit // 16  # characters of a body from which on it pays to measure the message
        self._letters: list[Letter] = []
        self._is_scheduled = False

    def accept(self, message: Message) -> Sequence[Place] | None:
        """Take a message with one receiver, who is there; return this place if there is no room now.

        Raises:
            MessageTooLargeError: it is too large for a frame.
        """
        return self.accept_for(message, message.to)  # type: ignore[arg-type]  # one receiver, so it is a name

    def accept_for(self, message: Message, receiver: str) -> Sequence[Place] | None:
        """Take a message for one of its receivers, as `accept`."""
        letters = self._letters
        if not self._carrier.is_ready or len(letters) >= _LIMIT:
            return (self,)
        if len(message.body) > self._large:
            self._measure(message, receiver)
        letters.append((message, receiver))
        if not self._is_scheduled:
            self._is_scheduled = True
            self._carrier.at_turn_end(self.flush)
        return None

    def put(self, message: Message) -> bool:
        """Take a message with one receiver; return False if there is no room now."""
        return self.accept(message) is None

    async def room(self) -> None:
        """Wait for room."""
        await asyncio.sleep(0)  # what fills it goes out at the end of this turn
        await self._carrier.ready()

    def is_done(self) -> bool:
        """Tell whether there is no way out any more."""
        return self._carrier.is_closed

    def flush(self) -> None:
        """Send what waits, as one frame or, if it is too large for one, as several."""
        self._is_scheduled = False
        if not self._letters or not self._carrier.is_ready:
            return
        letters, self._letters = self._letters, []
        try:
            entries = [to_entry(message, receiver) for message, receiver in letters]
        except FormicaryError:
            letters, entries = self._sort_out(letters)
        if entries:
            self._send(letters, entries)

    def _sort_out(self, letters: list[Letter]) -> tuple[list[Letter], list[Entry]]:
        """Keep the messages that can go, and give the others up."""
        good: list[Letter] = []
        entries: list[Entry] = []
        for message, receiver in letters:
            try:
                entries.append(to_entry(message, receiver))
            except FormicaryError as error:
                self._carrier.undeliverable(message, receiver, str(error))
            else:
                good.append((message, receiver))
        return good, entries

    def _send(self, letters: list[Letter], entries: list[Entry]) -> None:
        data = encode(entries)
        if len(data) <= self._frame_limit:
            self._carrier.send_frame(self._domain, data, letters)
        elif len(letters) == 1:
            message, receiver = letters[0]
            self._carrier.undeliverable(message, receiver, too_large(len(data), self._frame_limit))
        else:
            half = len(letters) // 2
            self._send(letters[:half], entries[:half])
            self._send(letters[half:], entries[half:])

    def _measure(self, message: Message, receiver: str) -> None:
        needed = size(message)
        if needed > self._frame_limit:
            error = MessageTooLargeError(too_large(needed, self._frame_limit))
            self._carrier.reject(message, receiver, error)

    def withdraw(self) -> list[Letter]:
        """Take out what waits."""
        letters, self._letters = self._letters, []
        return letters

    def __str__(self) -> str:
        return f"the link to {self._domain}"


def too_large(needed: int, limit: int) -> str:
    """Return the sentence about a message of `needed` bytes where `limit` bytes may pass."""
    return (
        f"the message takes {needed} bytes on the way, "
        f"more than the {limit} that the XMPP server lets through at once"
    )
