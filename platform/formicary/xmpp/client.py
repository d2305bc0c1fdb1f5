"""An agent's own connection to an XMPP server, and the messages that go over it."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections import OrderedDict
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NoReturn

import aioxmpp
import aioxmpp.ping
from aioxmpp.stream import StanzaState

from formicary.core.errors import FormicaryError, LinkError
from formicary.core.logs import get_logger
from formicary.transport.remote_sink import RemoteSink
from formicary.transport.xmpp.login import Connector, explain, security
from formicary.xmpp.stanzas import error_text, from_stanza, refusal, to_stanza

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message
    from formicary.server.account import AccountAddress
    from formicary.xmpp.agent import XmppAgent

logger = get_logger("formicary")
_silent = get_logger("formicary.aioxmpp")  # what matters of it is told by errors
_silent.setLevel(logging.CRITICAL)

_CONNECT_TIMEOUT = 10.0  # seconds until the server has accepted the agent
_BACKOFF = (0.1, 2.0, 5.0)  # seconds before the first try to reconnect, factor from one to the next, longest
_ON_THE_WAY = 100  # messages that the server has not confirmed yet, beyond which senders wait
_WAITING = 1000  # messages that have come and wait for full mailboxes
_REMEMBERED = 1000  # messages that may come back
_GONE = {StanzaState.ACKED, StanzaState.SENT_WITHOUT_SM}
_LOST = {StanzaState.ABORTED, StanzaState.DROPPED, StanzaState.DISCONNECTED, StanzaState.FAILED}


class AccountClient:
    """The connection; it comes back by itself when it is lost.

    Args:
        agent: whose it is.
        account: the account to log in with.
        on_lost: called when the connection has ended for good.
    """

    def __init__(
        self, agent: XmppAgent, account: AccountAddress, on_lost: Callable[[LinkError], None]
    ) -> None:
        self._agent = agent
        self._on_lost = on_lost
        self._account = account
        self._on_the_way: dict[str, tuple[Message, str]] = {}  # by the stanzas' ids
        self._unconfirmed: set[str] = set()  # of those on the way, what the server has been given
        self._written: OrderedDict[str, tuple[Message, str]] = OrderedDict()
        self._arrived: asyncio.Queue[tuple[Any, Message]] = asyncio.Queue(_WAITING)
        self._answering: Any = None  # the stanza that is being delivered
        self._handing_over: asyncio.Task[None] | None = None
        self._room = asyncio.Event()
        self._stopped = asyncio.Event()
        self._opened: asyncio.Future[None] | None = None
        self._error: LinkError | None = None
        self.is_closed = False
        self._connector = Connector(account)
        self.xmpp = self._make()

    def _make(self) -> Any:
        account = self._account
        client = aioxmpp.Client(
            aioxmpp.JID.fromstr(account.jid),
            security(account),
            override_peer=[(account.domain, 0, self._connector)],
            max_initial_attempts=1,
            logger=_silent,
        )
        start, client.backoff_factor, longest = _BACKOFF
        client.backoff_start, client.backoff_cap = timedelta(seconds=start), timedelta(seconds=longest)
        messages = client.summon(aioxmpp.dispatcher.SimpleMessageDispatcher)
        for kind in (aioxmpp.MessageType.CHAT, aioxmpp.MessageType.NORMAL, aioxmpp.MessageType.HEADLINE):
            messages.register_callback(kind, None, self._take)
        messages.register_callback(aioxmpp.MessageType.ERROR, None, self._bounced)
        client.on_stream_established.connect(self._established)
        client.on_stream_suspended.connect(self._suspended)
        client.on_stream_destroyed.connect(self._destroyed)
        client.on_failure.connect(self._failed)
        client.on_stopped.connect(self._ended)
        return client

    # -- connecting -----------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Connect and log in.

        Raises:
            AuthenticationError: the server does not accept the account's password.
            LinkError: anything else, with the cause.
        """
        self._opened = asyncio.get_running_loop().create_future()
        self.xmpp.start()
        try:
            async with asyncio.timeout(_CONNECT_TIMEOUT):
                await self._opened
                await self._be_known()
        except TimeoutError:
            await self.close()
            name = self._agent.name
            raise LinkError(
                f"{self._account} did not accept agent {name} within {_CONNECT_TIMEOUT:g} s"
            ) from None
        except OSError as error:  # it went as soon as it was there
            await self.close()
            raise explain(self._account, error) from error
        except BaseException:
            await self.close()
            raise

    async def _be_known(self) -> None:
        """Wait until the server knows that the agent is there: it answers in order (XEP-0199)."""
        with suppress(aioxmpp.errors.XMPPError):
            await aioxmpp.ping.ping(self.xmpp, aioxmpp.JID.fromstr(self._account.domain))

    def _established(self) -> None:
        if self.is_closed:
            self.xmpp.stop()  # again: wait_for() of Python 3.11 loses a cancellation that meets the answer
        if self._opened is not None and not self._opened.done():
            self._opened.set_result(None)
        self._update()

    def begin_delivery(self) -> None:
        """Hand over what has come and what will."""
        self._handing_over = asyncio.create_task(self._hand_over(), name=f"{self._agent.name} gets messages")

    def begin_close(self) -> None:
        """Disconnect soon."""
        self.is_closed = True
        self._room.set()
        if self._handing_over is not None:
            self._handing_over.cancel()
        while not self._arrived.empty():
            self._add_dead_letter(
                *self._arrived.get_nowait(), f"agent {self._agent.name} ended before it got the message"
            )
        if self.xmpp.running:
            self.xmpp.stop()
        else:
            self._stopped.set()

    async def close(self) -> None:
        """Disconnect, when what was written has gone out."""
        self.begin_close()
        await self._stopped.wait()
        await self._connector.end()
        if self._handing_over is not None:
            await asyncio.wait([self._handing_over])

    def _suspended(self, reason: Exception | None) -> None:
        self._update()
        if not self.is_closed:
            logger.warning(
                "agent %s lost its connection to %s (%s); connecting again",
                self._agent.name,
                self._account,
                reason or "closed",
            )

    def _destroyed(self, _reason: Exception | None = None) -> None:
        """Called when the session cannot be taken up again: what is sent now would have no place in it."""
        self._update()  # `established` becomes false only after `_suspended` was called

    def _failed(self, error: Exception) -> None:
        """Called when there is no connection and will be none."""
        self._error = explain(self._account, error)
        self.is_closed = True
        self._room.set()
        self._ended()
        if self._opened is not None and not self._opened.done():
            self._opened.set_exception(self._error)
        self._on_lost(self._error)

    def _ended(self) -> None:
        """Called at the very end; what still waits there to be sent would wait for ever."""
        self._stopped.set()
        for stanza_id in [*self._on_the_way]:
            self._lose(stanza_id)

    def _update(self) -> None:
        if self.is_closed or (self.xmpp.established and len(self._on_the_way) < _ON_THE_WAY):
            self._room.set()
        else:
            self._room.clear()

    # -- the way out ----------------------------------------------------------------------------------------

    def post(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Take a message for an address outside the platform.

        Returns:
            The sinks that have no room now, if any.

        Raises:
            FormicaryError: the message cannot go there.
        """
        if self.is_closed:
            self._reject(message, receiver, self._error or LinkError(f"{self} has logged out"))
        if not self._room.is_set():
            return (RemoteSink(self, receiver),)
        try:
            stanza = to_stanza(message, receiver, self._account)
        except FormicaryError as error:
            self._reject(message, receiver, error)
        changed = functools.partial(self._changed, stanza)
        self._on_the_way[stanza.id_] = self._written[stanza.id_] = (message, receiver)
        while len(self._written) > _REMEMBERED:
            self._written.popitem(last=False)
        self.xmpp.enqueue(stanza, on_state_change=changed)
        self._update()
        return None

    def _reject(self, message: Message, receiver: str, error: FormicaryError) -> NoReturn:
        self._agent.container.dispatcher.add_dead_letter(message, str(error), receiver, tell_sender=False)
        raise error

    def _changed(self, stanza: Any, _token: Any, state: StanzaState) -> None:
        if state is StanzaState.SENT:
            self._unconfirmed.add(stanza.id_)
        elif state in _LOST or (state is StanzaState.SENT_WITHOUT_SM and self._is_in_doubt(stanza.id_)):
            self._lose(stanza.id_)
        elif state in _GONE:
            self._forget(stanza.id_)

    def _is_in_doubt(self, stanza_id: str) -> bool:
        """Return whether a session has ended before it confirmed a message, though it confirms messages."""
        return stanza_id in self._unconfirmed and not self.is_closed

    def _forget(self, stanza_id: str) -> tuple[Message, str] | None:
        self._unconfirmed.discard(stanza_id)
        sent = self._on_the_way.pop(stanza_id, None)
        self._update()
        return sent

    def _lose(self, stanza_id: str) -> None:
        """Say that a message has not arrived, or that nobody knows whether it has."""
        may_have = "may not have got" if stanza_id in self._unconfirmed else "did not get"
        sent = self._forget(stanza_id)
        if sent is not None:
            message, receiver = sent
            reason = f"{self._account} {may_have} the message before the connection ended"
            self._agent.container.dispatcher.add_dead_letter(message, reason, receiver)

    def _bounced(self, stanza: Any) -> None:
        """Called with what the server, or an address behind it, sends back."""
        sent = self._written.pop(stanza.id_, None)
        if sent is not None and str(stanza.from_.bare()) == sent[1].partition("/")[0]:
            message, receiver = sent
            self._agent.container.dispatcher.add_dead_letter(
                message, f"{receiver} cannot be reached: {error_text(stanza)}", receiver
            )

    def refuse(self, message: Message, receiver: str, failure: Message) -> None:  # noqa: ARG002 -- its shape
        """Tell the sender outside, if there is a connection now, that its message was not delivered."""
        if not self.xmpp.established or self.is_closed or message.sender is None:
            return
        answer = refusal(self._answering, message.sender, str(failure.body))
        self.xmpp.enqueue(answer)

    async def room(self, receiver: str) -> None:  # noqa: ARG002 -- the connection is all receivers'
        """Wait until there is a connection with room to write, or none to come."""
        await self._room.wait()

    def way_to(self, receiver: str) -> str:
        """Return what the way to a receiver is called in a sentence."""
        return f"the way to {receiver} by {self}"

    # -- the way in -----------------------------------------------------------------------------------------

    def _take(self, stanza: Any) -> None:
        agent = self._agent
        try:
            message = from_stanza(stanza, agent.address or "")
        except FormicaryError as error:
            logger.warning("agent %s dropped a message from %s: %s", agent.name, stanza.from_, error)
            return
        if message is None:
            return
        try:
            self._arrived.put_nowait((stanza, message))
        except asyncio.QueueFull:
            self._add_dead_letter(stanza, message, f"too much waits for the mailboxes of agent {agent.name}")

    async def _hand_over(self) -> None:
        """Hand over what comes, in order; while a mailbox is full, the rest waits."""
        container, address = self._agent.container, self._agent.address or ""
        while True:
            stanza, message = await self._arrived.get()
            self._answering = stanza
            try:
                full = container.dispatcher.deliver(message, address)
            finally:
                self._answering = None
            if full:
                waiting = list(full)
                try:
                    with suppress(TimeoutError):
                        async with asyncio.timeout(container.dispatcher.overflow.send_timeout):
                            await container.dispatcher.overflow.wait_for_room(message, waiting)
                except asyncio.CancelledError:
                    self._add_dead_letter(
                        stanza, message, f"agent {self._agent.name} ended before it had room"
                    )
                    raise
                for sink in waiting:
                    self._add_dead_letter(
                        stanza,
                        message,
                        f"{sink} had no room for {container.dispatcher.overflow.send_timeout:g} s",
                    )

    def _add_dead_letter(self, stanza: Any, message: Message, reason: str) -> None:
        self._answering = stanza
        try:
            self._agent.container.dispatcher.add_dead_letter(message, reason, self._agent.address)
        finally:
            self._answering = None

    def __str__(self) -> str:
        return f"the account {self._account.jid} of agent {self._agent.name}"
