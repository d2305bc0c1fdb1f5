"""Messages to another container, which go in batches: at the end of the loop's turn, or sooner."""

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
    from formicary.transport.link.session import Session

    _Goal = tuple[tuple[int, int], int] | None  # the session, and how many frames it must acknowledge

Letter = tuple["Message", str]
"""A message, and the full name of one of its receivers."""

# The server and the other container work on such a batch while the agents here continue: up to twice the
# rate. With fewer messages, the cost of each frame would show.
BATCH_SIZE = 32
"""How many messages make a batch that does not wait for the end of the turn, by default."""

_QUEUE = 10_000  # messages that are accepted while nothing can go out
_QUEUE_BYTES = 1 << 22  # characters of large bodies among them
_TURN = 64  # full batches in a turn of the loop, which must then read, for example an order to pause
_KEPT = 2 * _QUEUE  # waiting messages at which even failures are refused
_KEPT_BYTES = 1 << 24  # characters of the texts in these
_WEIGHED = 1024  # characters of a large body, which counts


class Outbox:
    """The messages from one container (`own`) to another (`domain`), in batches of `batch_size`."""

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
        """The names of receivers in batches."""
        self.senders = WireNames(own)
        """The names of senders in batches."""
        self._letters: list[Letter] = []
        self._until = self._batch_size  # how many letters to send, or to stop at
        self._weight = 0  # characters of the large bodies among them
        self._batches = 0  # full ones in this turn
        self._is_scheduled = False
        self._room = asyncio.Event()
        self._room.set()
        self.has_room = True
        """Whether messages are accepted; they may have to wait here."""
        self.has_failures = False
        """Whether failures wait here, which were kept though there was no room."""

    def accept(self, message: Message) -> Sequence[MessageSink] | None:
        """Accept a message with one receiver; return the sinks without room, if any.

        MessageTooLargeError if it is too large.
        """
        receiver: str = message.to  # type: ignore[assignment]  # one receiver, so it is a name
        if not self.has_room:  # as `accept_for`, without its call
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
        """Send what waits, if there is room."""
        if not self._letters:
            return
        if self._link.has_room:
            self.send_all()
        else:
            self._until = _QUEUE
            self._link.connect()

    def push(self) -> None:
        """Send what waits, even if the link has to keep it until there is room."""
        if self._letters:
            self.send_all()

    def open(self) -> None:
        """Send what waits and resume senders, as the link has room again or is closed."""
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
        """Send what waits, as one batch or, if that is too large, as several."""
        letters, self._letters = self._letters, []
        self._weight = 0
        self.has_failures = False
        try:
            entries = to_entries(letters, self.receivers, self.senders)
            data = encode(entries)
        except (ValueError, TypeError):  # one of them has a wrong type, or a text that is not Unicode
            letters, entries = self._sort_out(letters)
            data = encode(entries)
        if entries:
            if len(data) <= self._link.batch_limit:
                self._link.send_batch(data, letters)
            else:
                self._divide(letters, entries, data)

    def _sort_out(self, letters: list[Letter]) -> tuple[list[Letter], list[Entry]]:
        """Return the messages that can be sent, and fail the others."""
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
        """Send messages in several batches, as one would be too large."""
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
        """Refuse a message that is too large; send what waits if it would be too much with this."""
        link = self._link
        weight = len(message.body)
        if weight > link.message_limit // 16:  # a character takes at most a few bytes
            self._measure(message, receiver)
        if self._weight + weight > link.batch_limit:
            self.flush()
            if self._weight + weight > _QUEUE_BYTES:
                self._until = 1  # this one is still accepted, and is the last
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
        """Remove and return what waits for one receiver."""
        messages = [message for message, to in self._letters if to == receiver]
        if messages:
            self._letters = [letter for letter in self._letters if letter[1] != receiver]
        return messages

    def withdraw(self) -> list[Letter]:
        """Remove and return what waits."""
        letters, self._letters = self._letters, []
        self._weight = 0
        self.has_failures = False
        return letters


def _unfit(error: Exception) -> str:
    return f"the message cannot be sent as it is: {error}"


def too_large(needed: int, limit: int) -> str:
    """Return the sentence about a message of `needed` bytes, above `limit`."""
    return f"the message takes {needed} bytes on the wire, and the limit is {limit}; send it in pieces"


class Draining:
    """Waits for what one link has sent; the arguments are the link's."""

    def __init__(self, session: Session, outbox: Outbox) -> None:
        self._session = session
        self._outbox = outbox
        self._waits: dict[asyncio.Event, _Goal] = {}

    async def wait(self) -> None:
        """Wait until the other end has acknowledged everything sent until now, or was given up."""
        if self._outbox.is_empty and not self._session.unacknowledged:
            return
        self._outbox.flush()
        done = asyncio.Event()
        self._waits[done] = self._goal()
        try:
            await done.wait()
        finally:
            del self._waits[done]

    def check(self) -> None:
        """End the waits that are over; call this now and then."""
        session = self._session
        for done, goal in self._waits.items():
            if not session.unacknowledged and self._outbox.is_empty:
                done.set()
            elif goal is None or goal[0] != session.incarnations:
                self._waits[done] = self._goal()
            elif session.sending.acknowledged >= goal[1]:
                done.set()

    def _goal(self) -> _Goal:
        """Return what to wait for: everything until now, as others may cause more to be sent without end."""
        session = self._session
        if not session.is_open:
            return None
        self._outbox.push()
        return session.incarnations, session.sending.acknowledged + session.unacknowledged
