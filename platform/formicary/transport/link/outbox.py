"""What waits to go to one other container, as batches: at the end of the turn of the loop, or sooner."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from msgspec.structs import astuple

from formicary.core.errors import InvalidMessageError, MessageTooLargeError
from formicary.transport.link.frames import encode, size, to_entries, to_entry
from formicary.transport.link.wire_names import WireNames
from formicary.transport.remote_sink import RemoteSink

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message
    from formicary.transport.link.frames import Entry
    from formicary.transport.link.link import Link

Letter = tuple["Message", str]
"""A message, and the full name of the one receiver that it goes to here."""

# A batch of so many messages does not wait for the end of the turn: the server and the other container work
# on it while the agents here go on: up to twice the rate. With fewer, the frames' own cost would tell.
BATCH_SIZE = 32
"""How many messages make a batch that does not wait, unless a link is made with another number."""

_QUEUE = 10_000  # messages that are taken while nothing can go out
_QUEUE_BYTES = 1 << 22  # characters of large bodies among them
_TURN = 64  # full batches in one turn of the loop: then something must be read, such as an order to pause
_KEPT = 2 * _QUEUE  # messages that wait when not even failures are taken any more
_KEPT_BYTES = 1 << 24  # characters of the texts in these
_WEIGHED = 1024  # characters of a body; more of such than fit in a batch do not wait for the end of the turn


class Outbox:
    """The messages for one container, by its domain, from another one (`own`), in batches of `batch_size`."""

    __slots__ = (
        "_at_turn_end",
        "_batch_size",
        "_batches",
        "_is_scheduled",
        "_letters",
        "_link",
        "_room",
        "_until",
        "_weight",
        "has_failures",
        "has_room",
        "receivers",
        "senders",
    )

    def __init__(self, link: Link, domain: str, own: str, batch_size: int = BATCH_SIZE) -> None:
        self._batch_size = batch_size
        self._link = link
        self._at_turn_end = link.at_turn_end
        self.receivers = WireNames(domain)
        """What receivers are called in batches."""
        self.senders = WireNames(own)
        """What senders are called."""
        self._letters: list[Letter] = []
        self._until = self._batch_size  # letters at which something is to be done about them
        self._weight = 0  # characters of the large bodies among them
        self._batches = 0  # full ones in this turn
        self._is_scheduled = False
        self._room = asyncio.Event()
        self._room.set()
        self.has_room = True
        """Whether messages are taken; they may have to wait here."""
        self.has_failures = False
        """Whether something waits here that was kept though there was no room: failures of messages."""

    def accept(self, message: Message) -> Sequence[MessageSink] | None:
        """Accept a message with one receiver; return where it waits if there is no room now.

        MessageTooLargeError if it is too large for the link.
        """
        receiver: str = message.to  # type: ignore[assignment]  # one receiver, so it is a name
        if not self.has_room:  # as in `accept_for`, without its call
            return (RemoteSink(self._link, receiver),)
        if len(message.body) > _WEIGHED:
            self._weigh(message, receiver)
        letters = self._letters
        letters.append((message, receiver))
        if len(letters) >= self._until:
            self._send_or_stop()
        elif not self._is_scheduled:
            self._is_scheduled = True
            self._at_turn_end(self._end_turn)
        return None

    def accept_for(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Accept a message for one of its receivers, as `accept`."""
        if not self.has_room:
            return (RemoteSink(self._link, receiver),)
        if len(message.body) > _WEIGHED:
            self._weigh(message, receiver)
        letters = self._letters
        letters.append((message, receiver))
        if len(letters) >= self._until:
            self._send_or_stop()
        elif not self._is_scheduled:
            self._schedule()
        return None

    def keep(self, message: Message, receiver: str) -> bool:
        """Accept a message even if there is no room; return False if too many wait already."""
        if len(self._letters) >= _KEPT or self._weight > _KEPT_BYTES:
            return False
        self._weight += sum(len(text) for text in astuple(message) if isinstance(text, str | bytes))
        self._letters.append((message, receiver))
        self.has_failures = True
        if not self._is_scheduled:
            self._schedule()
        return True

    def _schedule(self) -> None:
        self._is_scheduled = True
        self._at_turn_end(self._end_turn)

    def _end_turn(self) -> None:
        self._is_scheduled = False
        if self._batches >= _TURN and self._link.has_room:
            self.open()
        elif self._letters:
            self.flush()
        self._batches = 0

    async def room(self) -> None:
        """Wait for room."""
        await self._room.wait()

    @property
    def count(self) -> int:
        """How many messages wait here."""
        return len(self._letters)

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits here."""
        return not self._letters

    def flush(self) -> None:
        """Send what waits, as one batch or, if it is too large for one, as several."""
        if not self._letters:
            return
        if self._link.has_room:
            self.send_all()
        else:
            self._until = _QUEUE
            self._link.connect()

    def push(self) -> None:
        """Send what waits even where the link has to keep it until there is room."""
        if self._letters:
            self.send_all()

    def open(self) -> None:
        """Send what waits, and let who waits for room go on: the link has room again, or is closed."""
        self._until = self._batch_size
        self.has_room = True
        self.flush()
        self._room.set()

    def _send_or_stop(self) -> None:
        if self._link.has_room:
            self._until = self._batch_size
            self.send_all()
            self._batches += 1
            if self._batches >= _TURN:
                self.stop()
            elif not self._is_scheduled:
                self._schedule()
            return
        self._link.connect()
        if len(self._letters) < _QUEUE and self._weight < _QUEUE_BYTES:
            self._until = _QUEUE
        else:
            self.stop()

    def stop(self) -> None:
        """Accept no more messages until `open`."""
        self.has_room = False
        self._room.clear()
        if not self._is_scheduled:
            self._schedule()

    def send_all(self) -> None:
        """Send what waits, as one batch."""
        letters, self._letters = self._letters, []
        self._weight = 0
        self.has_failures = False
        try:
            entries = to_entries(letters, self.receivers, self.senders)
            data = encode(entries)
        except (ValueError, TypeError):  # one of them is no message, or is text that is no Unicode
            letters, entries = self._sort_out(letters)
            data = encode(entries)
        if entries:
            if len(data) <= self._link.batch_limit:
                self._link.send_batch(data, letters)
            else:
                self._divide(letters, entries, data)

    def _sort_out(self, letters: list[Letter]) -> tuple[list[Letter], list[Entry]]:
        """Keep the messages that can go, and give the others up."""
        good: list[Letter] = []
        entries: list[Entry] = []
        for message, receiver in letters:
            try:
                entry = to_entry(message, receiver, self.receivers, self.senders)
                encode([entry])
            except (ValueError, TypeError) as error:
                self._link.failures.undeliverable(message, receiver, _unfit(error))
            else:
                entries.append(entry)
                good.append((message, receiver))
        return good, entries

    def _divide(self, letters: list[Letter], entries: list[Entry], data: bytes) -> None:
        """Send messages as several batches where one would be too large."""
        if len(data) <= self._link.batch_limit:
            self._link.send_batch(data, letters)
        elif len(letters) > 1:
            half = len(letters) // 2
            self._divide(letters[:half], entries[:half], encode(entries[:half]))
            self._divide(letters[half:], entries[half:], encode(entries[half:]))
        elif len(data) <= self._link.message_limit:
            self._link.send_batch(data, letters)  # in parts
        else:
            message, receiver = letters[0]
            reason = too_large(len(data), self._link.message_limit)
            self._link.failures.undeliverable(message, receiver, reason)

    def _weigh(self, message: Message, receiver: str) -> None:
        """Refuse a message that is too large, and send what waits where it gets too much with it."""
        link = self._link
        weight = len(message.body)
        if weight > link.message_limit // 16:  # a character takes at most a few bytes on the way
            self._measure(message, receiver)
        if self._weight + weight > link.batch_limit:
            self.flush()
            if self._weight + weight > _QUEUE_BYTES:
                self._until = 1  # this one is taken yet, and it is the last
        self._weight += weight

    def _measure(self, message: Message, receiver: str) -> None:
        try:
            needed = size(message)
        except (ValueError, TypeError) as error:
            self._link.failures.reject(message, receiver, InvalidMessageError(_unfit(error)))
        if needed > self._link.message_limit:
            reason = too_large(needed, self._link.message_limit)
            self._link.failures.reject(message, receiver, MessageTooLargeError(reason))

    def withdraw_from(self, receiver: str) -> list[Message]:
        """Remove what waits for one receiver."""
        messages = [message for message, to in self._letters if to == receiver]
        if messages:
            self._letters = [letter for letter in self._letters if letter[1] != receiver]
        return messages

    def withdraw(self) -> list[Letter]:
        """Remove what waits."""
        letters, self._letters = self._letters, []
        self._weight = 0
        self.has_failures = False
        return letters


def _unfit(error: Exception) -> str:
    return f"the message cannot be sent as it is: {error}"


def too_large(needed: int, limit: int) -> str:
    """Return the sentence about a message of `needed` bytes where `limit` bytes may pass."""
    return f"the message takes {needed} bytes on the wire, and the limit is {limit}; send it in pieces"
