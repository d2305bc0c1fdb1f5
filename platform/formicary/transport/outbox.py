"""What waits to go to one other container, as frames: at the end of the turn of the loop, or sooner."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, Protocol

from formicary.errors import InvalidMessageError, MessageTooLargeError
from formicary.transport.frames import encode, size, to_entry

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.errors import FormicaryError
    from formicary.mailbox import Place
    from formicary.message import Message
    from formicary.transport.frames import Entry

Letter = tuple["Message", str]
"""A message, and the full name of the one receiver that it goes to here."""

# A frame of so many messages does not wait for the end of the turn: the server and the other container work
# on it while the agents here go on: up to twice the rate. With fewer, the frames' own cost would tell.
_FULL = 32
_LIMIT = 10_000  # messages that may wait for a connection
_WEIGHED = 1024  # characters of a body; more of such than fit in a frame do not wait for the end of the turn


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

    def trouble(self) -> str:
        """Return why there is no room to write, as part of a sentence."""

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
        "_weight",
    )

    address = None

    def __init__(self, carrier: Carrier, domain: str, frame_limit: int) -> None:
        self._carrier = carrier
        self._domain = domain
        self._frame_limit = frame_limit
        self._large = min(_WEIGHED, frame_limit // 16)  # characters of a body from which on it is weighed
        self._letters: list[Letter] = []
        self._weight = 0  # characters of the large bodies among them
        self._is_scheduled = False

    def accept(self, message: Message) -> Sequence[Place] | None:
        """Take a message with one receiver, who is there; return this place if there is no room now.

        Raises:
            MessageTooLargeError: it is too large for a frame.
        """
        return self.accept_for(message, message.to)  # type: ignore[arg-type]  # one receiver, so it is a name

    def accept_for(self, message: Message, receiver: str) -> Sequence[Place] | None:
        """Take a message for one of its receivers, as `accept`."""
        if not self._carrier.is_ready:
            return (self,)
        letters = self._letters
        if len(message.body) > self._large:
            self._weigh(message, receiver)
            letters = self._letters
        letters.append((message, receiver))
        if len(letters) >= _FULL:
            self._send_all()
        elif not self._is_scheduled:
            self._is_scheduled = True
            self._carrier.at_turn_end(self.flush)
        return None

    def keep(self, message: Message, receiver: str) -> bool:
        """Take a message even if there is no connection now; return False if too many wait already."""
        if len(self._letters) >= _LIMIT:
            return False
        self._letters.append((message, receiver))
        if not self._is_scheduled:
            self._is_scheduled = True
            self._carrier.at_turn_end(self.flush)
        return True

    def put(self, message: Message) -> bool:
        """Take a message with one receiver; return False if there is no room now."""
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
        if self._letters and self._carrier.is_ready:
            self._send_all()

    def _send_all(self) -> None:
        letters, self._letters = self._letters, []
        self._weight = 0
        try:
            entries = [to_entry(message, receiver) for message, receiver in letters]
            data = encode(entries)
        except (ValueError, TypeError):  # one of them is no message, or is text that is no Unicode
            letters, entries = self._sort_out(letters)
            data = encode(entries)
        if entries:
            self._send(letters, entries, data)

    def _sort_out(self, letters: list[Letter]) -> tuple[list[Letter], list[Entry]]:
        """Keep the messages that can go, and give the others up."""
        good: list[Letter] = []
        entries: list[Entry] = []
        for message, receiver in letters:
            try:
                entry = to_entry(message, receiver)
                encode([entry])
            except (ValueError, TypeError) as error:
                self._carrier.undeliverable(message, receiver, _unfit(error))
            else:
                entries.append(entry)
                good.append((message, receiver))
        return good, entries

    def _send(self, letters: list[Letter], entries: list[Entry], data: bytes) -> None:
        if len(data) <= self._frame_limit:
            self._carrier.send_frame(self._domain, data, letters)
        elif len(letters) == 1:
            message, receiver = letters[0]
            self._carrier.undeliverable(message, receiver, too_large(len(data), self._frame_limit))
        else:
            half = len(letters) // 2
            self._send(letters[:half], entries[:half], encode(entries[:half]))
            self._send(letters[half:], entries[half:], encode(entries[half:]))

    def _weigh(self, message: Message, receiver: str) -> None:
        """Refuse a message that is too large, and send what waits where it gets too much with it."""
        weight = len(message.body)
        if weight > self._frame_limit // 16:  # a character takes at most a few bytes on the way
            self._measure(message, receiver)
        if self._weight + weight > self._frame_limit // 2:  # so that base64 of it is still one frame
            self.flush()
        self._weight += weight

    def _measure(self, message: Message, receiver: str) -> None:
        try:
            needed = size(message)
        except (ValueError, TypeError) as error:
            self._carrier.reject(message, receiver, InvalidMessageError(_unfit(error)))
        if needed > self._frame_limit:
            reason = too_large(needed, self._frame_limit)
            self._carrier.reject(message, receiver, MessageTooLargeError(reason))

    def withdraw(self) -> list[Letter]:
        """Take out what waits."""
        letters, self._letters = self._letters, []
        self._weight = 0
        return letters

    def __str__(self) -> str:
        return f"the link to {self._domain}, {self._carrier.trouble()},"


def _unfit(error: Exception) -> str:
    return f"the message cannot be sent as it is: {error}"


def too_large(needed: int, limit: int) -> str:
    """Return the sentence about a message of `needed` bytes where `limit` bytes may pass."""
    return (
        f"the message takes {needed} bytes on the way, "
        f"more than the {limit} that the XMPP server lets through at once"
    )
