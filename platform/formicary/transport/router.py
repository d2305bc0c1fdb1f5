"""The transport of a container: its links, and the ways that they have."""

from __future__ import annotations

import asyncio
import logging
import secrets
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import msgspec

from formicary.errors import ContainerClosedError, FormicaryError, LinkError
from formicary.names import check_container, is_container
from formicary.transport.dialling import Dialling
from formicary.transport.header import Terms
from formicary.transport.held import Held
from formicary.transport.link import Link
from formicary.transport.relay import PASS_ON, PASSED_ON, RETURNED, NoWay, RelayWay, unwrap, wrap
from formicary.transport.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from formicary.container import Container
    from formicary.mailbox import Place
    from formicary.message import Message
    from formicary.observe.links import LinkStatus
    from formicary.server.address import XmppServer
    from formicary.transport.direct import Direct, DirectConnection, JoinAddress
    from formicary.transport.ways import FarWay
    from formicary.transport.xmpp import XmppConnection

logger = logging.getLogger("formicary.transport")

Route = Literal["auto", "direct", "xmpp"]

_FRAME_LIMIT = 1 << 18  # bytes of a frame: with larger ones, nothing gets faster, and others wait longer
_LINKS = 10_000  # other containers
_LOGGED = 10  # dropped frames and stanzas that are logged one by one
_DRAIN = 5.0  # s that other containers get to acknowledge what was sent when this one stops
_PARTING = 2.0  # s that they get to learn that it does


class Router:
    """Carries one container's messages to others, and theirs to it.

    Args:
        server: the XMPP server at which containers meet; None where they join each other.
        join: the join address of the container to join, where there is no server.
        listen: the IP address, with or without a port, where others may reach this container directly; None
            for this host only.
        route: which way messages may take.
        tls: where direct connections use TLS: True: TCP; "always": Unix sockets too; False: nowhere.
        session: makes a link's state machine.
    """

    def __init__(
        self,
        server: XmppServer | None,
        *,
        join: JoinAddress | None = None,
        listen: str | None = None,
        route: Route = "auto",
        tls: bool | Literal["always"] = True,
        session: Callable[[Callable[[], int], Terms], Session] = Session,
    ) -> None:
        self._server = server
        self._join = join
        self._listen = listen
        self._route = route
        self._tls = tls
        self._make_session = session
        self._xmpp: XmppConnection | None = None
        self._direct: Direct | None = None
        self._dialling: Dialling | None = None
        self._meeting: Link | None = None  # with the container that this one has joined
        self._links: dict[str, Link] = {}
        self._endings: set[asyncio.Task[None]] = set()  # of direct connections
        self.container: Container
        self.held: Held
        self.dropped = 0
        """How many frames and stanzas were dropped, as their senders may not send them."""
        self.is_closed = False

    # -- opening --------------------------------------------------------------------------------------------

    async def open(self, container: Container) -> None:
        """Connect for `container`.

        Raises:
            LinkError: with the cause and what to do about it.
        """
        self._check(container)
        self.container = container
        self.held = Held(container, self._freeze)
        try:
            if self._route != "xmpp":
                await self._open_direct()
            if self._server is not None:
                from formicary.transport.xmpp import XmppConnection

                self._xmpp = XmppConnection(self._server, self)
                await self._xmpp.open()
            if self._join is not None:
                await self._join_another(self._join)
        except BaseException:
            self.is_closed = True
            for link in self._links.values():
                link.abandon()
            await self._disconnect()
            raise

    def _check(self, container: Container) -> None:
        if self._server is None and self._route == "xmpp":
            raise LinkError(
                f"container {container.name} has no server, which route='xmpp' needs; leave the route out"
            )

    async def _open_direct(self) -> None:
        from formicary.transport.direct import Direct

        self._direct = Direct(
            self.container.domain,
            tls=self._tls,
            listen=self._listen,
            accepted=self._take,
            admit=self._refusal,
        )
        await self._direct.open()
        self._dialling = Dialling(self._direct, self._take, self._not_reached)

    async def _join_another(self, address: JoinAddress) -> None:
        own = self.container
        if address.platform != own.platform or address.domain == own.domain:
            raise LinkError(
                f"container {own.domain} cannot join {address.domain}; give it a name of its own and "
                f"platform={address.platform!r}"
            )
        assert self._direct is not None
        assert self._dialling is not None
        connection = await self._direct.dial(address.domain, address)
        self._meeting = self._link(address.domain)
        self._take(connection)
        self._meeting.connect()
        self._dialling.remember(address.domain, address)

    @property
    def join_address(self) -> JoinAddress | None:
        """What others need to join this container: a secret; None where they may not."""
        if self._direct is None or self._server is not None:
            return None
        address: JoinAddress | None = self._direct.join_address
        return address

    def _refusal(self, peer: str) -> str | None:
        """Return why a container must not join, if it must not."""
        name, _, platform = peer.partition(".")
        if platform != self.container.platform or not is_container(name):
            return f"{peer} is not a container of the platform {self.container.platform}"
        link = self._links.get(peer)
        if peer == self.container.domain or (link is not None and link.direct is not None):
            return f"a container named {name!r} is there already; stop it or take another name"
        return None

    # -- links ----------------------------------------------------------------------------------------------

    def _link(self, domain: str) -> Link:
        link = self._links.get(domain)
        if link is None:
            name = domain.partition(".")[0]
            check_container(name)
            if len(self._links) >= _LINKS:
                raise LinkError(
                    f"container {self.container.name} has links to {_LINKS} others, which is all it can"
                )
            session = self._make_session(lambda: secrets.randbits(32), self._terms(domain))
            link = self._links[domain] = Link(
                domain, self, session, direct_only=self._route == "direct", make_far=self._far_way
            )
        return link

    def _terms(self, domain: str) -> Terms:
        limit = _FRAME_LIMIT if self._xmpp is None else min(_FRAME_LIMIT, self._xmpp.frame_limit)
        offer = None if self._direct is None else self._direct.offer(domain)
        return Terms(frame_limit=limit, offer=offer)

    def _far_way(self, link: Link) -> FarWay:
        if self._xmpp is not None:
            return self._xmpp.way_to(link.domain)
        name = link.domain.partition(".")[0]
        if self._join is None:
            return NoWay(
                f"no container named {name!r} has joined container {self.container.name}", link.bounced
            )
        if self._meeting is None:
            return NoWay("the connection to it is lost", link.bounced)
        return RelayWay(link.domain, self._middle)

    def _middle(self) -> DirectConnection | None:
        return self._meeting.direct if self._meeting is not None else None

    def found(self, link: Link, terms: Terms) -> None:
        """Learn that the other end of a link is there; it may be reached directly, too."""
        if self._direct is None or self._dialling is None or terms.offer is None:
            return
        from formicary.transport.direct import Offer

        try:
            offer = msgspec.convert(terms.offer, Offer)
            self._direct.expect(link.domain, offer)
        except (msgspec.ValidationError, FormicaryError) as error:
            self.drop(link.domain, f"an offer that is none: {error}")
            return
        if link is not self._meeting:
            self._dialling.remember(link.domain, offer)
        if link.direct is None:
            self._dialling.begin(link.domain, is_first=self.container.domain < link.domain)

    def lost(self, link: Link) -> None:
        """Learn that the other end of a link is not there any more."""
        if self._dialling is not None and link is not self._meeting:
            self._dialling.forget(link.domain)

    def _not_reached(self, domain: str, error: FormicaryError) -> None:
        link = self._links[domain]
        if isinstance(error.__context__, ConnectionRefusedError | FileNotFoundError):
            link.set_away(is_away=True)  # nobody listens there any more
            if link.was_direct:
                link.lose("nobody listens there any more")
        if self._route == "direct" and link.direct is None and not link.was_direct:
            link.give_up(f"there is no direct connection to it: {error}")

    def _freeze(self, is_frozen: bool) -> None:  # noqa: FBT001 -- a callback
        for link in self._links.values():
            link.freeze(is_frozen=is_frozen)

    def status(self) -> tuple[LinkStatus, ...]:
        """Return what is known about each link."""
        return tuple(link.status() for link in self._links.values())

    # -- direct connections ---------------------------------------------------------------------------------

    def _take(self, connection: DirectConnection) -> None:
        """Use a connection to another container, which has proven who it is."""
        try:
            link = self._link(connection.peer)
        except FormicaryError as error:
            self.drop(connection.peer, str(error))
            self._cut(connection)
            return
        other = link.direct
        # Where both have dialled, both keep the connection of the one whose name comes first.
        is_first = self.container.domain < link.domain
        is_second = other is not None and other.is_dialler is is_first is not connection.is_dialler
        if self.is_closed or is_second:
            self._cut(connection)
            return
        if other is not None:
            self._cut(other)
        framed = link.receive if self._server is not None else partial(self._receive_joined, link)
        link.direct = connection
        link.was_direct = True
        if self._dialling is not None:
            self._dialling.stop(link.domain)

        def start() -> None:  # not in the task that has made the connection: agents run in it, too
            if link.direct is connection:
                connection.start(
                    framed=framed,
                    rested=self.container.run_now,
                    writable=lambda _: link.refresh(),
                    lost=partial(self._lose, link, connection),
                )

        asyncio.get_running_loop().call_soon(start)
        link.choose_way()
        if link is self._meeting:
            self.far_changed()

    def _cut(self, connection: DirectConnection) -> None:
        connection.abort()
        task = asyncio.get_running_loop().create_task(connection.close(), name=f"ends {connection.peer}")
        self._endings.add(task)
        task.add_done_callback(self._endings.discard)

    def doubted(self, link: Link) -> None:
        """Cut a direct connection over which nothing comes back."""
        connection = link.direct
        if connection is not None:
            self._cut(connection)
            error = LinkError(f"nothing comes back from {link.domain} directly")
            self._lose(link, connection, error, is_away=False)

    def _lose(
        self, link: Link, connection: DirectConnection, error: LinkError, *, is_away: bool = True
    ) -> None:
        if link.direct is not connection:
            return
        link.direct = None
        link.set_away(is_away=is_away)
        logger.info("container %s: %s", self.container.name, error)
        link.choose_way()
        if link is self._meeting:
            self.far_changed()
        if (
            self._dialling is not None
            and not self.is_closed
            and (link.session.is_open or link is self._meeting)
        ):
            self._dialling.begin(link.domain, is_first=self.container.domain < link.domain, again=True)

    def _receive_joined(self, link: Link, frame: bytes) -> None:
        """Take a frame where there is no server: it may be for another container, or from another one."""
        if not frame or frame[0] < PASS_ON:
            link.receive(frame)
            return
        try:
            kind, domain, inner = unwrap(frame)
            if kind == PASS_ON:
                self._pass_on(link, domain, inner)
            elif link is not self._meeting:
                self.drop(link.domain, "it passes frames on, but this container has not joined it")
            elif kind == PASSED_ON:
                self._link(domain).receive_far(inner)
            elif kind == RETURNED and domain in self._links:
                self._links[domain].bounced(inner.decode())
        except (FormicaryError, ValueError) as error:
            self.drop(link.domain, str(error))

    def _pass_on(self, link: Link, domain: str, inner: bytes) -> None:
        assert link.direct is not None
        other = self._links.get(domain)
        if other is None or other.direct is None:
            name = self.container.name
            reason = f"no container named {domain.partition('.')[0]!r} is connected to container {name}"
            link.direct.send(wrap(RETURNED, domain, reason.encode()))
        elif other.direct.has_room:  # where there is none, it gets lost, and will come again
            other.direct.send(wrap(PASSED_ON, link.domain, inner))

    # -- the far way ----------------------------------------------------------------------------------------

    def far_changed(self) -> None:
        """Learn that the far way was lost, or is back, or has room or none."""
        for link in tuple(self._links.values()):
            link.choose_way()

    def far_framed(self, domain: str, frame: bytes) -> None:
        """Take a frame from another container."""
        try:
            link = self._links.get(domain) or self._link(domain)
        except FormicaryError as error:
            self.drop(domain, str(error))
        else:
            link.receive_far(frame)

    def far_bounced(self, domain: str, reason: str, *, is_away: bool) -> bool:
        """Learn that a frame to another container came back; return whether there is a link to it."""
        link = self._links.get(domain)
        if link is not None:
            link.bounced(reason, is_away=is_away)
        return link is not None

    def drop(self, origin: str, what: str) -> None:
        """Count and log what must not have been sent."""
        self.dropped += 1
        if self.dropped <= _LOGGED or self.dropped % 1000 == 0:
            logger.warning("container %s dropped a stanza from %s: %s", self.container.name, origin, what)

    # -- messages -------------------------------------------------------------------------------------------

    def post(self, message: Message, receiver: str) -> Sequence[Place] | None:
        """Take a message for `receiver`, a full name of another domain.

        Returns:
            The places that have no room now, if any.

        Raises:
            FormicaryError: the message cannot go there.
        """
        if self.is_closed:
            self._reject_closed(message, receiver)
        link = self._link_to(receiver)
        if link is not None:
            return link.post(message, receiver)
        if self._xmpp is not None:
            return self._xmpp.post(message, receiver)
        reason = (
            f"{receiver} is outside the platform, which container {self.container.name} needs a server for"
        )
        self.container.bury(message, reason, receiver)
        return None

    def _reject_closed(self, message: Message, receiver: str) -> NoReturn:
        error = ContainerClosedError(f"container {self.container.name} has closed its connection")
        self.container.bury(message, str(error), receiver, tell_sender=False)
        raise error

    def _link_to(self, receiver: str) -> Link | None:
        """Return the link to a receiver in a container of the platform; None for any other address."""
        domain = receiver.partition("@")[2]
        link = self._links.get(domain)
        if link is None:
            name, _, platform = domain.partition(".")
            if platform != self.container.platform or "/" in domain or not name:
                return None
            link = self._link(domain)
        return link

    def refuse(self, message: Message, receiver: str, failure: Message) -> None:
        """Tell the sender in another domain that its message was not delivered; never waits."""
        sender = message.sender
        assert sender is not None
        if self.is_closed:
            return
        link = self._link_to(sender)
        if link is not None:
            if not link.outbox.keep(failure, sender):
                self.container.bury(failure, "too much waits on the way to the sender", sender)
        elif self._xmpp is not None:
            self._xmpp.refuse(receiver, sender, str(failure.body))

    # -- closing --------------------------------------------------------------------------------------------

    async def close(self) -> None:
        """Disconnect, after what was taken has gone out."""
        try:
            await self.held.close()
            links = list(self._links.values())
            await _within(_DRAIN, [link.drain() for link in links])
            self.is_closed = True
            links = list(self._links.values())
            for link in links:
                link.part()
            await _within(_PARTING, [link.parted() for link in links])
        finally:
            self.is_closed = True
            self.container.neighbours.clear()  # what is sent now is to be refused
            for link in self._links.values():
                link.abandon()
            await self._disconnect()

    async def _disconnect(self) -> None:
        if self._dialling is not None:
            await self._dialling.close()
        if self._direct is not None:
            await self._direct.close()  # from now on there are no new connections
        connections = [link.direct for link in self._links.values() if link.direct is not None]
        await asyncio.gather(*(connection.close() for connection in connections), *self._endings)
        if self._xmpp is not None:
            await self._xmpp.close()


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
