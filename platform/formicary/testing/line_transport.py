"""A container's transport made of lines, one to each other container."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Generic, TypeVar

from formicary.core.errors import InvalidMessageError
from formicary.testing.memory_line import SendingEnd, domain_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.container.container import Container
    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message
    from formicary.delivery.link_status import LinkStatus


L = TypeVar("L", bound=SendingEnd)


class LineTransport(Generic[L]):
    """One container's connection to a fully connected network."""

    def __init__(self) -> None:
        self._container: Container | None = None
        self._before: Callable[[], None] | None = None
        self.lines: dict[str, L] = {}  # by the other container's domain

    def line(self, domain: str) -> L | None:
        """Return the line to another container; None if it is absent."""
        raise NotImplementedError

    @property
    def container(self) -> Container:
        """Its container, once it is open."""
        assert self._container is not None
        return self._container

    def met(self, domain: str) -> None:
        """Called when another container has joined."""
        peers = self.container.peers
        if peers is not None:
            asyncio.get_running_loop().call_soon(peers.opened, domain)

    def connect(self, domain: str) -> None:
        """Report an absent container; all others are connected."""
        peers = self.container.peers
        if peers is not None and self.line(domain) is None:
            asyncio.get_running_loop().call_soon(peers.ended, domain)

    def send_control(self, domain: str, channel: str, payload: bytes, *, behind: bool = False) -> bool:
        """Send a control message to another container, behind the messages in transit."""
        del behind
        line = self.line(domain)
        if line is None:
            return False
        line.send_control(channel, payload)
        return True

    def takes_control(self, domain: str) -> bool:
        """Return whether control messages for another container would be accepted now."""
        return self.line(domain) is not None

    def may_be_under_way(self, domain: str, receiver: str) -> bool:  # noqa: ARG002 -- Transport has it
        """Return whether anything was ever sent to another container."""
        line = self.lines.get(domain)
        return line is not None and line.count > 0

    def is_quiet(self, domain: str) -> bool:
        """Return whether everything sent to another container has arrived."""
        line = self.lines.get(domain)
        return line is None or line.is_empty

    async def arrive(self, domain: str) -> None:
        """Wait until everything sent to another container has arrived."""
        if (line := self.lines.get(domain)) is not None:
            await line.drained()

    def counts(self) -> dict[str, int]:
        """Return how many messages for each other container were accepted so far."""
        return {domain: line.count for domain, line in self.lines.items()}

    def before_sending(self, callback: Callable[[], None] | None) -> None:
        """Call back once before the next sending; None to cancel."""
        self._before = callback

    def post(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Accept a message for `receiver`; return the sink where it waits if the line is full or cut.

        Raises:
            InvalidMessageError: the message has a value that cannot leave the process.
        """
        return self.post_to(domain_of(receiver), message, receiver)

    def post_to(self, domain: str, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Accept a message for an agent away from its home container; as `post`."""
        line = self._line_for(domain, message, receiver)
        return None if line is None else line.post(message, receiver)

    pass_on = post_to

    def _line_for(self, domain: str, message: Message, receiver: str) -> L | None:
        if (before := self._before) is not None:
            self._before = None
            before()
        try:
            message.check()
        except InvalidMessageError as error:
            self.container.dispatcher.add_dead_letter(message, str(error), receiver, tell_sender=False)
            raise
        line = self.line(domain)
        if line is None:
            self.container.dispatcher.add_dead_letter(
                message, f"no container for {receiver} is on the memory network", receiver
            )
        return line

    def carry_on(self, domain: str, message: Message, receiver: str) -> None:
        """Accept a message that an agent had not received before it moved to another container."""
        line = self.line(domain)
        if line is None:
            reason = f"container {domain} has left the memory network"
            self.container.dispatcher.add_dead_letter(message, reason, receiver)
        else:
            line.put(message, receiver)

    def withdraw(self, domain: str, receiver: str) -> Sequence[Message]:  # noqa: ARG002 -- Transport has it
        """Return nothing: all accepted messages are in transit."""
        return ()

    def refuse(self, message: Message, receiver: str, failure: Message) -> None:  # noqa: ARG002 -- Transport has it
        """Tell the sender in another container that its message was not delivered; never waits."""
        assert message.sender is not None
        domain = self.container.dispatcher.domain_of(message.sender) or domain_of(message.sender)
        if domain == self.container.domain:
            return  # the sender has ended
        line = self.line(domain)
        if line is None:
            reason = f"no container for {message.sender} is on the memory network"
            self.container.dispatcher.add_dead_letter(failure, reason, message.sender, tell_sender=False)
        else:
            line.put(failure, message.sender)

    def status(self) -> tuple[LinkStatus, ...]:
        """Return nothing: these are no links."""
        return ()
