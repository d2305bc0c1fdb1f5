"""Containers of one process joined without a server: a transport through memory."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from formicary.core.errors import InvalidMessageError, LinkError, NameTakenError
from formicary.testing.memory_line import MemoryLine, domain_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.container.container import Container
    from formicary.container.link_status import LinkStatus
    from formicary.container.options import ConnectionOptions
    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message


class MemoryNetwork:
    """What containers of one process and one event loop meet at: `Container("c1", server=network)`.

    Messages are encoded and decoded on the way, so tests see what crosses a process's border. From one
    container to another they arrive in the order in which they were sent. As with real links, a receiver with
    a full mailbox holds up only those who send to it.

    Args:
        delay: how many seconds each message is on its way, by the loop's clock; or a function that is asked
            for it with each message, so that those of different containers overtake each other.
    """

    def __init__(self, *, delay: float | Callable[[], float] = 0.0) -> None:
        self.delay = delay
        self.members: dict[str, MemoryTransport] = {}  # by domain
        self.whole = asyncio.Event()  # set while the connection is there
        self.whole.set()

    def transport(self, options: ConnectionOptions | None = None) -> MemoryTransport:
        """Return a new transport for one container."""
        del options  # there is one way only
        return MemoryTransport(self)

    def cut(self) -> None:
        """Lose the connection: until `heal`, what is on its way stays there, and who sends waits for room."""
        self.whole.clear()

    def heal(self) -> None:
        """Have the connection again."""
        self.whole.set()

    async def crash(self, container: Container) -> None:
        """End a container as if its process was killed: what is on its way from it or to it is lost.

        The others are told at once that it is gone, as of a container that the system has killed.

        Args:
            container: one that is on this network; its agents end here, and nobody hears of them any more.
        """
        transport = self.members.get(container.domain)
        if transport is not None:
            await transport.vanish(is_told=False)
        await container.close()

    def due(self) -> float:
        """Return when a message arrives that is sent now, by the loop's clock."""
        delay = self.delay() if callable(self.delay) else self.delay
        return asyncio.get_running_loop().time() + delay


class MemoryTransport:
    """One container's connection to a `MemoryNetwork`.

    Args:
        network: the network.
    """

    def __init__(self, network: MemoryNetwork) -> None:
        self._network = network
        self._container: Container | None = None
        self._before: Callable[[], None] | None = None
        self._lines: dict[str, MemoryLine] = {}  # by the other container's domain
        self._is_closed = False
        self.takes = asyncio.Event()
        """Set unless so much waits in the container that nothing more is to come in."""
        self.takes.set()

    @property
    def container(self) -> Container:
        """The container that it belongs to, once it is open."""
        assert self._container is not None
        return self._container

    async def open(self, container: Container) -> None:
        """Connect for `container`.

        Raises:
            NameTakenError: a container of this name is on the network.
            LinkError: the network is cut.
        """
        if not self._network.whole.is_set():
            raise LinkError("the memory network is cut; heal() it first")
        if container.domain in self._network.members:
            raise NameTakenError(
                f"a container {container.domain} is on the memory network already; take another name"
            )
        self._container = container
        container.dispatcher.overflow.pause = self._freeze
        others = tuple(self._network.members.values())
        self._network.members[container.domain] = self
        for other in others:
            self.met(other)
            other.met(self)

    def _freeze(self, is_frozen: bool) -> None:  # noqa: FBT001 -- a callback
        if is_frozen:
            self.takes.clear()
        else:
            self.takes.set()

    def met(self, other: MemoryTransport) -> None:
        """Called when another container has come."""
        peers = self.container.peers
        if peers is not None:
            asyncio.get_running_loop().call_soon(peers.opened, other.container.domain)

    def connect(self, domain: str) -> None:
        """Do nothing: all are connected."""

    def send_control(self, domain: str, channel: str, payload: bytes, *, behind: bool = False) -> bool:
        """Send a control message to another container, behind the messages that are on their way there."""
        del behind
        line = self._line(domain)
        if line is None:
            return False
        line.tell(partial(line.control, channel, payload))
        return True

    def takes_control(self, domain: str) -> bool:
        """Return whether control messages for another container would be taken now."""
        return self._line(domain) is not None

    def may_be_under_way(self, domain: str, receiver: str) -> bool:  # noqa: ARG002 -- Transport has it
        """Return whether anything was ever sent to another container."""
        line = self._lines.get(domain)
        return line is not None and line.count > 0

    def is_quiet(self, domain: str) -> bool:
        """Return whether all that was sent to another container has arrived."""
        line = self._lines.get(domain)
        return line is None or line.is_empty

    async def arrive(self, domain: str) -> None:
        """Wait until all that was sent to another container has arrived."""
        if (line := self._lines.get(domain)) is not None:
            await line.drained()

    def counts(self) -> dict[str, int]:
        """Return how many messages for each other container were taken up to now."""
        return {domain: line.count for domain, line in self._lines.items()}

    def before_sending(self, callback: Callable[[], None] | None) -> None:
        """Call back once, before anything goes out next; None for no longer."""
        self._before = callback

    def post(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Take a message for `receiver`; return the sink where it waits if much is on its way or it is cut.

        Raises:
            InvalidMessageError: the message has a value that cannot cross a process's border.
        """
        return self.post_to(domain_of(receiver), message, receiver)

    def post_to(self, domain: str, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Take a message for an agent that is in another container than its name says; as `post`."""
        if (before := self._before) is not None:
            self._before = None
            before()
        try:
            message.check()
        except InvalidMessageError as error:
            self.container.dispatcher.add_dead_letter(message, str(error), receiver, tell_sender=False)
            raise
        line = self._line(domain)
        if line is None:
            self.container.dispatcher.add_dead_letter(
                message, f"no container for {receiver} is on the memory network", receiver
            )
            return None
        return line.post(message, receiver)

    pass_on = post_to  # nothing is lost here that has to be told of

    def carry_on(self, domain: str, message: Message, receiver: str) -> None:
        """Take a message that an agent has not received before it went to another container."""
        line = self._line(domain)
        if line is None:
            reason = f"container {domain} has left the memory network"
            self.container.dispatcher.add_dead_letter(message, reason, receiver)
        else:
            line.put(message, receiver)

    def withdraw(self, domain: str, receiver: str) -> Sequence[Message]:  # noqa: ARG002 -- Transport has it
        """Return nothing: all that was taken is under way."""
        return ()

    def refuse(self, message: Message, receiver: str, failure: Message) -> None:  # noqa: ARG002 -- Transport has it
        """Tell the sender in another container that its message was not delivered; never waits."""
        assert message.sender is not None
        domain = self.container.dispatcher.domain_of(message.sender) or domain_of(message.sender)
        if domain == self.container.domain:
            return  # it has ended here
        line = self._line(domain)
        if line is None:
            reason = f"no container for {message.sender} is on the memory network"
            self.container.dispatcher.add_dead_letter(failure, reason, message.sender, tell_sender=False)
        else:
            line.put(failure, message.sender)

    def status(self) -> tuple[LinkStatus, ...]:
        """Return nothing: these are no links."""
        return ()

    async def close(self) -> None:
        """Disconnect, after what was taken has arrived; what cannot arrive any more is dead letters."""
        if self._container is None:
            return
        try:
            for line in tuple(self._lines.values()):
                await line.drained()
        finally:
            await self.vanish()

    async def vanish(self, *, is_told: bool = True) -> None:
        """Be gone at once, with all that is on its way from here and to here.

        Args:
            is_told: whether agents of this container are told what was lost.
        """
        if self._is_closed:
            return
        domain = self.container.domain
        self._is_closed = True
        del self._network.members[domain]
        lines, self._lines = tuple(self._lines.values()), {}
        for line in lines:
            await line.close(f"container {domain} has left the memory network", is_told=is_told)
        for member in tuple(self._network.members.values()):
            await member.leaves(domain)

    async def leaves(self, domain: str) -> None:
        """Called when another container has left."""
        line = self._lines.pop(domain, None)
        if line is not None:
            await line.close(f"container {domain} has left the memory network")
        if self.container.peers is not None:
            self.container.peers.ended(domain)

    def _line(self, domain: str) -> MemoryLine | None:
        line = self._lines.get(domain)
        target = None if self._is_closed else self._network.members.get(domain)
        if line is None and target is not None:
            back = partial(target._line, self.container.domain)  # noqa: SLF001 -- of its own class
            line = self._lines[domain] = MemoryLine(self._network, self.container, target, back)
        return line
