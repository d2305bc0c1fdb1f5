"""The transport through an XMPP server: its container is a component there, all its agents behind it.

Exactly-once over a lost connection is not promised here: what was written when the connection broke may be
lost, which is logged. What had not been written waits, and goes out when the connection is back.
"""

from __future__ import annotations

import asyncio
import logging
import random
from typing import TYPE_CHECKING, NoReturn

from formicary.clock import now
from formicary.errors import ContainerClosedError, FormicaryError, LinkError, MessageTooLargeError
from formicary.transport.component import UnknownHostError
from formicary.transport.frames import NAMESPACE
from formicary.transport.held import Held
from formicary.transport.inbox import Inbox
from formicary.transport.outbox import Outbox, too_large
from formicary.transport.sent import Sent
from formicary.transport.stanzas import error_reply, to_stanza

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from formicary.container import Container
    from formicary.mailbox import Place
    from formicary.message import Message
    from formicary.server.address import ServerAddress, Stream
    from formicary.transport.outbox import Letter

logger = logging.getLogger("formicary.transport")

_FRAME_OVERHEAD = 1024  # bytes of a stanza around a frame's text
_BACKOFF = (0.05, 5.0)  # seconds before the first and, doubling, at most before a later try to reconnect


class XmppTransport:
    """Carries one container's messages through an XMPP server.

    Args:
        server: where it is.
    """

    def __init__(self, server: ServerAddress) -> None:
        self._server = server
        self._container: Container
        self._stream: Stream
        self._outboxes: dict[str, Outbox] = {}
        self._sent = Sent()
        self._held: Held
        self._inbox: Inbox
        self._reconnecting: asyncio.Task[None] | None = None
        self._lost: tuple[datetime, FormicaryError] | None = None  # since when, and why, where it is lost
        self._ready = asyncio.Event()  # also set when there will be none any more
        self._has_room = True
        self._is_connected = False
        self.is_ready = False
        self.is_closed = False

    # -- connecting -----------------------------------------------------------------------------------------

    async def open(self, container: Container) -> None:
        """Connect for `container`; errors as of `XmppStream.connect`."""
        if container.platform != self._server.platform:
            raise LinkError(
                f"container {container.name} is of the platform {container.platform}, but the XMPP server is "
                f"for {self._server.platform}; give the container platform={self._server.platform!r}"
            )
        self._container = container
        self._held = Held(container, self._pause)
        self._inbox = Inbox(container, self._held, self._sent, self._write)
        await self._connect()

    async def _connect(self) -> None:
        try:
            await self._connect_once()
        except UnknownHostError:
            if self._server.folder is None:
                raise
            from formicary.server.containers import add_container

            await add_container(self._server, self._container.name)
            await self._connect_once()

    async def _connect_once(self) -> None:
        stream = self._server.stream(
            self._container.domain,
            received=self._inbox.receive,
            framed=self._inbox.receive_frame,
            rested=self._container.run_now,
            writable=self._set_room,
            lost=self._lose,
        )
        self._stream = stream
        await stream.connect()
        if self._held.is_full:
            stream.pause()
        self._lost = None
        self._is_connected = self._has_room = True
        self._update()

    def _write(self, data: bytes) -> None:
        self._stream.write(data)

    @property
    def dropped(self) -> int:
        """How many stanzas were dropped, as their senders may not send them."""
        return self._inbox.dropped

    def _pause(self, pause: bool) -> None:  # noqa: FBT001 -- a callback
        if pause:
            self._stream.pause()
        else:
            self._stream.resume()

    def _set_room(self, has_room: bool) -> None:  # noqa: FBT001 -- the stream's callback
        self._has_room = has_room
        self._update()

    def _update(self) -> None:
        self.is_ready = self._is_connected and self._has_room and not self.is_closed
        if self.is_ready:
            for outbox in tuple(self._outboxes.values()):
                outbox.flush()  # that may fill the connection, and bring us here again
        if self.is_ready or self.is_closed:
            self._ready.set()
        else:
            self._ready.clear()

    def _lose(self, error: LinkError) -> None:
        self._lost = (now(), error)
        self._is_connected = False
        self._update()
        if not self.is_closed:
            name = self._container.name
            logger.warning("container %s: %s; what was on its way may be lost; connecting again", name, error)
            self._reconnecting = asyncio.create_task(self._reconnect(), name=f"{name} connects again")

    async def _reconnect(self) -> None:
        pause, longest = _BACKOFF
        while self._lost is not None:
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(longest, pause * 2)
            since, before = self._lost
            try:
                await self._connect()
            except FormicaryError as error:
                self._lost = (since, error)
                if str(error) != str(before):
                    logger.warning("container %s: %s; trying again", self._container.name, error)
        logger.warning("container %s is connected again", self._container.name)

    async def ready(self) -> None:
        """Wait until there is a connection with room to write, or none to come."""
        await self._ready.wait()

    def trouble(self) -> str:
        """Return why there is no room to write, as part of a sentence."""
        if self._lost is not None:
            since, error = self._lost
            return f"without connection since {since:%H:%M:%S} UTC ({error})"
        where = f"{self._server.host}:{self._server.port}"
        return f"whose XMPP server at {where} takes nothing more for now"

    async def close(self) -> None:
        """Send what waits, if there is a connection, and disconnect."""
        if self._is_connected:
            self._set_room(True)  # what was taken goes out, room or not
        self.is_closed = True
        self._update()
        try:
            if self._reconnecting is not None:
                self._reconnecting.cancel()
                await asyncio.wait([self._reconnecting])
            await self._held.close()
        finally:
            await self._close_stream()

    async def _close_stream(self) -> None:
        self._is_connected = False
        name = self._container.name
        for outbox in self._outboxes.values():
            for message, receiver in outbox.withdraw():
                reason = f"container {name} stopped before the message could go"
                self._container.bury(message, reason, receiver, tell_sender=False)
        if left := await self._stream.close():
            logger.warning("container %s stopped, and the server has not read its last %d bytes", name, left)

    # -- the way out ----------------------------------------------------------------------------------------

    def post(self, message: Message, receiver: str) -> Sequence[Place] | None:
        """Take a message for `receiver`, a full name of another domain.

        Returns:
            The places that have no room now, if any.

        Raises:
            FormicaryError: the message cannot go there.
        """
        if self.is_closed:
            error = ContainerClosedError(f"container {self._container.name} has closed its connection")
            self.reject(message, receiver, error)
        outbox = self._outbox(receiver)
        if outbox is None:
            return self._post_plain(message, receiver)
        if isinstance(message.to, tuple):
            return None if outbox.accept_for(message, receiver) is None else (_Way(self, receiver),)
        self._container.add_route(receiver, outbox.accept)  # the next one goes straight there
        return outbox.accept(message)

    def _outbox(self, receiver: str) -> Outbox | None:
        """Return the outbox for a receiver in a container of the platform; None for any other address."""
        domain = receiver.partition("@")[2]
        outbox = self._outboxes.get(domain)
        if outbox is None:
            name, _, platform = domain.partition(".")
            if platform != self._container.platform or "/" in domain or not name:
                return None
            limit = self._server.stanza_limit - _FRAME_OVERHEAD
            outbox = self._outboxes[domain] = Outbox(self, domain, limit)
        return outbox

    def _post_plain(self, message: Message, receiver: str) -> Sequence[Place] | None:
        if not self.is_ready:
            return (_Way(self, receiver),)
        try:
            stanza = to_stanza(message, receiver, self._sent.next_id)
        except FormicaryError as error:
            self.reject(message, receiver, error)
        limit = self._server.stanza_limit
        if len(stanza) > limit:
            self.reject(message, receiver, MessageTooLargeError(too_large(len(stanza), limit)))
        self._sent.add(receiver, [(message, receiver)], len(stanza))
        self._stream.write(stanza)
        return None

    def send_frame(self, domain: str, data: bytes, letters: list[Letter]) -> None:
        """Send a frame, which holds `letters`; for outboxes."""
        stanza_id = self._sent.add(domain, letters, len(data))
        head = (
            f"<message from='{self._container.domain}' to='{domain}' id='{stanza_id}'>"
            f"<frame xmlns='{NAMESPACE}'>"
        )
        self._stream.write(b"".join((head.encode(), data, b"</frame></message>")))

    def at_turn_end(self, callback: Callable[[], None]) -> None:
        """Call back when the container's agents have had their turn; for outboxes."""
        self._container.at_turn_end(callback)

    def reject(self, message: Message, receiver: str, error: FormicaryError) -> NoReturn:
        """Make a dead letter of a message that cannot go, and tell its sender by raising `error`."""
        self._container.bury(message, str(error), receiver, tell_sender=False)
        raise error

    def undeliverable(self, message: Message, receiver: str, reason: str) -> None:
        """Make a dead letter of a message that was taken and cannot go; for outboxes."""
        self._container.bury(message, reason, receiver)

    def refuse(self, message: Message, receiver: str, failure: Message) -> None:
        """Tell the sender in another domain that its message was not delivered; never waits."""
        sender = message.sender
        assert sender is not None
        if self.is_closed:
            return
        outbox = self._outbox(sender)
        if outbox is not None:
            if not outbox.keep(failure, sender):
                self._container.bury(failure, "too much waits on the way to the sender", sender)
        elif self.is_ready:
            text = str(failure.body)
            self._stream.write(
                error_reply(
                    "message", self._inbox.answering, receiver, sender, condition="item-not-found", text=text
                )
            )


class _Way:
    """The way to a receiver, where its messages wait for a connection.

    Args:
        transport: what carries them.
        receiver: the full name.
    """

    def __init__(self, transport: XmppTransport, receiver: str) -> None:
        self._transport = transport
        self.address = receiver

    def put(self, message: Message) -> bool:
        """Take a message; return False if there is no room now."""
        return self._transport.post(message, self.address) is None

    async def room(self) -> None:
        """Wait for room."""
        await self._transport.ready()

    def is_done(self) -> bool:
        """Tell whether there is no way any more."""
        return self._transport.is_closed

    def __str__(self) -> str:
        return f"the way to {self.address}, {self._transport.trouble()},"
