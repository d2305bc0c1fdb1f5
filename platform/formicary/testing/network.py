"""A transport through memory that joins containers of one process without a server."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from formicary.core.errors import LinkError, NameTakenError
from formicary.core.times import check_seconds
from formicary.testing.line_transport import LineTransport
from formicary.testing.memory_line import MemoryLine

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.container.container import Container
    from formicary.container.options import ConnectionOptions


class MemoryNetwork:
    """A network for containers of one process and event loop: `Container("c1", server=network)`.

    Messages are encoded and decoded, so tests see what would leave the process. Between two containers they
    arrive in the order of sending. As with real links, a receiver with a full mailbox blocks only its own
    senders.

    Args:
        delay: the latency of each message in seconds, by the loop's clock; or a function called for each
            message, so that those of different containers overtake each other.

    Raises:
        UsageError: the delay is not a number.
    """

    def __init__(self, *, delay: float | Callable[[], float] = 0.0) -> None:
        self.delay = delay if callable(delay) else check_seconds(delay, "delay=")
        self.members: dict[str, MemoryTransport] = {}  # by domain
        self.whole = asyncio.Event()  # set while the network is connected
        self.whole.set()

    def transport(self, options: ConnectionOptions | None = None) -> MemoryTransport:
        """Return a new transport for one container."""
        del options  # there is only one way
        return MemoryTransport(self)

    def cut(self) -> None:
        """Cut the network: until `heal`, messages stay in transit, and senders wait for room."""
        self.whole.clear()

    def heal(self) -> None:
        """Restore the network after `cut`."""
        self.whole.set()

    async def crash(self, container: Container) -> None:
        """End a container as if its process was killed, losing all messages in transit from or to it.

        The others learn at once that it is gone, as when the system kills a container.

        Args:
            container: one on this network; its agents end silently.
        """
        transport = self.members.get(container.domain)
        if transport is not None:
            await transport.vanish(is_told=False)
        await container.close()

    def due(self) -> float:
        """Return the arrival time of a message sent now, by the loop's clock."""
        delay = self.delay() if callable(self.delay) else self.delay
        return asyncio.get_running_loop().time() + delay


class MemoryTransport(LineTransport[MemoryLine]):
    """One container's connection to a `MemoryNetwork`."""

    def __init__(self, network: MemoryNetwork) -> None:
        super().__init__()
        self._network = network
        self._is_closed = False
        self.takes = asyncio.Event()
        """Cleared while so much waits in the container that it accepts no more."""
        self.takes.set()

    async def open(self, container: Container) -> None:
        """Connect for `container`.

        Raises:
            NameTakenError: the network already has a container of this name.
            LinkError: the network is cut.
        """
        if not self._network.whole.is_set():
            raise LinkError("the memory network is cut; heal() it first")
        if container.domain in self._network.members:
            raise NameTakenError(
                f"a container {container.domain} is already on the memory network; choose another name"
            )
        self._container = container
        container.dispatcher.overflow.pause = self._freeze
        others = tuple(self._network.members.values())
        self._network.members[container.domain] = self
        for other in others:
            self.met(other.container.domain)
            other.met(container.domain)

    def _freeze(self, is_frozen: bool) -> None:  # noqa: FBT001 -- a callback
        if is_frozen:
            self.takes.clear()
        else:
            self.takes.set()

    async def close(self) -> None:
        """Disconnect after accepted messages have arrived; make dead letters of those that cannot."""
        if self._container is None:
            return
        try:
            for line in tuple(self.lines.values()):
                await line.drained()
        finally:
            await self.vanish()

    async def vanish(self, *, is_told: bool = True) -> None:
        """Leave at once, losing all messages in transit from and to here.

        Args:
            is_told: whether to tell agents of this container what was lost.
        """
        if self._is_closed:
            return
        domain = self.container.domain
        self._is_closed = True
        del self._network.members[domain]
        lines, self.lines = tuple(self.lines.values()), {}
        for line in lines:
            await line.close(f"container {domain} has left the memory network", is_told=is_told)
        for member in tuple(self._network.members.values()):
            await member.leaves(domain)

    async def leaves(self, domain: str) -> None:
        """Called when another container has left."""
        line = self.lines.pop(domain, None)
        if line is not None:
            await line.close(f"container {domain} has left the memory network")
        if self.container.peers is not None:
            self.container.peers.ended(domain)

    def line(self, domain: str) -> MemoryLine | None:
        """Return the line to another container; None if it is absent."""
        line = self.lines.get(domain)
        target = None if self._is_closed else self._network.members.get(domain)
        if line is None and target is not None:
            back = partial(target.line, self.container.domain)
            line = self.lines[domain] = MemoryLine(self._network, self.container, target, back)
        return line
