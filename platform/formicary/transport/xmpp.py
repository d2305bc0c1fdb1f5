"""The transport through an XMPP server: its container is a component there, all its agents behind it.

Exactly-once over a lost connection is not promised here: what was written when the connection broke may be
lost, which is logged. What had not been written waits, and goes out when the connection is back.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections import OrderedDict, deque
from typing import TYPE_CHECKING, NoReturn

from formicary.errors import (
    ContainerClosedError,
    FormicaryError,
    InvalidMessageError,
    LinkError,
    MessageTooLargeError,
)
from formicary.transport.frames import NAMESPACE, Names, decode, from_entry
from formicary.transport.outbox import Outbox, too_large
from formicary.transport.stanzas import (
    error_reply,
    error_text,
    from_stanza,
    ping_reply,
    presence_refusal,
    to_stanza,
)
from formicary.transport.stream import COMPONENT, ComponentStream, UnknownHostError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from xml.etree.ElementTree import Element

    from formicary.container import Container
    from formicary.mailbox import Place
    from formicary.message import Message
    from formicary.server.address import ServerAddress
    from formicary.transport.outbox import Letter

logger = logging.getLogger("formicary.transport")

_FRAME_OVERHEAD = 1024  # bytes of a stanza around a frame's text
_REMEMBERED = 256  # stanzas whose messages are remembered, in case they bounce
_BACKOFF = (0.05, 5.0)  # seconds before the first and, doubling, at most before a later try to reconnect
_HELD = 10_000  # messages that wait for full mailboxes before nothing more is read from the server
_ORIGINS = 1000  # containers whose agents' names are remembered
_LOGGED = 10  # dropped stanzas that are logged one by one
_MESSAGE, _IQ, _PRESENCE = (f"{COMPONENT}}}{name}" for name in ("message", "iq", "presence"))
_FRAME = f"{NAMESPACE}}}frame"
_PING = "urn:xmpp:ping}ping"


class XmppTransport:
    """Carries one container's messages through an XMPP server.

    Args:
        server: where it is.
    """

    def __init__(self, server: ServerAddress) -> None:
        self._server = server
        self._container: Container
        self._own_names: Names
        self._stream: ComponentStream
        self._outboxes: dict[str, Outbox] = {}
        self._sent: OrderedDict[str, list[Letter]] = OrderedDict()
        self._origins: dict[str, Names] = {}
        self._number = 0
        self._held: dict[str, deque[Message]] = {}
        self._held_count = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiters: list[asyncio.Future[None]] = []
        self._refused: FormicaryError | None = None
        self._answering = ""  # the id of the plain stanza that is being delivered
        self.dropped = 0
        self._has_room = True
        self._is_connected = False
        self.is_ready = False
        self.is_closed = False

    # -- connecting -----------------------------------------------------------------------------------------

    async def open(self, container: Container) -> None:
        """Connect for `container`; errors as of `ComponentStream.connect`."""
        self._container = container
        self._own_names = Names(container.domain)
        try:
            await self._connect()
        except UnknownHostError:
            if self._server.folder is None:
                raise
            from formicary.server.containers import add_container

            await add_container(self._server, container.name)
            await self._connect()

    async def _connect(self) -> None:
        stream = ComponentStream(
            self._container.domain,
            received=self._receive,
            framed=self._receive_frame,
            rested=self._container.run_now,
            writable=self._set_room,
            lost=self._lose,
        )
        self._stream = stream
        await stream.connect(self._server)
        self._is_connected = self._has_room = True
        self._update()

    def _set_room(self, has_room: bool) -> None:  # noqa: FBT001 -- the stream's callback
        self._has_room = has_room
        self._update()

    def _update(self) -> None:
        self.is_ready = self._is_connected and self._has_room and not self.is_closed
        if self.is_ready:
            for outbox in self._outboxes.values():
                outbox.flush()
        if self.is_ready or self.is_closed:
            waiters, self._waiters = self._waiters, []
            for waiter in waiters:
                if not waiter.done():
                    waiter.set_result(None)

    def _lose(self, error: LinkError) -> None:
        self._is_connected = False
        self._update()
        if not self.is_closed:
            logger.warning(
                "container %s: %s; what was on its way may be lost; connecting again",
                self._container.name,
                error,
            )
            self._run(self._reconnect())

    async def _reconnect(self) -> None:
        pause, longest = _BACKOFF
        while not self.is_closed:
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(longest, pause * 2)
            try:
                await self._connect()
            except FormicaryError as error:
                if self._refused is None or str(error) != str(self._refused):
                    logger.warning("container %s: %s; trying again", self._container.name, error)
                self._refused = error
            else:
                self._refused = None
                logger.warning("container %s is connected again", self._container.name)
                return

    async def ready(self) -> None:
        """Wait until there is a connection with room to write, or none to come."""
        if not self.is_ready and not self.is_closed:
            waiter = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            await waiter

    async def close(self) -> None:
        """Send what waits, if there is a connection, and disconnect."""
        for outbox in self._outboxes.values():
            outbox.flush()
        self.is_closed = True
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._stream.close()
        self._is_connected = False
        self._update()
        self._bury_the_rest()

    def _bury_the_rest(self) -> None:
        reason = f"container {self._container.name} stopped before the message could go"
        for outbox in self._outboxes.values():
            for message, receiver in outbox.withdraw():
                self._container.bury(message, reason, receiver, tell_sender=False)
        reason = f"container {self._container.name} stopped before the mailbox had room"
        for receiver, messages in self._held.items():
            for message in messages:
                self._container.bury(message, reason, receiver, tell_sender=False)
        self._held.clear()

    def _run(self, coroutine: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

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
            stanza = to_stanza(message, receiver, self._remember([(message, receiver)]))
        except InvalidMessageError as error:
            self.reject(message, receiver, error)
        limit = self._server.stanza_limit
        if len(stanza) > limit:
            self.reject(message, receiver, MessageTooLargeError(too_large(len(stanza), limit)))
        self._stream.write(stanza)
        return None

    def _remember(self, letters: list[Letter]) -> str:
        """Keep what goes out for a while, in case it comes back; return its stanza's id."""
        self._number += 1
        stanza_id = f"f{self._number}"
        self._sent[stanza_id] = letters
        if len(self._sent) > _REMEMBERED:
            self._sent.popitem(last=False)
        return stanza_id

    def send_frame(self, domain: str, data: bytes, letters: list[Letter]) -> None:
        """Send a frame, which holds `letters`; for outboxes."""
        head = (
            f"<message from='{self._container.domain}' to='{domain}' id='{self._remember(letters)}'>"
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
        if self._outbox(sender) is not None:
            if self.post(failure, sender):
                self._container.bury(failure, "there was no room on the way to the sender", sender)
        elif self.is_ready:
            text = str(failure.body)
            self._stream.write(
                error_reply(
                    "message", self._answering, receiver, sender, condition="item-not-found", text=text
                )
            )

    # -- the way in -----------------------------------------------------------------------------------------

    def _receive(self, stanza: Element) -> None:
        try:
            if stanza.tag == _MESSAGE:
                self._receive_message(stanza)
            elif stanza.tag == _IQ:
                self._receive_query(stanza)
            elif stanza.tag == _PRESENCE and stanza.get("type") == "subscribe":
                self._stream.write(presence_refusal(stanza.get("to", ""), stanza.get("from", "")))
        except (FormicaryError, ValueError) as error:
            self._drop(stanza.get("from", ""), str(error))
        except Exception:
            logger.exception(
                "container %s: a stanza could not be handled; please report it", self._container.name
            )

    def _receive_message(self, stanza: Element) -> None:
        if stanza.get("type") == "error":
            self._bounce(stanza)
        elif len(stanza) and stanza[0].tag == _FRAME:
            self._receive_frame(stanza.get("from", ""), (stanza[0].text or "").encode())
        else:
            self._receive_plain(stanza)

    def _receive_frame(self, origin: str, text: bytes) -> None:
        """Hand over what a frame holds; the way that nearly all of the traffic takes."""
        try:
            senders = self._senders(origin)
            entries = decode(text)
        except ValueError as error:
            self._drop(origin, str(error))
            return
        receivers = self._own_names
        neighbours = self._container.neighbours
        for entry in entries:
            try:
                message, receiver = from_entry(entry, receivers, senders)
            except ValueError as error:
                self._drop(origin, str(error))
                continue
            deliver = neighbours.get(receiver)
            if receiver in self._held or (
                deliver(message) if deliver else self._container.deliver(message, receiver)
            ):
                self._hold(message, receiver)

    def _senders(self, origin: str) -> Names:
        """Return the names of a container's agents, if `origin` is a container of this platform."""
        names = self._origins.get(origin)
        if names is None:
            name, _, platform = origin.partition(".")
            if platform != self._container.platform or "@" in name:
                raise ValueError(f"{origin} is not a container of this platform, so it may not send frames")
            if len(self._origins) >= _ORIGINS:
                self._origins.clear()
            names = self._origins[origin] = Names(origin)
        return names

    def _receive_plain(self, stanza: Element) -> None:
        sender, receiver = stanza.get("from", ""), stanza.get("to", "").partition("/")[0]
        self._answering = stanza.get("id", "")
        if "@" not in receiver:
            text = "this is a container; write to one of its agents"
            self._stream.write(
                error_reply(
                    "message", self._answering, receiver, sender, condition="service-unavailable", text=text
                )
            )
            return
        message = from_stanza(stanza, sender, receiver)
        if message is not None and (receiver in self._held or self._container.deliver(message, receiver)):
            self._hold(message, receiver)

    def _receive_query(self, stanza: Element) -> None:
        if stanza.get("type") not in {"get", "set"}:
            return
        stanza_id, sender, receiver = (stanza.get(key, "") for key in ("id", "from", "to"))
        if len(stanza) and stanza[0].tag == _PING:
            self._stream.write(ping_reply(stanza_id, receiver, sender))
        else:
            text = "agents answer messages only"
            self._stream.write(
                error_reply("iq", stanza_id, receiver, sender, condition="service-unavailable", text=text)
            )

    def _bounce(self, stanza: Element) -> None:
        """Bury what the server, or an address behind it, sends back."""
        letters = self._sent.pop(stanza.get("id", ""), None)
        if letters is None:
            self._drop(stanza.get("from", ""), f"an error for an unknown stanza: {error_text(stanza)}")
            return
        reason = f"{stanza.get('from')} cannot be reached: {error_text(stanza)}"
        for message, receiver in letters:
            self._container.bury(message, reason, receiver)

    def _drop(self, origin: str, what: str) -> None:
        self.dropped += 1
        if self.dropped <= _LOGGED or self.dropped % 1000 == 0:
            logger.warning("container %s dropped a stanza from %s: %s", self._container.name, origin, what)

    # -- full mailboxes -------------------------------------------------------------------------------------

    def _hold(self, message: Message, receiver: str) -> None:
        """Keep a message whose receiver's mailbox is full; when there are too many, read nothing more."""
        line = self._held.get(receiver)
        if line is None:
            line = self._held[receiver] = deque()
            self._run(self._hand_over(receiver, line))
        line.append(message)
        self._held_count += 1
        if self._held_count == _HELD:
            self._stream.pause()

    async def _hand_over(self, receiver: str, line: deque[Message]) -> None:
        while line:
            message = line[0]
            if full := self._container.deliver(message, receiver):
                try:
                    async with asyncio.timeout(self._container.send_timeout):
                        await self._container.wait_for_room(message, list(full))
                except TimeoutError:
                    reason = f"the mailbox of {receiver} had no room for {self._container.send_timeout:g} s"
                    self._container.bury(message, reason, receiver)
            line.popleft()
            self._held_count -= 1
            if self._held_count == _HELD // 2:
                self._stream.resume()
        del self._held[receiver]


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
        return f"the link to {self.address}"
