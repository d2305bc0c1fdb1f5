"""A container's direct connections: joining, dialling, accepting, and losing them."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from formicary.core.errors import FormicaryError, LinkError
from formicary.core.logs import get_logger
from formicary.core.names import is_container_of
from formicary.transport.direct import DirectEndpoint, Offer
from formicary.transport.direct.dialling import Dialling
from formicary.transport.link.paths import PASS_ON, PASSED_ON, RETURNED, NoPath, RelayPath, unwrap, wrap

if TYPE_CHECKING:
    from formicary.container.options import ConnectionOptions
    from formicary.transport.addresses import JoinAddress
    from formicary.transport.direct import DirectConnection
    from formicary.transport.direct.identity import IdentityFile
    from formicary.transport.link.header import SessionParameters
    from formicary.transport.link.link import Link
    from formicary.transport.link.paths import IndirectPath
    from formicary.transport.router import Router

logger = get_logger("formicary.transport")


class Connections:
    """The direct connections of one container; if it `relays`, they carry the frames of others, too."""

    def __init__(self, router: Router, options: ConnectionOptions, *, relays: bool) -> None:
        self._router = router
        self._container = router.container
        self._direct_only = options.route == "direct"
        self._relays = relays
        domain = self._container.domain
        file: IdentityFile | None = None
        if options.identity is not None:  # few containers have one
            from pathlib import Path

            from formicary.transport.direct.identity import IdentityFile

            file = IdentityFile.open(Path(options.identity), domain)
        self.endpoint = DirectEndpoint(
            domain,
            tls=options.tls,
            listen=options.listen,
            on_connection=self._take,
            admit=self._refusal,
            file=file,
        )
        self._dialling = Dialling(self.endpoint, self._take, self._not_reached, is_cut=self._is_cut)
        self._middle: Link | None = None  # the link to the container that this one has joined
        self._complaint = ""  # the logged reason why that did not let this one in again
        self._endings: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        """End them all."""
        await self._dialling.close()
        await self.endpoint.close()  # no new connections from here on
        connections = [link.direct for link in self._router.links.values() if link.direct is not None]
        await asyncio.gather(*(connection.close() for connection in connections), *self._endings)

    # -- joining --------------------------------------------------------------------------------------------

    async def join(self, address: JoinAddress) -> None:
        """Connect to a container by its join address; LinkError if that fails."""
        own = self._container
        if address.platform != own.platform or address.domain == own.domain:
            raise LinkError(
                f"container {own.domain} cannot join {address.domain}; give it a different name and "
                f"platform={address.platform!r}"
            )
        connection = await self.endpoint.dial(address.domain, address)
        self._middle = self._router.links.kept = self._router.link_to(address.domain)
        self._take(connection)
        self._middle.connect()
        self._dialling.remember(address.domain, address)

    def _refusal(self, peer: str) -> str | None:
        """Return why a container must not join; None if it may."""
        if not is_container_of(peer, self._container.platform):
            return f"{peer} is not a container of the platform {self._container.platform}"
        link = self._router.links.get(peer)
        if peer == self._container.domain or (link is not None and link.direct is not None):
            name = peer.partition(".")[0]
            return f"a container named {name!r} already exists; stop it, or choose another name"
        return None

    def path_to(self, link: Link) -> IndirectPath:
        """Return the path to another container without a direct connection and without a server."""
        if self._middle is not None:
            return RelayPath(link.domain, self._middle)
        name, own = link.domain.partition(".")[0], self._container.name
        return NoPath(f"no container named {name!r} is connected to container {own}", link.on_bounce)

    # -- dialling -------------------------------------------------------------------------------------------

    def on_found(self, link: Link, parameters: SessionParameters) -> None:
        """Dial the other end of a link, which was found, if it made an offer."""
        if parameters.offer is None:
            return
        try:
            offer = msgspec.convert(parameters.offer, Offer)
            self.endpoint.peers.expect(link.domain, offer.certificate)
        except (msgspec.ValidationError, FormicaryError) as error:
            self._router.drop(link.domain, f"an invalid offer: {error}")
            return
        if link is not self._middle:
            self._dialling.remember(link.domain, offer)
        if link.direct is None:
            self._dialling.begin(link.domain, is_first=self._container.domain < link.domain)

    def on_lost(self, link: Link) -> None:
        """Stop dialling the other end of a link, which is gone."""
        if link is not self._middle:
            self._dialling.forget(link.domain)

    def _is_cut(self, domain: str) -> bool:
        return self._direct_only or self._router.links[domain].is_cut

    def _not_reached(self, domain: str, error: FormicaryError) -> None:
        link = self._router.links[domain]
        if link is self._middle and error.__context__ is None and str(error) != self._complaint:
            self._complaint = str(error)  # something answers, and does not let this container in
            logger.warning("container %s cannot join again: %s", self._container.name, error)
        if self._direct_only and link.direct is None:
            # Waiting messages may still go with the next try, or when the other end connects.
            link.on_obstacle(str(error))
        if isinstance(error.__context__, ConnectionRefusedError | FileNotFoundError):
            link.set_away(is_away=True)  # nothing listens there any more
            if link.was_direct or self._direct_only:
                link.lose("nothing is listening there any more")

    # -- connections ----------------------------------------------------------------------------------------

    def _take(self, connection: DirectConnection) -> None:
        """Use a new connection to another container."""
        try:
            link = self._router.link_to(connection.peer)
        except FormicaryError as error:
            self._router.drop(connection.peer, str(error))
            self._cut(connection)
            return
        other = link.direct
        # If both have dialled, both keep the connection dialled by the one whose name comes first.
        is_first = self._container.domain < link.domain
        is_second = other is not None and other.is_dialler is is_first is not connection.is_dialler
        if self._router.is_closed or is_second:
            self._cut(connection)
            return
        if other is not None:
            self._cut(other)
        link.direct = connection
        link.was_direct = True
        link.failures.obstacle = ""
        self._dialling.stop(link.domain)
        # Not in the task that made the connection, as this runs agents.
        asyncio.get_running_loop().call_soon(self._start, link, connection)
        link.choose_path()
        if link is self._middle:
            self._complaint = ""
            self._router.on_path_changed()
            link.connect()  # if it was restarted, it does not know this container

    def _start(self, link: Link, connection: DirectConnection) -> None:
        if link.direct is connection:
            connection.start(
                on_frame=partial(self._receive_joined, link) if self._relays else link.receive,
                on_read_end=self._container.scheduler.run_now,
                on_room=lambda _: link.refresh(),
                on_lost=partial(self._lose, link, connection),
            )

    def _cut(self, connection: DirectConnection) -> None:
        connection.abort()
        task = asyncio.get_running_loop().create_task(connection.close(), name=f"ends {connection.peer}")
        self._endings.add(task)
        task.add_done_callback(self._endings.discard)

    def on_doubt(self, link: Link) -> None:
        """Close a direct connection that does not answer."""
        connection = link.direct
        if connection is not None:
            self._cut(connection)
            error = LinkError(f"{link.domain} does not answer over the direct connection")
            self._lose(link, connection, error, is_away=False)

    def _lose(
        self, link: Link, connection: DirectConnection, error: LinkError, *, is_away: bool = True
    ) -> None:
        if link.direct is not connection:
            return
        link.direct = None
        link.set_away(is_away=is_away)
        logger.info("container %s: %s", self._container.name, error)
        link.choose_path()
        if link is self._middle:
            self._router.on_path_changed()
        if not self._router.is_closed and (link.session.is_open or link is self._middle):
            self._dialling.begin(link.domain, is_first=self._container.domain < link.domain, again=True)

    def _receive_joined(self, link: Link, frame: bytes) -> None:
        """Handle a frame without a server, which may be for, or from, a third container."""
        if not frame or frame[0] < PASS_ON:
            link.receive(frame)
            return
        try:
            kind, domain, inner = unwrap(frame)
            if kind == PASS_ON:
                self._pass_on(link, domain, inner)
            elif link is not self._middle:
                self._router.drop(link.domain, "it forwards frames, but this container has not joined it")
            elif kind == PASSED_ON:
                self._router.link_to(domain).receive_indirect(inner)
            elif kind == RETURNED and domain in self._router.links:
                self._router.links[domain].on_bounce(inner.decode())
        except (FormicaryError, ValueError) as error:
            self._router.drop(link.domain, str(error))

    def _pass_on(self, link: Link, domain: str, inner: bytes) -> None:
        assert link.direct is not None
        other = self._router.links.get(domain)
        if other is None or other.direct is None:
            name = self._container.name
            reason = f"no container named {domain.partition('.')[0]!r} is connected to container {name}"
            link.direct.send(wrap(RETURNED, domain, reason.encode()))
        elif other.direct.has_room:  # otherwise it is lost, and will be sent again
            other.direct.send(wrap(PASSED_ON, link.domain, inner))
