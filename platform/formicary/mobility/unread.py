"""The unread messages of an agent that moves: one line of several mailboxes, and who gets each."""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message

Target = tuple[str, tuple[int, ...]]
"""The sender of a message, and the numbers of the behaviours that it is for."""


class Unread(msgspec.Struct, frozen=True):
    """What an agent has not received where it was, in order.

    Args:
        messages: what is to be sent on. Those of one sender are in the order in which they came, and so are
            those that one behaviour has not received.
        targets: for some of the first messages of each sender, who gets them: for those that other behaviours
            have received before. All others go to whoever wants them. Empty in nearly all cases.
    """

    messages: Sequence[Message] = ()
    targets: tuple[Target, ...] = ()


def merge(mailboxes: Sequence[Sequence[Message]], wanting: Callable[[Message], set[int]]) -> Unread:
    """Return what waits in several mailboxes.

    Args:
        mailboxes: the messages of each, in order; each has all those that it has not received.
        wanting: returns the numbers of the mailboxes that messages like this are put into.
    """
    if len(mailboxes) == 1:
        return Unread(tuple(mailboxes[0]))
    merged = list(_merged(mailboxes))
    targets: list[Target] = []
    partial: dict[str, int] = {}  # how many targets there are up to the last that is needed, by sender
    for message, numbers in merged:
        targets.append((message.sender or "", numbers))
        if set(numbers) != wanting(message):
            partial[message.sender or ""] = len(targets)
    needed = tuple(each for number, each in enumerate(targets) if number < partial.get(each[0], 0))
    return Unread(tuple(message for message, _ in merged), needed)


def _merged(mailboxes: Sequence[Sequence[Message]]) -> Iterator[tuple[Message, tuple[int, ...]]]:
    """Iterate over the messages with the numbers of the mailboxes that each is in.

    A message comes once if it is the first of all the mailboxes that have it. Where those have messages in
    different orders, as happens where one of them was full for a while, it comes once for some of them.
    """
    lines = [deque(messages) for messages in mailboxes]
    left = Counter(id(message) for line in lines for message in line)
    while any(lines):
        heads: dict[int, list[int]] = {}
        for number, line in enumerate(lines):
            if line:
                heads.setdefault(id(line[0]), []).append(number)
        chosen = next((each for each, numbers in heads.items() if len(numbers) == left[each]), None)
        numbers = heads[next(iter(heads)) if chosen is None else chosen]
        message = lines[numbers[0]][0]
        for number in numbers:
            lines[number].popleft()
        left[id(message)] -= len(numbers)
        yield message, tuple(numbers)


class TargetedEntrance:
    """The way in to an agent that has arrived, until all of its unread messages have.

    Args:
        mailboxes: those of its behaviours.
        targets: as of `Unread`.
        deliver: the usual way in.
        over: called when all messages with targets have come.
    """

    messages: Sequence[Message] = ()  # none waits here, as of `HeldMessages`

    def __init__(
        self,
        mailboxes: Sequence[MessageSink],
        targets: Sequence[Target],
        deliver: Callable[[Message], Sequence[MessageSink] | None],
        over: Callable[[], object],
    ) -> None:
        self._mailboxes = mailboxes
        self._targets: dict[str, deque[tuple[int, ...]]] = {}
        for sender, numbers in targets:
            self._targets.setdefault(sender, deque()).append(numbers)
        self._deliver = deliver
        self._over = over

    def accept(self, message: Message) -> Sequence[MessageSink] | None:
        """Take a message; return the mailboxes that are full."""
        line = self._targets.get(message.sender or "")
        if line is None:
            return self._deliver(message)
        numbers = line.popleft()
        if not line:
            del self._targets[message.sender or ""]
            if not self._targets:
                self._over()
        mailboxes = [self._mailboxes[number] for number in numbers]
        return [mailbox for mailbox in mailboxes if mailbox.is_done() or not mailbox.put(message)]

    def end(self) -> Sequence[Message]:
        """Return nothing, as of `HeldMessages`."""
        return ()
