"""Back-pressure: what happens to messages for full mailboxes.

Senders of this container wait for room. Messages from other containers, and failures that the container
reports to its own agents, wait here. When many wait for one receiver, the container that they come from is
told to pause: its senders wait as they would for a mailbox of their own, and all other messages flow on.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, NoReturn, Protocol

import msgspec

from formicary.core.errors import FormicaryError, MailboxFullError
from formicary.core.logs import get_logger
from formicary.delivery.room import Room

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message
    from formicary.delivery.dispatcher import Dispatcher

logger = get_logger("formicary")

_LIMIT = 10_000  # waiting messages that pause all links
_LIMIT_BYTES = 1 << 28  # of bodies that do the same
_PAUSED = 100  # messages waiting for one receiver that pause its sources
_FROM_OUTSIDE = 1000  # messages waiting for one receiver, when more from sources without pause are refused
_STOOD_STILL = 1.0  # s of delay of a timeout that show that the process was stopped
_RELEASED = 20  # waiting messages at which sources resume: they last until more arrive


class Origin(Protocol):
    """A source of messages that can be paused: a link."""

    def pause_sender(self, receiver: str, *, is_paused: bool) -> None:
        """Tell the other end to pause sending to the receiver, or to resume."""


class Source(Origin, Protocol):
    """A link, as seen by those that accept messages from it."""

    @property
    def domain(self) -> str:
        """The domain of the container at the other end."""


class Taker(Protocol):
    """Accepts messages from other containers for a receiver, instead of its mailbox."""

    def take(self, message: Message, receiver: str, source: Source) -> None:
        """Accept a message."""

    def forget(self, source: Source) -> None:
        """Called when the other end of a link is another process now, and has not been paused."""


class Takers(Protocol):
    """The takers of receivers that have one."""

    def __contains__(self, receiver: object, /) -> bool:
        """Return whether a receiver has a taker."""

    def __getitem__(self, receiver: str, /) -> Taker:
        """Return the taker of a receiver."""


class _Waiting(msgspec.Struct):
    message: Message
    sinks: list[MessageSink]  # where it waits for room; empty before its turn
    since: float  # by the loop's clock
    again: bool = False  # whether its time began anew, as the process had been stopped


class _Line(deque["_Waiting | Callable[[], None]"]):
    """The messages that wait for one receiver, with callbacks between them, and the paused sources."""

    def __init__(self, overflow: Overflow) -> None:
        super().__init__()
        self._overflow = overflow
        self.paused: list[Origin] = []
        self.moved_at = 0.0  # when one was last delivered, by the loop's clock
        self.emptied: asyncio.Event | None = None  # created by the first that waits for its end
        self.task: asyncio.Task[None]  # delivers what waits

    def take(self, message: Message, receiver: str, source: Source) -> None:
        """Add a message from another container."""
        self._overflow.add(message, receiver, source)

    def forget(self, origin: Origin) -> None:
        """Called when the other end of a link is another process now, and has not been paused."""
        if origin in self.paused:
            self.paused.remove(origin)

    def release(self, receiver: str) -> None:
        """Resume all paused sources."""
        paused, self.paused = self.paused, []
        for origin in paused:
            origin.pause_sender(receiver, is_paused=False)


def _ignore(is_full: bool) -> None:  # noqa: FBT001 -- a callback
    del is_full


class Overflow:
    """Messages that wait for room in the mailboxes of one container.

    Args:
        dispatcher: the container's.
        when_full: as of `Container`.
        send_timeout: as of `Container`.
    """

    def __init__(self, dispatcher: Dispatcher, when_full: str, send_timeout: float) -> None:
        self._dispatcher = dispatcher
        self._room = room = Room(dispatcher)
        self.wait_for_room = room.wait
        """Delivers to sinks as soon as they have room; for transports too."""
        self._when_full = when_full
        self.send_timeout = send_timeout
        self.pause: Callable[[bool], None] = _ignore
        """Called with True when so much waits that nothing more is to come in; with False at half of it."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._count = 0
        self._size = 0  # bytes or characters of their bodies
        self._is_closed = False
        self.lines: dict[str, _Line] = {}
        """What waits, by receiver: as long as anything does, all that comes for the receiver has to."""
        self.takers: dict[str, Taker] = {}
        """The lines, and whoever else takes what comes from other containers for a receiver."""
        self.arrivals: Takers = self.takers
        """The same for links; others in the synchronous mode, where what arrives is for the next cycle."""
        self.is_full = False
        """Whether nothing more is to come in."""

    # -- who can wait ---------------------------------------------------------------------------------------

    def refuse(self, message: Message, full: Sequence[MessageSink], reason: str = "is full") -> NoReturn:
        """Turn a message that sinks have no room for into dead letters.

        Raises:
            MailboxFullError: always.
        """
        message = self._dispatcher.names.complete(message)
        for sink in full:
            self._dispatcher.add_dead_letter(message, f"{sink} {reason}", sink.address, tell_sender=False)
        raise MailboxFullError(f"{', '.join(map(str, full))} {reason}")

    async def wait_to_deliver(self, message: Message, full: Sequence[MessageSink]) -> None:
        """Wait until full sinks have accepted a message; errors as of `Behaviour.send`."""
        if self._when_full == "fail":
            self.refuse(message, full)
        message = self._dispatcher.names.complete(message)
        waiting = list(full)
        try:
            try:
                async with asyncio.timeout(self.send_timeout):
                    await self.wait_for_room(message, waiting)
            except TimeoutError:
                self._room.try_again(message, waiting)
        except (FormicaryError, asyncio.CancelledError) as error:
            why = "it was cancelled"
            if isinstance(error, FormicaryError):
                why = str(error)
                del waiting[0]  # which has refused the message: it is a dead letter
            for sink in waiting:
                reason = f"the sender did not wait for {sink} to have room: {why}"
                self._dispatcher.add_dead_letter(message, reason, sink.address, tell_sender=False)
            raise
        if waiting:
            self.refuse(message, waiting, f"had no room for {self.send_timeout:g} s")

    # -- what waits by itself -------------------------------------------------------------------------------

    def deliver(
        self, message: Message, receiver: str, origin: Origin | None = None, patience: int = _PAUSED
    ) -> None:
        """Deliver a message, behind those that wait for its receiver; arguments as of `add`."""
        if receiver in self.lines:
            self.add(message, receiver, origin, patience=patience)
        elif full := self.bring(message, receiver):
            self.add(message, receiver, origin, full, patience)

    def bring(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Deliver a message here, or forward it to where its receiver is; return the full sinks."""
        forwarder = self._dispatcher.forwarders.get(receiver)
        deliver = self._dispatcher.deliver if forwarder is None else forwarder.pass_on
        return deliver(message, receiver)

    def takes_from_outside(self, receiver: str) -> bool:
        """Return whether to accept a message for a receiver from a source that cannot be paused.

        Such messages alone never pause all links.
        """
        line = self.lines.get(receiver)
        return line is None or (len(line) < _FROM_OUTSIDE and self._count < _LIMIT // 2)

    def add(
        self,
        message: Message,
        receiver: str,
        origin: Origin | None = None,
        full: Sequence[MessageSink] = (),
        patience: int = _PAUSED,
    ) -> None:
        """Queue a message; it fails if no message of its receiver's finds room for `send_timeout`.

        Args:
            message: the message.
            receiver: the full name of the receiver.
            origin: what can be paused.
            full: the full mailboxes; none if it has not been delivered to any.
            patience: how many waiting messages pause `origin`.
        """
        if self._is_closed:
            self._dispatcher.add_dead_letter(message, self._reason_to_stop(), receiver)
            return
        loop = asyncio.get_running_loop()
        line = self.lines.get(receiver)
        if line is None:
            line = self.lines[receiver] = _Line(self)
            self.takers.setdefault(receiver, line)
            line.task = loop.create_task(
                self._hand_over(receiver, line), name=f"messages waiting for {receiver}"
            )
            self._tasks.add(line.task)
            line.task.add_done_callback(self._tasks.discard)
        line.append(_Waiting(message, list(full), loop.time()))
        dispatcher = self._dispatcher
        if origin is not None and message.sender in dispatcher.agents and dispatcher.locations is not None:
            dispatcher.locations.go_behind(receiver)  # its sender has moved here meanwhile
        if len(line) >= patience and origin is not None and origin not in line.paused:
            line.paused.append(origin)
            origin.pause_sender(receiver, is_paused=True)
        self._count += 1
        self._size += len(message.body)
        if (self._count >= _LIMIT or self._size >= _LIMIT_BYTES) and not self.is_full:
            self.is_full = True
            self.pause(True)

    def waiting_for(self, receiver: str) -> list[Message]:
        """Return the messages that wait for a receiver."""
        line = self.lines.get(receiver, ())
        return [each.message for each in line if isinstance(each, _Waiting)]

    def divert(self, receiver: str, taker: Taker) -> None:
        """Set a receiver's taker; messages that wait already are not affected."""
        self.takers[receiver] = taker

    def end_diversion(self, receiver: str) -> None:
        """Remove a receiver's taker."""
        if (line := self.lines.get(receiver)) is not None:
            self.takers[receiver] = line
        else:
            self.takers.pop(receiver, None)

    async def wait_until_empty(self, receiver: str) -> None:
        """Wait until no messages wait for a receiver."""
        while (line := self.lines.get(receiver)) is not None:
            if line.emptied is None:
                line.emptied = asyncio.Event()
            await line.emptied.wait()

    def forget(self, source: Source) -> None:
        """Called when the other end of a link is another process now, and has not been paused."""
        for line in self.lines.values():
            line.forget(source)
        for taker in self.takers.values():
            taker.forget(source)

    def call_behind(self, receiver: str, callback: Callable[[], None]) -> None:
        """Call back when all that waits for a receiver now is gone; something must be waiting."""
        self.lines[receiver].append(callback)

    def withdraw(self, receiver: str) -> list[Message]:
        """Remove and return what waits for a receiver, and resume its sources; something must be waiting."""
        line = self.lines.pop(receiver)
        line.task.cancel()
        waiting = [each for each in line if isinstance(each, _Waiting)]
        first = waiting[0] if waiting else None
        if first is not None and first.sinks and self._room.is_partly_delivered(first.message, first.sinks):
            waiting.pop(0)
        messages = [each.message for each in waiting]
        for each in line:
            if isinstance(each, _Waiting):
                self._taken_out(each)
            else:
                each()
        if self.takers.get(receiver) is line:
            del self.takers[receiver]
        line.release(receiver)
        if line.emptied is not None:
            line.emptied.set()
        return messages

    def _taken_out(self, waiting: _Waiting) -> None:
        self._size -= len(waiting.message.body)
        self._count -= 1
        if self.is_full and self._count <= _LIMIT // 2 and self._size <= _LIMIT_BYTES // 2:
            self.is_full = False
            self.pause(False)

    async def close(self) -> None:
        """Turn what still waits into dead letters, and tell the senders."""
        self._is_closed = True
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        try:
            if tasks:
                await asyncio.wait(tasks)
        finally:
            reason = self._reason_to_stop()
            for receiver, line in self.lines.items():
                for each in line:
                    if isinstance(each, _Waiting):
                        self._dispatcher.add_dead_letter(each.message, reason, receiver)
                if self.takers.get(receiver) is line:  # forwarders continue
                    del self.takers[receiver]
            self.lines.clear()

    def _reason_to_stop(self) -> str:
        return f"container {self._dispatcher.name} stopped before the mailbox had room"

    async def _hand_over(self, receiver: str, line: _Line) -> None:
        while line:
            first = line[0]
            try:
                if isinstance(first, _Waiting):
                    await self._deliver(first, line, receiver)
                else:
                    first()
            except Exception:
                logger.exception("a message for %s could not be delivered; please report this", receiver)
            line.popleft()
            if isinstance(first, _Waiting):
                self._taken_out(first)
            if line.paused and len(line) <= _RELEASED:
                line.release(receiver)
        del self.lines[receiver]
        if self.takers.get(receiver) is line:
            del self.takers[receiver]
        if line.emptied is not None:
            line.emptied.set()

    async def _deliver(self, waiting: _Waiting, line: _Line, receiver: str) -> None:
        sinks = waiting.sinks
        if not sinks:
            sinks += self.bring(waiting.message, receiver) or ()
        if sinks:
            seconds = self.send_timeout
            until = max(waiting.since, line.moved_at) + seconds
            try:
                async with asyncio.timeout_at(until):
                    await self.wait_for_room(waiting.message, sinks, is_first=True)
            except TimeoutError:
                now = asyncio.get_running_loop().time()
                if now - until > _STOOD_STILL and not waiting.again:
                    # The process was stopped, and its receivers with it: start their time anew.
                    waiting.again, line.moved_at = True, now
                    await self._deliver(waiting, line, receiver)
                    return
                names = ", ".join(map(str, sinks))
                reason = f"{names} had no room for {seconds:g} s"
                self._dispatcher.add_dead_letter(waiting.message, reason, receiver)
                return
        line.moved_at = asyncio.get_running_loop().time()
