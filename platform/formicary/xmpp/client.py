"""An agent's own connection to an XMPP server, and its messages."""

from __future__ import annotations

import asyncio
import functools
from collections import OrderedDict
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, NoReturn

from formicary.errors import FormicaryError, LinkError
from formicary.extending import RemoteSink, get_logger
from formicary.xmpp import stanzas
from formicary.xmpp.session import CLIENT, Delivery, StanzaError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from xml.etree.ElementTree import Element

    from formicary import Message
    from formicary.extending import MessageSink
    from formicary.server import AccountAddress
    from formicary.xmpp.agent import XmppAgent
    from formicary.xmpp.session import Session

logger = get_logger("formicary")

_CONNECT_TIMEOUT = 10.0  # seconds for the server to accept the agent
_ON_THE_WAY = 100  # unconfirmed messages, beyond which senders wait
_WAITING = 1000  # received messages that wait for full mailboxes
_REMEMBERED = 1000  # messages that may bounce


class AccountClient:
    """The connection, which reconnects by itself.

    Attributes:
        address: the account's address.
        session: the XMPP library's session.
        greet: called with each new session, before anything else is sent over it.
        on_presence: called with each presence received.
        requests: handlers of requests by the payload's element name; see `answer`.
    """

    def __init__(
        self, agent: XmppAgent, account: AccountAddress, on_lost: Callable[[LinkError], None]
    ) -> None:
        self._agent = agent
        self._on_lost = on_lost
        self._account = account
        self._on_the_way: dict[str, tuple[Message, str]] = {}  # by stanza ID
        self._unconfirmed: set[str] = set()  # those of them already sent to the server
        self._written: OrderedDict[str, tuple[Message, str]] = OrderedDict()
        self._arrived: asyncio.Queue[tuple[str, Message]] = asyncio.Queue(_WAITING)  # with stanza IDs
        self._answering = ""  # the ID of the stanza being delivered
        self._handing_over: asyncio.Task[None] | None = None
        self._greeting: asyncio.Task[None] | None = None
        self._is_known = False  # whether the server knows that the agent is online
        self._room = asyncio.Event()
        self._stopped = asyncio.Event()
        self._opened: asyncio.Future[None] | None = None
        self._error: LinkError | None = None
        self.is_closed = False
        self.address = account.jid
        self.greet: Callable[[], Awaitable[None]]
        self.on_presence: Callable[[Element], None]
        self.requests: dict[str, Callable[[str, Element, str], str | None]] = {}
        self.session = make_session(account, self)

    # -- connecting -----------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Connect and log in.

        Raises:
            AuthenticationError: the server does not accept the account's password.
            LinkError: anything else, with the cause.
        """
        self._opened = asyncio.get_running_loop().create_future()
        self.session.start()
        try:
            async with asyncio.timeout(_CONNECT_TIMEOUT):
                await self._opened
        except TimeoutError:
            await self.close()
            name = self._agent.name
            raise LinkError(
                f"{self._account} did not accept agent {name} within {_CONNECT_TIMEOUT:g} s"
            ) from None
        except BaseException:
            await self.close()
            raise

    def opened(self) -> None:
        """Announce the agent; called with each new session."""
        self._greeting = asyncio.create_task(self._greet(), name=f"{self._agent.name} greets its server")

    async def _greet(self) -> None:
        assert self._opened is not None
        try:
            await self.greet()
            await self.be_known()
        except LinkError as error:  # the connection was lost at once; `opened` is called again later
            if not self._opened.done():
                self._opened.set_exception(error)
            return
        self._is_known = True
        if not self._opened.done():
            self._opened.set_result(None)
        self._update()

    async def be_known(self) -> None:
        """Wait until the server has processed what was sent: it answers in order (XEP-0199)."""
        with suppress(StanzaError):
            await self.session.ask(stanzas.ping(self._account.domain))

    def begin_delivery(self) -> None:
        """Start delivering received messages."""
        self._handing_over = asyncio.create_task(self._hand_over(), name=f"{self._agent.name} gets messages")

    def begin_close(self) -> None:
        """Disconnect soon."""
        self.is_closed = True
        self._room.set()
        for task in (self._handing_over, self._greeting):
            if task is not None:
                task.cancel()
        while not self._arrived.empty():
            self._add_dead_letter(
                *self._arrived.get_nowait(), f"agent {self._agent.name} ended before it got the message"
            )
        if self.session.is_running:
            self.session.stop()
        else:
            self._stopped.set()

    async def close(self) -> None:
        """Disconnect after flushing what was written."""
        self.begin_close()
        await self._stopped.wait()
        await self.session.cut()
        tasks = [task for task in (self._handing_over, self._greeting) if task is not None]
        if tasks:
            await asyncio.wait(tasks)

    def interrupted(self, reason: object) -> None:
        """Handle an interruption; the connection comes back with this session or a new one."""
        if not self.is_closed:
            logger.warning(
                "agent %s lost its connection to %s (%s); connecting again",
                self._agent.name,
                self._account,
                reason or "closed",
            )

    def closed(self) -> None:
        """Handle the end of the session: nothing more can be sent in it."""
        self._is_known = False
        if self._greeting is not None:
            self._greeting.cancel()
        self._update()

    def failed(self, error: LinkError) -> None:
        """Handle a connection that is lost for good."""
        self._error = error
        self.is_closed = True
        self._room.set()
        self.ended()
        if self._opened is not None and not self._opened.done():
            self._opened.set_exception(error)
        self._on_lost(error)

    def ended(self) -> None:
        """Handle the final end: fail messages that still wait to be sent."""
        self._stopped.set()
        for stanza_id in [*self._on_the_way]:
            self._lose(stanza_id)

    def _update(self) -> None:
        if self.is_closed or (self._is_known and len(self._on_the_way) < _ON_THE_WAY):
            self._room.set()
        else:
            self._room.clear()

    # -- sending --------------------------------------------------------------------------------------------

    def post(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Accept a message for an address outside the platform.

        Returns:
            The sinks without room, if any.

        Raises:
            FormicaryError: the message cannot go there.
        """
        if self.is_closed:
            self._reject(message, receiver, self._error or LinkError(f"{self} has logged out"))
        if not self._room.is_set():
            return (RemoteSink(self, receiver),)
        stanza_id = stanzas.new_id()
        try:
            stanza = stanzas.to_stanza(message, receiver, stanza_id, self._account)
        except FormicaryError as error:
            self._reject(message, receiver, error)
        self._on_the_way[stanza_id] = self._written[stanza_id] = (message, receiver)
        while len(self._written) > _REMEMBERED:
            self._written.popitem(last=False)
        self.session.send(stanza, functools.partial(self._changed, stanza_id))
        self._update()
        return None

    def _reject(self, message: Message, receiver: str, error: FormicaryError) -> NoReturn:
        self._agent.container.dispatcher.add_dead_letter(message, str(error), receiver, tell_sender=False)
        raise error

    def _changed(self, stanza_id: str, delivery: Delivery) -> None:
        if delivery is Delivery.SENT:
            self._unconfirmed.add(stanza_id)
        elif delivery is Delivery.LOST:
            self._lose(stanza_id)
        else:
            self._forget(stanza_id)

    def _forget(self, stanza_id: str) -> tuple[Message, str] | None:
        self._unconfirmed.discard(stanza_id)
        sent = self._on_the_way.pop(stanza_id, None)
        self._update()
        return sent

    def _lose(self, stanza_id: str) -> None:
        """Report a message that did not, or may not have, arrived."""
        may_have = "may not have got" if stanza_id in self._unconfirmed else "did not get"
        sent = self._forget(stanza_id)
        if sent is not None:
            message, receiver = sent
            reason = f"{self._account} {may_have} the message before the connection ended"
            self._agent.container.dispatcher.add_dead_letter(message, reason, receiver)

    def _bounced(self, stanza: Element, sender: str) -> None:
        """Handle an error from the server or the receiver."""
        sent = self._written.pop(stanza.get("id", ""), None)
        if sent is not None and sender.partition("/")[0] == sent[1].partition("/")[0]:
            message, receiver = sent
            self._agent.container.dispatcher.add_dead_letter(
                message, f"{receiver} cannot be reached: {stanzas.error_text(stanza)}", receiver
            )

    def refuse(self, message: Message, receiver: str, failure: Message) -> None:  # noqa: ARG002 -- its shape
        """Notify the sender outside, if connected, that its message was not delivered."""
        if not self.session.is_established or self.is_closed or message.sender is None:
            return
        self.session.send(stanzas.refusal(self._answering, self._account, message.sender, str(failure.body)))

    async def room(self, receiver: str) -> None:  # noqa: ARG002 -- the connection is all receivers'
        """Wait until there is a connection with room, or the agent has logged out."""
        await self._room.wait()

    def way_to(self, receiver: str) -> str:
        """Return a name for the route to a receiver, for messages."""
        return f"the way to {receiver} by {self}"

    # -- receiving ------------------------------------------------------------------------------------------

    def take(self, stanza: Element) -> None:
        """Handle a stanza."""
        sender, kind = stanza.get("from", ""), stanza.get("type")
        if stanza.tag == f"{{{CLIENT}}}presence":
            self.on_presence(stanza)
        elif kind == "error":
            self._bounced(stanza, sender)
        elif kind != "groupchat":
            self._arrive(stanza, sender)

    def answer(self, kind: str, payload: Element, sender: str) -> str | None:
        """Return the answer to a request, which may be empty; None to refuse it.

        Args:
            kind: `get` or `set`.
            payload: the request.
            sender: the requester; empty for the server.
        """
        answer = self.requests.get(payload.tag)
        return None if answer is None else answer(kind, payload, sender)

    def _arrive(self, stanza: Element, sender: str) -> None:
        agent = self._agent
        try:
            message = stanzas.from_stanza(stanza, agent.address or "")
        except FormicaryError as error:
            logger.warning("agent %s dropped a message from %s: %s", agent.name, sender, error)
            return
        if message is None:
            return
        stanza_id = stanza.get("id", "")
        try:
            self._arrived.put_nowait((stanza_id, message))
        except asyncio.QueueFull:
            self._add_dead_letter(
                stanza_id, message, f"too many messages are waiting for the mailboxes of agent {agent.name}"
            )

    async def _hand_over(self) -> None:
        """Deliver received messages in order; while a mailbox is full, the rest waits."""
        container, address = self._agent.container, self._agent.address or ""
        while True:
            stanza_id, message = await self._arrived.get()
            self._answering = stanza_id
            try:
                full = container.dispatcher.deliver(message, address)
            finally:
                self._answering = ""
            if full:
                waiting = list(full)
                try:
                    with suppress(TimeoutError):
                        async with asyncio.timeout(container.dispatcher.overflow.send_timeout):
                            await container.dispatcher.overflow.wait_for_room(message, waiting)
                except asyncio.CancelledError:
                    self._add_dead_letter(
                        stanza_id, message, f"agent {self._agent.name} ended before it had room"
                    )
                    raise
                for sink in waiting:
                    self._add_dead_letter(
                        stanza_id,
                        message,
                        f"{sink} had no room for {container.dispatcher.overflow.send_timeout:g} s",
                    )

    def _add_dead_letter(self, stanza_id: str, message: Message, reason: str) -> None:
        self._answering = stanza_id
        try:
            self._agent.container.dispatcher.add_dead_letter(message, reason, self._agent.address)
        finally:
            self._answering = ""

    def __str__(self) -> str:
        return f"the account {self._account.jid} of agent {self._agent.name}"


def make_session(account: AccountAddress, owner: AccountClient) -> Session:
    """Return a session of aioxmpp if installed, otherwise of slixmpp."""
    if find_spec("aioxmpp") is not None:
        from formicary.xmpp.by_aioxmpp import AioxmppSession

        return AioxmppSession(account, owner)
    from formicary.xmpp.by_slixmpp import SlixmppSession

    return SlixmppSession(account, owner)
