"""A record of every message, in a file that survives its worker.

A worker records in its own ledger what its agents sent, received, and were told. The file is mapped into
memory, so it is correct up to the moment when a worker is killed, and the next one of the same name continues
in it.
"""

from __future__ import annotations

import mmap
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

SENT = 1  # send() has returned
RAISED = 2  # send() has raised: its caller knows
FAILED = 4  # a `failure` has come
_TOLD = RAISED | FAILED
_MOST = 255


class Ledger:
    """One worker's: a byte for each message that its agents send, and for each that they receive.

    Args:
        path: the file; created if missing.
        agents: how many agents there are, on either side.
        limit: how many messages each of them may send.
    """

    def __init__(self, path: Path, agents: int, limit: int) -> None:
        self.agents = agents
        self.limit = limit
        numbers = 4 * agents * 2  # two numbers of four bytes for each agent
        with path.open("a+b") as file:
            file.truncate(numbers + 2 * agents * limit)
            self._map = mmap.mmap(file.fileno(), 0)
        whole = memoryview(self._map)
        counts = whole[:numbers].cast("I")
        self._views = [whole, counts]
        self.next = counts[:agents]
        """The number of the next message of each agent: so many were begun."""
        self.latest = counts[agents:]
        """The highest number that each agent has received, plus 1."""
        self.outgoing = whole[numbers : numbers + agents * limit]
        """What is known of each message that was sent, as the flags above."""
        self.incoming = whole[numbers + agents * limit :]
        """How often each message was received; `_MOST` where that was out of order."""

    def note_outgoing(self, agent: int, number: int, flag: int) -> None:
        """Note something about a message that an agent has sent."""
        self.outgoing[agent * self.limit + number] |= flag

    def note_incoming(self, agent: int, number: int) -> None:
        """Note that an agent has received a message."""
        place = agent * self.limit + number
        seen = self.incoming[place]
        if seen == 0 and number < self.latest[agent]:
            self.incoming[place] = _MOST  # a later one was there before it
            return
        self.incoming[place] = min(seen + 1, _MOST - 1) if seen != _MOST else _MOST
        self.latest[agent] = max(self.latest[agent], number + 1)

    def close(self) -> None:
        """Close the file."""
        for view in (self.next, self.latest, self.outgoing, self.incoming, *reversed(self._views)):
            view.release()
        self._map.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class Account:
    """The account of the messages of one direction, or of both.

    Args:
        sent: messages that were sent, or whose sending was refused.
        received: how many of them arrived, each counted once.
        failed: how many `send()` raised for, or a `failure` came for.
        both: how many arrived though their sender was told that they did not.
        lost: how many neither arrived nor were told of.
        waiting: how many are still being sent.
        twice: how many arrived more than once.
        disorder: how many arrived after a later one.
        made_up: how many arrived that nobody sent.
    """

    sent: int = 0
    received: int = 0
    failed: int = 0
    both: int = 0
    lost: int = 0
    waiting: int = 0
    twice: int = 0
    disorder: int = 0
    made_up: int = 0

    def __add__(self, other: Account) -> Account:
        return Account(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))

    def without_lost(self) -> Account:
        """Ignore lost messages, whose sender is gone, too."""
        return replace(self, sent=self.sent - self.lost, lost=0, waiting=0)

    @property
    def is_settled(self) -> bool:
        """Whether every message has arrived or is known not to."""
        return not self.lost and not self.waiting


def settle(
    sender: Ledger, receiver: Ledger, start: Sequence[int] | None = None, end: Sequence[int] | None = None
) -> Account:
    """Compare what one side sent with what the other received.

    Args:
        sender: the one side's.
        receiver: the other side's.
        start: the first message of each agent to look at; None for their very first ones.
        end: the first message of each agent not to look at any more; None for all that there are.
    """
    seen: Counter[tuple[int, int]] = Counter()
    made_up = 0
    for agent in range(sender.agents):
        base = agent * sender.limit
        begun = sender.next[agent]
        first = base + (start[agent] if start else 0)
        last = base + (end[agent] if end else begun)
        seen.update(zip(sender.outgoing[first:last], receiver.incoming[first:last], strict=True))
        unsent = receiver.incoming[base + begun : base + sender.limit].tobytes()
        made_up += len(unsent) - unsent.count(0)

    def count(of: Callable[[int, int], object]) -> int:
        return sum(number for pair, number in seen.items() if of(*pair))

    return Account(
        sent=count(lambda flags, got: flags or got),
        received=count(lambda _, got: got),
        failed=count(lambda flags, _: flags & _TOLD),
        both=count(lambda flags, got: flags & _TOLD and got),
        lost=count(lambda flags, got: flags == SENT and not got),
        waiting=count(lambda flags, got: not flags and not got),
        twice=count(lambda _, got: 1 < got < _MOST),
        disorder=count(lambda _, got: got == _MOST),
        made_up=made_up,
    )
