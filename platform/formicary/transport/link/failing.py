"""Turns a link's messages that fail into dead letters, of which their senders are told."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter, deque
from itertools import chain, islice
from typing import TYPE_CHECKING, Final, NoReturn

from formicary.delivery.dead_letters import is_failure
from formicary.transport.link.instructions import DeliveryOutcome, Failed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from formicary.core.errors import FormicaryError
    from formicary.core.message import Message
    from formicary.transport.link.link import Link
    from formicary.transport.link.outbox import Letter

_SLICE: Final = 100  # messages in one turn of the loop: a few milliseconds
_MOST: Final = 10_000  # recorded failures between two receipts


class Failing:
    """Fails many messages, some in each turn of the loop, so that nothing else is delayed."""

    def __init__(self, undeliverable: Callable[[Message, str, str], None]) -> None:
        self._undeliverable = undeliverable
        self._left: deque[tuple[Iterator[Letter], str]] = deque()  # some are decoded only in their turn
        self._is_scheduled = False

    @property
    def is_empty(self) -> bool:
        """Whether all senders have been told."""
        return not self._left

    def add(self, letters: Iterable[Letter], reason: str) -> None:
        """Fail messages in order, the first at once unless others are waiting."""
        self._left.append((iter(letters), reason))
        if not self._is_scheduled:
            self._proceed()

    def finish(self) -> None:
        """Fail all that is left, now."""
        self._fail(sys.maxsize)

    def _proceed(self) -> None:
        try:
            self._fail(_SLICE)
        finally:
            self._is_scheduled = bool(self._left)
            if self._is_scheduled:
                asyncio.get_running_loop().call_soon(self._proceed)

    def _fail(self, count: int) -> None:
        left = self._left
        while left:
            letters, reason = left[0]
            for message, receiver in islice(letters, count):
                count -= 1
                self._undeliverable(message, receiver, reason)
            if count <= 0:
                return
            left.popleft()


class ToldFailures:
    """The failures that the other end has reported since the latest receipt; these must not fail again.

    A failure arrives before the receipt for its message. If the link ends in between, the message counts as
    not taken, and its sender would be told a second reason. Only messages with a `reply_with` can be matched.
    """

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Forget all failures: a receipt has arrived, or a session begins."""
        self._told: Counter[tuple[object, ...]] = Counter()

    def note(self, message: Message) -> None:
        """Record an incoming message, if it reports a failure."""
        if message.in_reply_to is not None and is_failure(message) and len(self._told) < _MOST:
            failed = (message.metadata or {}).get("receiver")
            self._told[message.to, failed, message.in_reply_to] += 1

    def without(self, letters: Iterable[Letter]) -> Iterable[Letter]:
        """Return the letters whose failure has not been reported yet."""
        return _without(letters, self._told) if self._told else letters


def _without(letters: Iterable[Letter], told: Counter[tuple[object, ...]]) -> Iterator[Letter]:
    for message, receiver in letters:
        key = message.sender, receiver, message.reply_with
        if told[key] > 0:
            told[key] -= 1
        else:
            yield message, receiver


class Failures:
    """Fails the messages of one link.

    Attributes:
        count: how many have failed.
        told: the failures that the other end has reported.
        obstacle: why there is no direct connection, if messages have no other path; empty if unknown.
    """

    def __init__(self, link: Link) -> None:
        self._link = link
        self._dispatcher = link.owner.container.dispatcher
        self._failing = Failing(self.undeliverable)
        self.count = 0
        self.told = ToldFailures()
        self.obstacle = ""

    @property
    def is_busy(self) -> bool:
        """Whether some senders have not been told yet."""
        return not self._failing.is_empty

    def reject(self, message: Message, receiver: str, error: FormicaryError) -> NoReturn:
        """Turn a message that cannot be sent into a dead letter, and raise `error` for its sender."""
        self._link.custody.drop(message)
        self._dispatcher.add_dead_letter(message, str(error), receiver, tell_sender=False)
        raise error

    def undeliverable(self, message: Message, receiver: str, reason: str) -> None:
        """Turn a message that was accepted and cannot be sent into a dead letter."""
        self.count += 1
        self._link.custody.drop(message)
        told = is_failure(message) and self._link.owner.refusals.tell_by_another_way(
            self._link.domain, message, receiver
        )
        if not told:
            self._dispatcher.add_dead_letter(message, reason, receiver)

    def add(self, letters: Iterable[Letter], reason: str, outcome: DeliveryOutcome) -> None:
        """Fail messages because of what has happened to the other end."""
        name = self._link.domain.partition(".")[0]
        why = f"container {name} cannot be reached: {reason}; {outcome.value}"
        if self.obstacle:
            why += f"; there is no direct connection to {name}: {self.obstacle}"
        self._failing.add(self.told.without(letters), why)

    def refuse(self, message: Message, receiver: str, reason: str) -> None:
        """Refuse an incoming message, and report it over the link, whoever its sender claims to be."""
        failure = self._dispatcher.failure_of(message, receiver, reason)
        self._dispatcher.add_dead_letter(message, reason, receiver, tell_sender=False)
        if failure is not None and message.sender is not None:
            self._link.outbox.keep(failure, message.sender)

    def finish(self) -> None:
        """Turn all that is left into dead letters, as the container has stopped."""
        link = self._link
        self._failing.finish()
        link.session.abandon("this container has stopped")
        self._bury(link.outbox.withdraw(), DeliveryOutcome.UNDELIVERED)
        for instruction in link.session.take_instructions():
            if isinstance(instruction, Failed) and instruction.outcome is not DeliveryOutcome.DELIVERED:
                self._bury(chain.from_iterable(instruction.items), instruction.outcome)

    def _bury(self, letters: Iterable[Letter], outcome: DeliveryOutcome) -> None:
        before = "the message could go"
        if outcome is DeliveryOutcome.UNKNOWN:
            before = "the other end confirmed the message, which may have arrived"
        reason = f"container {self._link.owner.container.name} stopped before {before}"
        for message, receiver in letters:
            self._dispatcher.add_dead_letter(message, reason, receiver, tell_sender=False)
