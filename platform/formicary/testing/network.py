"""Containers of one process joined without a server: a transport through memory."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from formicary.errors import LinkError, NameTakenError
from formicary.message import Message

if TYPE_CHECKING:
    from formicary.container import Container

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Message).decode

_LIMIT = 1000  # messages on their way from one container to another before senders wait


class MemoryNetwork:
    """What containers of one process and one event loop meet at: `Container("c1", server=network)`.

    Messages are encoded and decoded on the way, so tests see what crosses a process's border. From one
    container to another they arrive in the order in which they were sent. A receiver with a full mailbox
    holds up what comes behind it from the same container, and so the senders there.

    Args:
        delay: how many seconds each message is on its way, by the loop's clock.
        patience: how many seconds a sender waits for a connection that is cut.
    """

    def __init__(self, *, delay: float = 0.0, patience: float = 30.0) -> None:
        self.delay = delay
        self.patience = patience
        self._members: dict[str, MemoryTransport] = {}  # by domain
        self.whole = asyncio.Event()  # set while the connection is there
        self.whole.set()

    def transport(self) -> MemoryTransport:
        """Return a new transport for one container."""
        return MemoryTransport(self)

    def cut(self) -> None:
        """Lose the connection: what is on its way stays there, who sends waits, until `heal`."""
        self.whole.clear()

    def heal(self) -> None:
        """Have the connection again."""
        self.whole.set()

    async def connected(self) -> None:
        """Wait until the connection is whole.

        Raises:
            LinkError: it was not within `patience`.
        """
        try:
            async with asyncio.timeout(self.patience):
                await self.whole.wait()
        except TimeoutError:
            raise LinkError(
                f"the memory network was cut for {self.patience:g} s; heal() it, or give it more patience"
            ) from None


class MemoryTransport:
    """One container's connection to a `MemoryNetwork`.

    Args:
        network: the network.
    """

    def __init__(self, network: MemoryNetwork) -> None:
        self._network = network
        self._container: Container | None = None
        self._lines: dict[str, _Line] = {}  # by the other container's domain

    @property
    def container(self) -> Container:
        """The container that it belongs to, once it is open."""
        assert self._container is not None
        return self._container

    async def open(self, container: Container) -> None:
        """Connect for `container`.

        Raises:
            NameTakenError: a container of this name is on the network.
            LinkError: the network stays cut.
        """
        await self._network.connected()
        if container.domain in self._network._members:
            raise NameTakenError(
                f"a container {container.domain} is on the memory network already; take another name"
            )
        self._container = container
        self._network._members[container.domain] = self

    async def send(self, message: Message, receiver: str) -> None:
        """Take a message for `receiver`; wait while much is on its way there or the network is cut.

        Raises:
            InvalidMessageError: the message has a value that cannot cross a process's border.
            LinkError: the network stays cut, or the other container leaves.
        """
        message.check()
        await self._network.connected()
        line = self._line(receiver)
        if line is None:
            self.container.bury(message, f"no container for {receiver} is on the memory network", receiver)
            return
        await line.room()
        line.put(message, receiver)

    def refuse(self, message: Message, receiver: str, failure: Message) -> None:  # noqa: ARG002 -- Transport has it
        """Tell the sender in another container that its message was not delivered; never waits."""
        assert message.sender is not None
        line = self._line(message.sender)
        if line is None:
            reason = f"no container for {message.sender} is on the memory network"
            self.container.bury(failure, reason, message.sender, tell_sender=False)
        else:
            line.put(failure, message.sender)

    async def close(self) -> None:
        """Disconnect, after what was taken has arrived; what cannot arrive any more is dead letters."""
        if self._container is None:
            return
        domain = self._container.domain
        try:
            for line in tuple(self._lines.values()):
                await line.drained()
        finally:
            del self._network._members[domain]
            for line in self._lines.values():
                await line.close(f"container {domain} has left the memory network")
            for member in tuple(self._network._members.values()):
                await member.leaves(domain)

    async def leaves(self, domain: str) -> None:
        """Learn that another container has left."""
        line = self._lines.pop(domain, None)
        if line is not None:
            await line.close(f"container {domain} has left the memory network")

    def _line(self, receiver: str) -> _Line | None:
        domain = receiver.partition("/")[0].partition("@")[2]
        line = self._lines.get(domain)
        if line is None and (target := self._network._members.get(domain)) is not None:
            line = self._lines[domain] = _Line(self._network, self.container, target.container)
        return line


class _Line:
    """What is on its way from one container to another, first in, first out."""

    def __init__(self, network: MemoryNetwork, source: Container, target: Container) -> None:
        self._network = network
        self._source = source
        self._target = target
        self._under_way: deque[tuple[float, str, bytes]] = deque()  # when it is due, for whom, and what
        self._filled = asyncio.Event()
        self._moved = asyncio.Event()
        self._left = ""  # why it is closed
        self._task = asyncio.create_task(self._carry(), name=f"line {source.domain} to {target.domain}")

    def put(self, message: Message, receiver: str) -> None:
        """Send a message on its way."""
        due = asyncio.get_running_loop().time() + self._network.delay
        self._under_way.append((due, receiver, _encode(message)))
        self._filled.set()

    async def room(self) -> None:
        """Wait until there is room.

        Raises:
            LinkError: the other container has left.
        """
        while len(self._under_way) >= _LIMIT and not self._left:
            self._moved.clear()
            await self._moved.wait()
        if self._left:
            raise LinkError(self._left)

    async def drained(self) -> None:
        """Wait until all has arrived, as long as the network's patience lasts."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._network.patience):
                while self._under_way and not self._left:
                    self._moved.clear()
                    await self._moved.wait()

    async def close(self, reason: str) -> None:
        """Make dead letters of what is still on its way."""
        self._left = reason
        self._task.cancel()
        await asyncio.wait([self._task])
        for _, receiver, data in self._under_way:
            self._source.bury(_decode(data), reason, receiver)
        self._under_way.clear()
        self._moved.set()

    async def _carry(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            while not self._under_way:
                self._filled.clear()
                await self._filled.wait()
            due, receiver, data = self._under_way[0]
            if due > loop.time():
                await asyncio.sleep(due - loop.time())
            await self._network.whole.wait()
            message = _decode(data)
            if full := self._target.deliver(message, receiver):
                await self._target.wait_for_room(message, full)
            self._under_way.popleft()
            self._moved.set()
