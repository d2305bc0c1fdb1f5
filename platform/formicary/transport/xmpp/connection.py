"""The path through an XMPP server: one connection for a container and all its agents.

It carries frames to other containers of the platform, and plain messages to any other XMPP address. Frames
may be lost with the connection, and links resend them. Plain messages wait for a connection; those already
written when it breaks may be lost, which XMPP allows.
"""

from __future__ import annotations

import asyncio
from binascii import Error as Base64Error
from typing import TYPE_CHECKING, NoReturn

from pybase64 import b64decode, b64encode

from formicary.core import randomness
from formicary.core.clock import now
from formicary.core.errors import FormicaryError, InvalidMessageError, LinkError, MessageTooLargeError
from formicary.core.logs import get_logger
from formicary.server.address import ServerAddress
from formicary.transport.link.outbox import too_large
from formicary.transport.remote_sink import RemoteSink
from formicary.transport.xmpp.addressing import domain_of, frame_head, make_stream
from formicary.transport.xmpp.component import UnknownHostError
from formicary.transport.xmpp.inbox import Inbox
from formicary.transport.xmpp.stanzas import error_reply, to_stanza
from formicary.transport.xmpp.stream import ReplacedError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message
    from formicary.server.account import XmppServer
    from formicary.transport.router import Router
    from formicary.transport.xmpp.stream import XmppStream

logger = get_logger("formicary.transport")

_FRAME_OVERHEAD = 1024  # bytes of a stanza around a frame's text
_FRAME_END = b"</frame></message>"
_ORIGINS = 1000  # addresses whose domains are cached
_SETTLING = 10.0  # s after reconnecting in which other containers may still be about to reconnect
_BACKOFF = (0.05, 1.0)  # seconds before the first try to reconnect and, doubling, at most before later ones


class XmppConnection:
    """One container's connection to an XMPP server, with its frames and plain messages."""

    def __init__(self, server: XmppServer, router: Router) -> None:
        self._server = server
        self._router = router
        self._container = router.container
        self._stream: XmppStream | None = None
        self.drop = router.drop
        self._inbox = Inbox(self, router.container)
        self._domains: dict[str, str | None] = {}  # cached, by addresses
        self._reconnecting: asyncio.Task[None] | None = None
        self._lost: tuple[datetime, FormicaryError] | None = None  # since when, and why, if it is lost
        self._settled_at = 0.0  # by the loop's clock, when others have reconnected
        self._ready = asyncio.Event()  # also set when it is closed
        self.is_up = False
        self.has_room = True

    @property
    def frame_limit(self) -> int:
        """Bytes of the largest frame that fits into a stanza."""
        return (self._server.stanza_limit - _FRAME_OVERHEAD) * 3 // 4

    # -- connecting -----------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Connect; errors as of `XmppStream.connect`."""
        platform = self._container.platform
        if platform != self._server.platform:
            raise LinkError(
                f"container {self._container.name} is of the platform {platform}, but {self._server} is "
                f"for {self._server.platform}; give the container platform={self._server.platform!r}"
            )
        try:
            await self._connect()
        except UnknownHostError:
            server = self._server
            if not (isinstance(server, ServerAddress) and await server.add_container(self._container.name)):
                raise
            await self._connect()

    async def _connect(self) -> None:
        stream = make_stream(
            self._server,
            self._container.domain,
            on_stanza=self._inbox.receive,
            on_frame=self.on_frame,
            on_read_end=self._container.scheduler.run_now,
            on_room=self._set_room,
            on_lost=self._lose,
        )
        self._stream = stream
        await stream.connect()
        if self._lost is not None:
            self._settled_at = asyncio.get_running_loop().time() + _SETTLING
            self._lost = None
        self.is_up = self.has_room = True
        self._update()

    def _set_room(self, has_room: bool) -> None:  # noqa: FBT001 -- the stream's callback
        self.has_room = has_room
        self._update()

    def _update(self) -> None:
        if (self.is_up and self.has_room) or self._router.is_closed:
            self._ready.set()
        else:
            self._ready.clear()
        self._router.on_path_changed()

    def _lose(self, error: LinkError) -> None:
        self._lost = (now(), error)
        self.is_up = False
        self._update()
        name = self._container.name
        if isinstance(error, ReplacedError):  # taking the place back would never end
            logger.error("container %s: %s; it does not connect again", name, error)
        elif not self._router.is_closed:
            logger.warning("container %s: %s; connecting again", name, error)
            self._reconnecting = asyncio.create_task(self._reconnect(), name=f"{name} connects again")

    async def _reconnect(self) -> None:
        pause, longest = _BACKOFF
        while self._lost is not None:
            await asyncio.sleep(pause * randomness.source().uniform(0.5, 1.0))
            pause = min(longest, pause * 2)
            since, before = self._lost
            try:
                await self.open()
            except FormicaryError as error:
                self._lost = (since, error)
                if str(error) != str(before):
                    logger.warning("container %s: %s; trying again", self._container.name, error)
        logger.warning("container %s is connected again", self._container.name)

    def trouble(self) -> str:
        """Return why nothing can be written now, as part of a sentence."""
        if self._lost is not None:
            since, error = self._lost
            return f"disconnected since {since:%H:%M:%S} UTC ({error})"
        return f"because {self._server} is not taking more for now"

    def rebind(self) -> None:
        """Do as `Router.rebind`."""
        if self._stream is not None:
            self._stream.rebind()

    async def close(self) -> None:
        """Disconnect when what was written has gone out."""
        self.is_up = False
        self._ready.set()
        if self._reconnecting is not None:
            self._reconnecting.cancel()
            await asyncio.wait([self._reconnecting])
        if self._stream is not None and (left := await self._stream.close()):
            name = self._container.name
            logger.warning("container %s stopped before the server had read its last %d bytes", name, left)

    # -- frames ---------------------------------------------------------------------------------------------

    def path_to(self, domain: str) -> XmppPath:
        """Return the path to another container."""
        return XmppPath(self, domain, frame_head(self._server, self._container.domain, domain))

    def send_frame(self, head: bytes, frame: bytes) -> None:
        """Send a frame after the start of its stanza; for the paths."""
        if self.is_up:
            self.write(b"".join((head, b64encode(frame), _FRAME_END)))

    def on_frame(self, origin: str, text: bytes) -> None:
        """Handle the text of a frame from an address."""
        domain = self._domain_of(origin)
        if domain is None:
            self._router.drop(
                origin, f"{origin} is not a container of this platform, so it may not send frames"
            )
            return
        try:
            frame = b64decode(text, validate=True)
        except (Base64Error, UnicodeDecodeError) as error:
            self._router.drop(origin, f"not a frame: {error}")
        else:
            self._router.on_frame(domain, frame)

    def _domain_of(self, origin: str) -> str | None:
        if origin not in self._domains:
            if len(self._domains) >= _ORIGINS:
                self._domains.clear()
            self._domains[origin] = domain_of(self._server, origin)
        return self._domains[origin]

    def on_bounce(self, origin: str, reason: str, *, is_away: bool) -> bool:
        """Handle the return of a stanza other than a plain message; return whether it was for a container.

        `is_away` is False if the fault may be a server's rather than the container's.
        """
        domain = self._domain_of(origin)
        if domain is None:
            return False
        if asyncio.get_running_loop().time() < self._settled_at:
            return domain in self._router.links  # it may not have reconnected yet
        return self._router.on_bounce(domain, reason, is_away=is_away)

    def write(self, data: bytes) -> None:
        """Send whole stanzas."""
        if self._stream is not None:
            self._stream.write(data)

    # -- plain messages -------------------------------------------------------------------------------------

    def post(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Accept a message for an address outside the platform, as `Router.post`."""
        if not isinstance(self._server, ServerAddress):
            name = self._container.name
            error = InvalidMessageError(
                f"container {name} is connected with an account, so its agents have no addresses "
                f"outside the platform and cannot send to {receiver}; use an XmppAgent, which has "
                "its own account"
            )
            self._reject(message, receiver, error)
        if not (self.is_up and self.has_room):
            return (RemoteSink(self, receiver),)
        try:
            stanza = to_stanza(message, receiver, self._inbox.sent.next_id)
        except FormicaryError as error:
            self._reject(message, receiver, error)
        limit = self._server.stanza_limit
        if len(stanza) > limit:
            self._reject(message, receiver, MessageTooLargeError(too_large(len(stanza), limit)))
        self._inbox.sent.add(receiver, [(message, receiver)], len(stanza))
        self.write(stanza)
        return None

    def _reject(self, message: Message, receiver: str, error: FormicaryError) -> NoReturn:
        self._container.dispatcher.add_dead_letter(message, str(error), receiver, tell_sender=False)
        raise error

    def refuse(self, receiver: str, sender: str, reason: str) -> None:
        """Tell the sender of a plain message that it was not delivered; never waits."""
        if self.is_up and self.has_room:
            self.write(
                error_reply(
                    "message",
                    self._inbox.answering,
                    receiver,
                    sender,
                    condition="item-not-found",
                    text=reason,
                )
            )

    async def room(self, receiver: str) -> None:  # noqa: ARG002 -- all share the connection
        """Wait until the connection has room, or is closed."""
        await self._ready.wait()

    @property
    def is_closed(self) -> bool:
        """Whether nothing will go out any more."""
        return self._router.is_closed

    def way_to(self, receiver: str) -> str:
        """Describe the way to a receiver, as part of a sentence."""
        return f"the way to {receiver}, {self.trouble()},"


class XmppPath:
    """The path to another container through the server; `head` starts the stanza of a frame."""

    kind = "xmpp"

    def __init__(self, connection: XmppConnection, domain: str, head: bytes) -> None:
        self._connection = connection
        self._head = head
        self.domain = domain

    @property
    def is_up(self) -> bool:
        """Whether there is a connection to the server."""
        return self._connection.is_up

    @property
    def has_room(self) -> bool:
        """Whether more can be written to it now."""
        return self._connection.has_room

    def send(self, frame: bytes) -> None:
        """Send a frame; without a connection, it is lost."""
        self._connection.send_frame(self._head, frame)

    def trouble(self) -> str:
        """Return why nothing can be written now, as part of a sentence."""
        return self._connection.trouble()
