"""Failing many messages without holding everything else up: some in each turn of the loop."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from formicary.core.message import Message
    from formicary.transport.link.outbox import Letter

_SLICE: Final = 100  # messages in one turn of the loop: a few milliseconds


class Failing:
    """What is still to be failed to its senders.

    Args:
        undeliverable: called with each message, its receiver, and why it fails.
    """

    def __init__(self, undeliverable: Callable[[Message, str, str], None]) -> None:
        self._undeliverable = undeliverable
        self._left: deque[tuple[Iterator[Letter], str]] = deque()  # made, some of them, when it is their turn
        self._is_scheduled = False

    @property
    def is_empty(self) -> bool:
        """Whether all senders know."""
        return not self._left

    def add(self, letters: Iterable[Letter], reason: str) -> None:
        """Fail messages, in order: the first at once, unless others are before them."""
        self._left.append((iter(letters), reason))
        if not self._is_scheduled:
            self._go_on()

    def finish(self) -> None:
        """Fail all that is left, now."""
        self._fail(sys.maxsize)

    def _go_on(self) -> None:
        try:
            self._fail(_SLICE)
        finally:
            self._is_scheduled = bool(self._left)
            if self._is_scheduled:
                asyncio.get_running_loop().call_soon(self._go_on)

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
