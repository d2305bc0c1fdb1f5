"""Messages that an agent sends from synchronous code: without room, they wait in order by receiver."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from formicary.core.errors import ContainerClosedError, FormicaryError
from formicary.core.logs import get_logger
from formicary.core.message import stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message
    from formicary.core.micro import MicroAgent

logger = get_logger("formicary.directory")

_LIMIT = 10_000  # waiting messages; further ones are dead letters

Line = deque[tuple["Message", "Sequence[MessageSink]"]]
"""Messages for one receiver, with the sinks known to have no room for them."""


class Outgoing:
    """The messages that an agent sends.

    Args:
        agent: the agent.
        lost: called with each message that became a dead letter, and why; not if a `failure` comes.
    """

    def __init__(self, agent: MicroAgent, lost: Callable[[Message, FormicaryError], None]) -> None:
        self._agent = agent
        self._lost = lost
        self._lines: dict[str, Line] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._count = 0

    def send(self, message: Message) -> None:
        """Send a message to one receiver, now or when there is room."""
        if message.sender != self._agent.address:
            message = stamp(message, self._agent.address)
        receiver: str = message.to  # type: ignore[assignment]  # one receiver, so it is a name
        if self._lines and receiver in self._lines:
            self._wait(receiver, message, ())
            return
        error: FormicaryError | None
        try:
            message, full, error = self._agent.container.dispatcher.dispatch(message)
        except FormicaryError as raised:
            full, error = (), raised
        if error is not None:
            self._fail(message, error)
        elif full:
            self._wait(receiver, message, full)

    def _wait(self, receiver: str, message: Message, full: Sequence[MessageSink]) -> None:
        if self._count >= _LIMIT:
            self._agent.container.dispatcher.add_dead_letter(
                message, f"{_LIMIT} messages from {self._agent.name} are already waiting", receiver
            )
            return
        self._count += 1
        line = self._lines.get(receiver)
        if line is None:
            line = self._lines[receiver] = deque()
            work = self._empty(receiver, line)
            task = asyncio.get_running_loop().create_task(work, name=f"messages for {receiver}")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        line.append((message, full))

    async def _empty(self, receiver: str, line: Line) -> None:
        container = self._agent.container
        while line:
            message, full = line.popleft()
            try:
                if full:
                    await container.dispatcher.overflow.wait_to_deliver(message, full)
                else:
                    await container.dispatcher.send(message)
            except FormicaryError as error:
                self._fail(message, error)
            except Exception:
                logger.exception("a message to %s could not be sent; please report this", receiver)
            self._count -= 1
        del self._lines[receiver]

    def _fail(self, message: Message, error: FormicaryError) -> None:
        if isinstance(error, ContainerClosedError):  # for all others there is a dead letter already
            self._agent.container.dispatcher.add_dead_letter(message, str(error), tell_sender=False)
        self._lost(message, error)

    async def close(self) -> None:
        """Make dead letters of the messages that still wait."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()  # the container makes a dead letter of its message
        if tasks:
            await asyncio.wait(tasks)
        reason = f"agent {self._agent.name} ended before there was room"
        for receiver, line in self._lines.items():
            for message, _ in line:
                self._agent.container.dispatcher.add_dead_letter(message, reason, receiver, tell_sender=False)
        self._lines.clear()
        self._count = 0
