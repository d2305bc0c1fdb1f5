"""What plugs into a container: transports, accounts, addresses to meet at, services."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from formicary.container.container import Container
    from formicary.container.link_status import LinkStatus
    from formicary.container.options import ConnectionOptions
    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message


class Entrance(Protocol):
    """What takes an agent's messages for some time, before it moves or when it has arrived."""

    @property
    def messages(self) -> Collection[Message]:
        """What waits here."""

    def accept(self, message: Message) -> Sequence[MessageSink] | None:
        """Take a message; return the sinks that are full."""

    def end(self) -> Sequence[Message]:
        """Take no more; return what waits."""


class Outlet(Protocol):
    """What carries messages to elsewhere: a transport, or an agent's own account."""

    def post(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Take a message for `receiver`, a full name of another domain.

        Returns:
            The sinks that have no room now, if any.

        Raises:
            FormicaryError: the message cannot go there; it is among the dead letters.
        """

    def refuse(self, message: Message, receiver: str, failure: Message) -> None:
        """Tell the sender in another domain that its message was not delivered; never waits."""


class Transport(Outlet, Protocol):
    """What carries messages to other containers, and theirs to this one."""

    async def open(self, container: Container) -> None:
        """Connect for `container`.

        Raises:
            LinkError: with the cause and what to do about it.
        """

    def status(self) -> tuple[LinkStatus, ...]:
        """Return what is known about each link to another container."""

    def connect(self, domain: str) -> None:
        """Look for another container: `peers` of this one is told when it is there."""

    def send_control(self, domain: str, channel: str, payload: bytes) -> bool:
        """Send a control message to the `peers` of another container, in order or not at all.

        Returns:
            Whether it was taken: not where no link is open, or where too much waits to go there already.
        """

    def before_sending(self, callback: Callable[[], None] | None) -> None:
        """Call back once, before anything goes out next; None for no longer."""

    async def close(self) -> None:
        """Disconnect, after what was taken has gone out."""


class Peers(Protocol):
    """Who is told which other containers are there, and gets their control messages."""

    def opened(self, domain: str) -> None:
        """Called when a link to another container has begun: what was told it before may be lost."""

    def ended(self, domain: str) -> None:
        """Called when the link to another container has ended."""

    def on_control(self, domain: str, channel: str, payload: bytes) -> None:
        """Called with a control message of another container.

        Raises:
            ValueError: it is nothing that is said on this channel.
        """


@runtime_checkable
class Connectable(Protocol):
    """Something other than an address that connects containers: it makes their transports itself."""

    def transport(self, options: ConnectionOptions) -> Transport:
        """Return a new transport for one container, which reaches others and is reached by these options."""
