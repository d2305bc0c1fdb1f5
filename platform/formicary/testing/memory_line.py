"""Lines between containers on a `MemoryNetwork`."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from formicary.core.logs import get_logger
from formicary.core.message import Message
from formicary.core.names import complete, shorten_for
from formicary.transport.remote_sink import PausedReceivers, RemoteSink

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.container.container import Container
    from formicary.core.mailbox import MessageSink
    from formicary.delivery.dispatcher import Dispatcher
    from formicary.delivery.overflow import Source
    from formicary.testing.network import MemoryNetwork, MemoryTransport

logger = get_logger("formicary.transport")

encode = msgspec.msgpack.Encoder().encode
decode = msgspec.msgpack.Decoder(Message).decode

_LIMIT = 1000  # messages in transit between two containers before senders wait


class _Letter(msgspec.Struct):
    due: float  # by the loop's clock
    receiver: str
    data: bytes


class _Order(msgspec.Struct):
    due: float
    obey: Callable[[], None]  # called on arrival


class SendingEnd:
    """The end of a line at which messages leave a container.

    Args:
        source: the container.
        to: the domain of the receiving container.
    """

    def __init__(self, source: Container, to: str) -> None:
        self._source = source
        self._to = to
        self.paused = PausedReceivers(source.dispatcher)
        self.count = 0
        """The number of messages sent."""

    def post(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Send a message if there is room; otherwise return the sink where it waits."""
        waits_in = self.paused.get(receiver) or self.full(receiver)
        if waits_in is not None:
            return (waits_in,)
        self.put(message, receiver)
        return None

    def put(self, message: Message, receiver: str) -> None:
        """Send a message."""
        if message.reply_to is not None:
            full = complete(message.reply_to, self._source.domain, self._source.platform)
            message = message.replace(reply_to=full)
        self.count += 1
        self.carry(receiver, encode(message))

    def full(self, receiver: str) -> MessageSink | None:
        """Return where a message waits if the line is full; for subclasses with a limit."""
        del receiver
        return None

    def carry(self, receiver: str, data: bytes) -> None:
        """Send an encoded message; for subclasses."""
        raise NotImplementedError

    def send_control(self, channel: str, payload: bytes) -> None:
        """Send a control message; for subclasses."""
        raise NotImplementedError

    @property
    def is_empty(self) -> bool:
        """Whether nothing is in transit, as far as is known; for subclasses."""
        raise NotImplementedError

    async def drained(self) -> None:
        """Wait until all messages have arrived, at most as long as the source's agents would."""
        raise NotImplementedError


class MemoryLine(SendingEnd):
    """A first-in, first-out line from one container to another.

    Args:
        network: the network.
        source: the sending container.
        target: the receiving container's transport.
        back: returns the line back; None if one of the two has left.
    """

    def __init__(
        self,
        network: MemoryNetwork,
        source: Container,
        target: MemoryTransport,
        back: Callable[[], MemoryLine | None],
    ) -> None:
        super().__init__(source, target.container.domain)
        self._network = network
        self._target = target
        self._back = back
        self._under_way: deque[_Letter | _Order] = deque()
        self._filled = asyncio.Event()
        self._moved = asyncio.Event()
        self.is_closed = False
        name = f"line {source.domain} to {target.container.domain}"
        self._task = asyncio.create_task(self._carry(), name=name)

    # -- the sending end ------------------------------------------------------------------------------------

    def full(self, receiver: str) -> MessageSink | None:
        """Return where a message waits while the line is full or the network is cut."""
        if not self._network.whole.is_set() or len(self._under_way) >= _LIMIT:
            return RemoteSink(self, receiver)
        return None

    def carry(self, receiver: str, data: bytes) -> None:
        """Send an encoded message."""
        self._add(_Letter(self._network.due(), receiver, data))

    def send_control(self, channel: str, payload: bytes) -> None:
        """Send a control message."""
        self.tell(partial(self._control, channel, payload))

    def tell(self, obey: Callable[[], None]) -> None:
        """Send a call to the other container, made on arrival."""
        self._add(_Order(self._network.due(), obey))

    def _add(self, entry: _Letter | _Order) -> None:
        self._under_way.append(entry)
        self._filled.set()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is in transit."""
        return not self._under_way

    def way_to(self, receiver: str) -> str:
        """Return the line's name, for messages."""
        return f"the line to {receiver}"

    async def room(self, receiver: str) -> None:
        """Wait until there is room to a receiver, or the other container has left."""
        if (paused := self.paused.get(receiver)) is not None:
            await paused.room()
        await self._network.whole.wait()
        while len(self._under_way) >= _LIMIT and not self.is_closed:
            self._moved.clear()
            await self._moved.wait()

    async def drained(self) -> None:
        """Wait until all messages have arrived, at most as long as the source's agents would."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._source.dispatcher.overflow.send_timeout):
                while any(isinstance(entry, _Letter) for entry in self._under_way) and not self.is_closed:
                    self._moved.clear()
                    await self._moved.wait()

    async def close(self, reason: str, *, is_told: bool = True) -> None:
        """Make dead letters of messages in transit; tell senders if `is_told`."""
        self.is_closed = True
        self._task.cancel()
        await asyncio.wait([self._task])
        self._target.container.dispatcher.overflow.forget(self)
        for entry in self._under_way:
            if isinstance(entry, _Letter):
                message = decode(entry.data)
                self._source.dispatcher.add_dead_letter(message, reason, entry.receiver, tell_sender=is_told)
        self._under_way.clear()
        self.paused.release()
        self._moved.set()

    # -- the receiving end ----------------------------------------------------------------------------------

    @property
    def domain(self) -> str:
        """The sending container's domain; for the receiver."""
        return self._source.domain

    def pause_sender(self, receiver: str, *, is_paused: bool) -> None:
        """Tell the sending container to pause or resume sending to a receiver."""
        if (back := self._back()) is not None:
            back.tell(partial(self._pause, receiver, is_paused))

    def _pause(self, receiver: str, is_paused: bool) -> None:  # noqa: FBT001 -- as of `PausedReceivers.order`
        if not self.is_closed:
            self.paused.order(receiver, is_paused)

    def _control(self, channel: str, payload: bytes) -> None:
        if (peers := self._target.container.peers) is not None:
            peers.on_control(self.domain, channel, payload)

    async def _carry(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            while not self._under_way:
                self._filled.clear()
                await self._filled.wait()
            entry = self._under_way[0]
            if entry.due > loop.time():
                await asyncio.sleep(entry.due - loop.time())
            await self._network.whole.wait()
            await self._target.takes.wait()
            try:
                self._hand_over(entry)
            except ValueError as error:
                name = self._target.container.dispatcher.name
                logger.warning("container %s dropped a message from %s: %s", name, self.domain, error)
            self._under_way.popleft()
            self._moved.set()

    def _hand_over(self, entry: _Letter | _Order) -> None:
        if isinstance(entry, _Order):
            entry.obey()
            return
        hand_over(self._target.container.dispatcher, decode(entry.data), entry.receiver, self)


def hand_over(dispatcher: Dispatcher, message: Message, receiver: str, source: Source) -> None:
    """Deliver a message from another container, as `Arrivals` of a link does."""
    overflow = dispatcher.overflow
    if (
        domain_of(receiver) != dispatcher.domain
        and shorten_for(receiver, dispatcher.domain) not in dispatcher.visitors
    ):
        dispatcher.take_stray(message, receiver, source)
    elif receiver in overflow.arrivals:
        overflow.arrivals[receiver].take(message, receiver, source)
    elif full := dispatcher.deliver(message, receiver):
        overflow.add(message, receiver, source, full)


def domain_of(receiver: str) -> str:
    """Return the domain in a full name."""
    return receiver.partition("/")[0].partition("@")[2]
