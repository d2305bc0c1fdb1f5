"""Merge the unread messages of an agent that moves into one line, and note who gets each."""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from formicary.core.message import Message

Target = tuple[str, tuple[int, ...]]
"""The sender of a message, and the numbers of the behaviours that it is for."""


class Unread(msgspec.Struct, frozen=True):
    """The messages that an agent has not received where it was, in order.

    Args:
        messages: those of one sender are in the order in which they came, and so are those that one
            behaviour has not received.
        targets: for some of the first messages of each sender, the behaviours that get them, as others have
            received them already. All others go to whoever wants them. Empty in nearly all cases.
    """

    messages: Sequence[Message] = ()
    targets: tuple[Target, ...] = ()


def merge(mailboxes: Sequence[Sequence[Message]], wanting: Callable[[Message], set[int]]) -> Unread:
    """Return the messages in several mailboxes.

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


def with_targets(
    messages: Iterable[Message], targets: Iterable[Target]
) -> Iterator[tuple[Message, tuple[int, ...] | None]]:
    """Iterate over messages, each with the numbers of the behaviours that it is for; None: all that want it.

    Args:
        messages: the first that come for an agent.
        targets: as of `Unread`.
    """
    lines: dict[str, deque[tuple[int, ...]]] = {}
    for sender, numbers in targets:
        lines.setdefault(sender, deque()).append(numbers)
    for message in messages:
        line = lines.get(message.sender or "")
        yield message, line.popleft() if line else None
