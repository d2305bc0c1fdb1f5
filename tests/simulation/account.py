"""The fate of each message, and broken guarantees."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from tests.simulation.loop import Process
    from tests.simulation.residents import Resident
    from tests.simulation.wanderers import Wandering

_UNSURE = "may have"  # a sender is told so where nobody knows whether the message was received
# A `failure` waits so long for a full mailbox, also while the whole process stands still: then it
# is not delivered to who had sent the message. A known weakness of the platform.
_STANDSTILL = 25.0


@dataclass(slots=True)
class Letter:
    """A message to one receiver.

    Attributes:
        sender: who has sent it.
        receiver: the receiver's full name.
        number: its place among the sender's messages.
        at: when it was sent.
        is_of_group: whether it went to a group, so that whoever plays there no more need not get it.
        is_sent: whether `send` has returned, or raised.
        failed: the failure that the sender got, if any.
        received: how often it arrived.
        process: where one that moves was when it has sent it.
    """

    sender: Resident | Wandering
    receiver: str
    number: int
    at: float
    is_of_group: bool = False
    is_sent: bool = False
    failed: str | None = None
    received: int = 0
    process: Process | None = None


class Account:
    """All messages, and the guarantees that some broke.

    Attributes:
        broken: sentences about them.
    """

    def __init__(self) -> None:
        self.broken: list[str] = []
        self.letters: dict[tuple[str, str], Letter] = {}
        self._latest: dict[tuple[Resident | Wandering, str, bool], int] = {}
        self.counts: Counter[str] = Counter()

    def send(self, letter: Letter, body: str) -> None:
        """Record a message that is about to be sent."""
        self.letters[body, letter.receiver] = letter

    def receive(self, body: str, sender: str, receiver: str, *, moves: bool = False) -> None:
        """Record that a message was received; agents that move may get late what its sender knows of."""
        letter = self.letters.get((body, receiver))
        if letter is None or letter.sender.address != sender:
            self.broken.append(f"{receiver} got {body} of {sender}, which nobody has sent")
            return
        letter.received += 1
        if letter.received > 1:
            self.broken.append(f"{receiver} got {body} of {sender} {letter.received} times")
        key = letter.sender, receiver, letter.is_of_group
        if letter.number < self._latest.get(key, -1) and not (moves and _has_failed_perhaps(letter)):
            self.broken.append(f"{receiver} got {body} of {sender} after number {self._latest[key]}")
        self._latest[key] = max(letter.number, self._latest.get(key, -1))

    def fail(self, body: str, receiver: str, reason: str) -> None:
        """Record that a sender was told of a failure."""
        letter = self.letters.get((body, receiver))
        if letter is not None:
            letter.failed = reason

    def failures(self) -> list[str]:
        """Return the failed messages, with reasons."""
        return [
            f"{body} to {letter.receiver}, sent at {letter.at:.3f} ({letter.failed})"
            for (body, _), letter in self.letters.items()
            if letter.failed is not None
        ]

    def settle(self, in_doubt: Collection[str] = ()) -> None:
        """Find messages that were neither received nor failed, and those that wrongly were both.

        Args:
            in_doubt: full names of agents in transit of which nobody can say where they go on: what is for
                them waits, and so does what tells them that something of theirs has failed.
        """
        self.counts["sent"] = len(self.letters)
        for (body, _), letter in self.letters.items():
            self.counts["received"] += bool(letter.received)
            self.counts["failed"] += letter.failed is not None
            name = f"{body} to {letter.receiver}"
            if letter.received and letter.failed is not None:
                self.counts["both"] += 1
                if _UNSURE not in letter.failed:
                    self.broken.append(f"{name} has arrived, and its sender was told: {letter.failed}")
            elif not letter.received and letter.failed is None and letter.sender.is_there:
                if not letter.is_sent:
                    self.broken.append(f"{name} is still being sent")
                elif letter.receiver in in_doubt or letter.sender.address in in_doubt:
                    self.counts["waits"] += 1
                elif letter.is_of_group:
                    self.counts["left out"] += 1  # whoever has just left
                elif _has_died_with_two(letter):
                    self.counts["lost with where it was sent"] += 1
                elif letter.sender.process.stood_still >= _STANDSTILL:
                    self.counts["lost as it stood still"] += 1
                else:
                    self.broken.append(f"{name}, sent at {letter.at:.3f}, has neither arrived nor failed")


def _has_died_with_two(letter: Letter) -> bool:
    """Tell whether the container where one that moves has sent a message was killed, and the receiver's."""
    home = letter.receiver.partition("@")[2]
    places = (place for place in letter.sender.world.places if place.domain == home)
    was_sent_there = letter.process is not None and letter.process.was_killed
    return was_sent_there and any(place.killed for place in places)


def _has_failed_perhaps(letter: Letter) -> bool:
    """Tell whether the sender was told that a message has failed, and that it may have been received."""
    return letter.failed is not None and _UNSURE in letter.failed
