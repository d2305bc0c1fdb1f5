"""Messages that nobody can wait for with, and whose receivers' mailboxes are full: they wait here, in order.

They are failures that the container tells its own agents, and what comes from elsewhere. When many wait for a
receiver, the container that they come from is told to send it nothing more: its senders wait as they would
for a mailbox of their own container, and everybody else's messages go on.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.container.dispatcher import Dispatcher
    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message

logger = logging.getLogger("formicary")

_LIMIT = 10_000  # messages that may wait here before nothing more is to come in
_PAUSED = 100  # messages that may wait for one receiver before it is to be sent nothing more
_RELEASED = 20  # messages still waiting for it when it may be sent some again: they bridge the way


class Origin(Protocol):
    """Where messages come from that can be told to wait: a link."""

    def pause_sender(self, receiver: str, *, is_paused: bool) -> None:
        """Tell the other end to send the receiver nothing more, or to go on."""


@dataclass(slots=True)
class _Waiting:
    message: Message
    places: list[MessageSink]  # where it waits for room; empty until it is its turn
    since: float  # by the loop's clock


class _Line(deque[_Waiting]):
    """What waits for one receiver, and who has been told so."""

    def __init__(self) -> None:
        super().__init__()
        self.paused: list[Origin] = []
        self.moved_at = 0.0  # when one of them was delivered, by the loop's clock

    def release(self, receiver: str) -> None:
        """Let everybody send the receiver messages again."""
        paused, self.paused = self.paused, []
        for origin in paused:
            origin.pause_sender(receiver, is_paused=False)


def _ignore(is_full: bool) -> None:  # noqa: FBT001 -- a callback
    del is_full


class Overflow:
    """What waits for full mailboxes of one container.

    Args:
        container: the container.
    """

    def __init__(self, container: Dispatcher) -> None:
        self._container = container
        self.pause: Callable[[bool], None] = _ignore
        """Called with True when so much waits that nothing more is to come in; with False at half of it."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._count = 0
        self.lines: dict[str, _Line] = {}
        """What waits, by receiver: as long as anything does, all that comes for the receiver has to."""
        self.is_full = False
        """Whether nothing more is to come in."""

    def add(
        self,
        message: Message,
        receiver: str,
        origin: Origin | None = None,
        full: Sequence[MessageSink] = (),
        patience: int = _PAUSED,
    ) -> None:
        """Take a message; it fails if its receiver makes no room for it or one before it for `send_timeout`.

        Args:
            message: the message.
            receiver: the full name of the receiver.
            origin: who can be told to wait.
            full: the mailboxes that had no room; none where it has not been delivered to any.
            patience: how many messages wait for the receiver when `origin` is told.
        """
        loop = asyncio.get_running_loop()
        line = self.lines.get(receiver)
        if line is None:
            line = self.lines[receiver] = _Line()
            task = loop.create_task(self._hand_over(receiver, line), name=f"messages waiting for {receiver}")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        line.append(_Waiting(message, list(full), loop.time()))
        if len(line) >= patience and origin is not None and origin not in line.paused:
            line.paused.append(origin)
            origin.pause_sender(receiver, is_paused=True)
        self._count += 1
        if self._count >= _LIMIT and not self.is_full:
            self.is_full = True
            self.pause(True)

    def forget(self, origin: Origin) -> None:
        """Learn that what the other end of a link was told is forgotten: it is another one now."""
        for line in self.lines.values():
            if origin in line.paused:
                line.paused.remove(origin)

    async def close(self) -> None:
        """Make dead letters of what still waits, and tell the senders."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        try:
            if tasks:
                await asyncio.wait(tasks)
        finally:
            reason = f"container {self._container.name} stopped before the mailbox had room"
            for receiver, line in self.lines.items():
                for waiting in line:
                    self._container.add_dead_letter(waiting.message, reason, receiver)
            self.lines.clear()

    async def _hand_over(self, receiver: str, line: _Line) -> None:
        while line:
            try:
                await self._deliver(line, receiver)
            except Exception:
                logger.exception("a message for %s could not be delivered; please report it", receiver)
            line.popleft()
            self._count -= 1
            if line.paused and len(line) <= _RELEASED:
                line.release(receiver)
            if self.is_full and self._count <= _LIMIT // 2:
                self.is_full = False
                self.pause(False)
        del self.lines[receiver]

    async def _deliver(self, line: _Line, receiver: str) -> None:
        waiting = line[0]
        places = waiting.places
        if not places:
            places += self._container.deliver(waiting.message, receiver) or ()
        if places:
            seconds = self._container.send_timeout
            try:
                async with asyncio.timeout_at(max(waiting.since, line.moved_at) + seconds):
                    await self._container.wait_for_room(waiting.message, places)
            except TimeoutError:
                names = ", ".join(map(str, places))
                reason = f"{names} had no room for {seconds:g} s"
                self._container.add_dead_letter(waiting.message, reason, receiver)
                return
        line.moved_at = asyncio.get_running_loop().time()
