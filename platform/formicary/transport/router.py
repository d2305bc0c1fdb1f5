"""The transport of a container: its links, and the paths that they have."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from formicary.core import randomness
from formicary.core.errors import ContainerClosedError, FormicaryError, LinkError
from formicary.core.logs import get_logger
from formicary.core.names import check_container
from formicary.transport.addresses import JoinAddress
from formicary.transport.link.header import SessionParameters
from formicary.transport.link.link import Link
from formicary.transport.link.outbox import BATCH_SIZE
from formicary.transport.link.session import Session
from formicary.transport.link_table import LinkTable
from formicary.transport.refusals import Refusals

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from formicary.container.container import Container
    from formicary.container.options import ConnectionOptions
    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message
    from formicary.delivery.link_status import LinkStatus
    from formicary.server.account import XmppServer
    from formicary.transport.direct.connections import Connections
    from formicary.transport.link.paths import IndirectPath
    from formicary.transport.xmpp.connection import XmppConnection

logger = get_logger("formicary.transport")

_FRAME_LIMIT = 1 << 18  # bytes of a frame: with larger ones, nothing gets faster, and others wait longer
_LOGGED = 10  # dropped frames and stanzas that are logged one by one
_DRAIN = 5.0  # s that other containers get to acknowledge what was sent when this one stops
_CLOSE_TIMEOUT = 2.0  # s that they get to learn that it does


class Router:
    """Carries one container's messages to others, and theirs to it.

    Args:
        address: the XMPP server at which containers meet, or the container that all others join; None where
            the others join this one.
        options: how the container wants to reach others, and to be reached.
        session: makes a link's state machine.
        batch_size: how many messages to another container make a batch that does not wait for more.

    Attributes:
        dropped: how many frames and stanzas were dropped, as their senders may not send them.
        before_batch: called before a batch goes out.
    """

    def __init__(
        self,
        address: XmppServer | JoinAddress | None,
        options: ConnectionOptions,
        *,
        session: Callable[[Callable[[], int], SessionParameters], Session] = Session,
        batch_size: int = BATCH_SIZE,
    ) -> None:
        self._join = address if isinstance(address, JoinAddress) else None
        self._server = None if isinstance(address, JoinAddress) else address
        self._options = options
        self._make_session = session
        self._batch_size = batch_size
        self._xmpp: XmppConnection | None = None
        self._connections: Connections | None = None
        self.links = LinkTable(self._forget)
        self._refusals = Refusals(self)
        self.container: Container
        self.dropped = 0
        self.is_closed = False
        self.before_batch: Callable[[], None] | None = None

    # -- opening --------------------------------------------------------------------------------------------

    async def open(self, container: Container) -> None:
        """Connect for `container`; LinkError, with the cause and what to do about it, if that fails."""
        if self._server is None and self._options.route == "xmpp":
            raise LinkError(
                f"container {container.name} has no server, which route='xmpp' needs; omit the route"
            )
        self.container = container
        container.dispatcher.overflow.pause = self._freeze
        try:
            if self._options.route != "xmpp":
                from formicary.transport.direct.connections import Connections

                self._connections = Connections(self, self._options, relays=self._server is None)
                await self._connections.endpoint.open()
            if self._server is not None:
                from formicary.transport.xmpp.connection import XmppConnection

                self._xmpp = XmppConnection(self._server, self)
                await self._xmpp.open()
            if self._join is not None and self._connections is not None:
                await self._connections.join(self._join)
            if self._connections is not None:
                self._connections.endpoint.keep()
        except BaseException:
            self.is_closed = True
            self.links.close()
            await self._disconnect()
            raise

    @property
    def join_address(self) -> JoinAddress | None:
        """What others need to join this container: a secret; None where they may not."""
        if self._connections is None or self._server is not None:
            return None
        return self._connections.endpoint.join_address

    # -- links ----------------------------------------------------------------------------------------------

    def link_to(self, domain: str) -> Link:
        """Return the link to another container; FormicaryError if there cannot be one."""
        link = self.links.get(domain)
        if link is None:
            check_container(domain.partition(".")[0])
            if not self.links.make_room():
                name, count = self.container.name, len(self.links)
                raise LinkError(f"container {name} has links to {count} others, which is the limit")
            session = self._make_session(lambda: randomness.bits(32), self._parameters(domain))
            link = Link(
                domain,
                self,
                session,
                direct_only=self._options.route == "direct",
                make_indirect=self._indirect_path,
                batch_size=self._batch_size,
            )
            self.links.add(link)
        return link

    def _forget(self, links: Sequence[Link]) -> None:
        """End links that nobody uses."""
        outboxes = {link.outbox for link in links}
        self.container.dispatcher.remove_routes(
            lambda deliver: getattr(deliver, "__self__", None) in outboxes
        )
        for link in links:
            link.abandon()
            if self._connections is not None:
                self._connections.endpoint.forget(link.domain)

    def _parameters(self, domain: str) -> SessionParameters:
        limit = _FRAME_LIMIT if self._xmpp is None else min(_FRAME_LIMIT, self._xmpp.frame_limit)
        offer = None if self._connections is None else self._connections.endpoint.offer(domain)
        return SessionParameters(frame_limit=limit, offer=offer, receipts=True)

    def _indirect_path(self, link: Link) -> IndirectPath:
        if self._xmpp is not None:
            return self._xmpp.path_to(link.domain)
        assert self._connections is not None
        return self._connections.path_to(link)

    def is_member(self, domain: str) -> bool:
        """Return whether a container is a member of the platform, for all that is known."""
        return self.container.peers is not None and self.container.peers.is_member(domain)

    def on_found(self, link: Link, parameters: SessionParameters) -> None:
        """Dial the other end of a link, which is there, if that can be reached directly."""
        if self._connections is not None:
            self._connections.on_found(link, parameters)

    def on_lost(self, link: Link) -> None:
        """Note that the session of a link has ended."""
        self.links.sweep_later()
        self._refusals.return_paths.lose(link.domain)
        if self._connections is not None:
            self._connections.on_lost(link)
        if self.container.peers is not None:
            self.container.peers.ended(link.domain)

    def on_opened(self, link: Link) -> None:
        """Notify the container's peers that a session of a link has begun."""
        if self.container.peers is not None:
            self.container.peers.opened(link.domain)

    def on_control(self, link: Link, channel: str, payload: bytes) -> None:
        """Process a control message of another container; ValueError if it is malformed."""
        if (peers := self.container.peers) is not None:
            peers.on_control(link.domain, channel, payload)

    def connect(self, domain: str) -> None:
        """Look for another container; `peers` is called when it is there."""
        if not self.is_closed:
            self.link_to(domain).connect()

    def send_control(self, domain: str, channel: str, payload: bytes, *, behind: bool = False) -> bool:
        """Send a control message to another container; return False where it cannot go now."""
        link = self.links.get(domain)
        return (
            link is not None
            and not self.is_closed
            and link.orders.send_control(channel, payload, behind=behind)
        )

    def takes_control(self, domain: str) -> bool:
        """Return whether control messages for another container would be taken now, many of them."""
        link = self.links.get(domain)
        return link is not None and not self.is_closed and link.orders.takes_control

    def may_be_under_way(self, domain: str, receiver: str) -> bool:
        """Return whether messages for an agent may be under way to another container, as far as is known."""
        link = self.links.get(domain)
        return link is not None and link.may_have_sent(receiver)

    def is_quiet(self, domain: str) -> bool:
        """Return whether all that was sent to another container has arrived, or failed."""
        link = self.links.get(domain)
        return link is None or (link.outbox.is_empty and not link.session.unacknowledged)

    async def arrive(self, domain: str) -> None:
        """Wait until all that was sent up to now to another container has arrived, or has failed."""
        if (link := self.links.get(domain)) is not None:
            await link.arrive()

    def counts(self) -> dict[str, int]:
        """Return how many messages for each other container were taken up to now."""
        return {domain: link.messages_taken for domain, link in self.links.items()}

    def before_sending(self, callback: Callable[[], None] | None) -> None:
        """Call back once, before anything goes out next; None for no longer."""
        if callback is None:
            self.before_batch = None
            return

        def call() -> None:
            self.before_batch = None
            callback()

        self.before_batch = call

    def on_doubt(self, link: Link) -> None:
        """Cut a direct connection over which nothing comes back."""
        if self._connections is not None:
            self._connections.on_doubt(link)

    def _freeze(self, is_frozen: bool) -> None:  # noqa: FBT001 -- a callback
        for link in self.links.values():
            link.freeze(is_frozen=is_frozen)

    def status(self) -> tuple[LinkStatus, ...]:
        """Return what is known about each link."""
        return tuple(link.status() for link in self.links.values())

    # -- the indirect path ----------------------------------------------------------------------------------

    def on_path_changed(self) -> None:
        """Choose the paths of all links again: the indirect one is lost, is back, or has room or none."""
        for link in tuple(self.links.values()):
            link.choose_path()

    def on_frame(self, domain: str, frame: bytes) -> None:
        """Process a frame from another container."""
        try:
            link = self.links.get(domain) or self.link_to(domain)
        except FormicaryError as error:
            self.drop(domain, str(error))
        else:
            link.receive_indirect(frame)

    def on_bounce(self, domain: str, reason: str, *, is_away: bool) -> bool:
        """Handle a frame to another container that came back; return whether there is a link to it."""
        link = self.links.get(domain)
        if link is not None:
            link.on_bounce(reason, is_away=is_away)
        return link is not None

    def drop(self, origin: str, what: str) -> None:
        """Count and log what must not have been sent."""
        self.dropped += 1
        if self.dropped <= _LOGGED or self.dropped % 1000 == 0:
            logger.warning("container %s dropped a stanza from %s: %s", self.container.name, origin, what)

    # -- messages -------------------------------------------------------------------------------------------

    def post(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Accept a message for a receiver elsewhere, by full name; return the sinks without room now.

        FormicaryError if the message cannot go there.
        """
        self._check_open(message, receiver)
        link = self.link_for(receiver)
        if link is not None:
            return link.post(message, receiver)
        if self._xmpp is not None:
            return self._xmpp.post(message, receiver)
        reason = (
            f"{receiver} is outside the platform; container {self.container.name} needs a server to reach it"
        )
        self.container.dispatcher.add_dead_letter(message, reason, receiver)
        return None

    def post_to(self, domain: str, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Accept a message for an agent in another container than its name says; as `post`."""
        self._check_open(message, receiver)
        return self.link_to(domain).post(message, receiver)

    def pass_on(self, domain: str, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Forward a message of another container, as `post_to`, and keep it until it is taken there."""
        self._check_open(message, receiver)
        return self.link_to(domain).pass_on(message, receiver)

    def carry_on(self, domain: str, message: Message, receiver: str) -> None:
        """Accept a message that an agent had not received when it went to another container."""
        if self.is_closed:
            reason = f"container {self.container.name} has closed its connection"
            self.container.dispatcher.add_dead_letter(message, reason, receiver)
        else:
            self.link_to(domain).carry_on(message, receiver)

    def withdraw(self, domain: str, receiver: str) -> Sequence[Message]:
        """Remove and return what waits to go out to an agent in another container, in order."""
        link = self.links.get(domain)
        return () if link is None else link.withdraw(receiver)

    def _check_open(self, message: Message, receiver: str) -> None:
        if self.is_closed:
            error = ContainerClosedError(f"container {self.container.name} has closed its connection")
            self.container.dispatcher.add_dead_letter(message, str(error), receiver, tell_sender=False)
            raise error

    def link_for(self, receiver: str) -> Link | None:
        """Return the link to a receiver in a container of the platform; None for any other address."""
        domain = receiver.partition("@")[2]
        link = self.links.get(domain)
        if link is None:
            name, _, platform = domain.partition(".")
            if platform != self.container.platform or "/" in domain or not name:
                return None
            link = self.link_to(domain)
        return link

    def refuse(self, message: Message, receiver: str, failure: Message) -> None:
        """Send a failure to the sender in another domain; never waits."""
        if (
            not self.is_closed
            and not self._refusals.tell(message, receiver, failure)
            and self._xmpp is not None
        ):
            assert message.sender is not None
            self._xmpp.refuse(receiver, message.sender, str(failure.body))

    def tell_by_another_way(self, domain: str, failure: Message, receiver: str) -> bool:
        """Tell a sender of a failure that a link could not bring; return whether it is told, or will be."""
        return not self.is_closed and self._refusals.tell_by_another_way(domain, failure, receiver)

    def on_heard(self, domain: str, sender: str) -> None:
        """Note that another container has sent something for an agent, the first time in a session."""
        self._refusals.heard(domain, sender)

    # -- closing --------------------------------------------------------------------------------------------

    async def close(self) -> None:
        """Disconnect, after what was taken has gone out."""
        try:
            links = list(self.links.values())
            await _within(_DRAIN, [link.drain() for link in links])
            self.is_closed = True
            links = list(self.links.values())
            for link in links:
                link.send_close()
            await _within(_CLOSE_TIMEOUT, [link.wait_closed() for link in links])
        finally:
            self.is_closed = True
            self.container.dispatcher.routes.clear()  # what is sent now is to be refused
            self.links.close()
            await self._disconnect()

    async def _disconnect(self) -> None:
        if self._connections is not None:
            await self._connections.close()
        if self._xmpp is not None:
            await self._xmpp.close()

    def rebind(self) -> None:
        """Rebind the loop to methods of connections' classes that were replaced."""
        for link in self.links.values():
            if link.direct is not None:
                link.direct.rebind()
        if self._xmpp is not None:
            self._xmpp.rebind()


async def _within(seconds: float, waits: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Wait for all of several things, but not longer than that."""
    if not waits:
        return
    tasks = [asyncio.create_task(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, timeout=seconds)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
