"""Dialogues of an initiator with one agent: subscriptions (FIPA SC00035), and any protocol step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from formicary.core.message import Message
from formicary.core.times import time_limit
from formicary.protocols.dialogue import Dialogue, Inbox
from formicary.protocols.news import good_news
from formicary.protocols.partners import find_one
from formicary.protocols.standard import Subscribe

if TYPE_CHECKING:
    from formicary.protocols.conversations import Conversations
    from formicary.protocols.partners import Partners
    from formicary.protocols.table import Protocol


class _Session:
    """A dialogue with one partner, open during an `async with` block."""

    def __init__(
        self,
        conversations: Conversations,
        protocol: Protocol,
        partner: str | Partners,
        timeout: float | None,
    ) -> None:
        self._conversations = conversations
        self._protocol = protocol
        self._partner = partner
        self._timeout = time_limit(timeout)
        self._dialogue: Dialogue | None = None

    async def __aenter__(self) -> Self:
        conversations = self._conversations
        address = await find_one(conversations, self._partner)
        name, inbox = conversations.new_name(), Inbox(conversations.scheduler)
        self._dialogue = Dialogue(conversations, self._protocol, True, address, name, name, inbox)
        self._dialogue.open(self._timeout)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._open.close()

    @property
    def _open(self) -> Dialogue:
        assert self._dialogue is not None, "use it as `async with`"
        return self._dialogue


class Conversation(_Session):
    """A conversation step by step. Use as an async context manager.

    Leaving the block before the end sends FIPA's cancel.

    Args:
        conversations: the initiator's.
        protocol: its protocol.
        partner: the partner.
        timeout: seconds to wait for the partner in states with a timeout; None for any time.
    """

    @property
    def state(self) -> str:
        """The present state, from the protocol's table."""
        return self._open.state

    async def send(self, performative: str, body: str | bytes = "", **fields: Any) -> None:
        """Send the next message.

        Args:
            performative: its performative.
            body: its content.
            fields: more of its parameters.

        Raises:
            ProtocolError: it is out of order.
            FormicaryError: it cannot be sent; as of `Behaviour.send`.
        """
        await self._open.send(performative, body, **fields)

    async def receive(self) -> Message:
        """Return the partner's next message.

        Raises:
            RefusedError, FailedError, NotUnderstoodError, NoAnswerError: the conversation has ended with it.
        """
        inbox = self._open.inbox
        while not inbox.come:
            await inbox.wait()
        _, news = inbox.come.popleft()
        return news if isinstance(news, Message) and not self._open.is_over else good_news(news)


class SubscriptionSession(_Session):
    """The notifications of a subscription. Use `async with`, then `async for`.

    Leaving the block sends FIPA's cancel.

    Args:
        conversations: the subscriber's.
        partner: the agent to subscribe to.
        body: the content of the subscription.
        timeout: seconds for the first answer; None for any time.
        fields: more parameters of the message.
    """

    def __init__(
        self,
        conversations: Conversations,
        partner: str | Partners,
        body: str | bytes,
        timeout: float | None,
        fields: dict[str, Any],
    ) -> None:
        super().__init__(conversations, Subscribe, partner, timeout)
        self._body = body
        self._fields = fields

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        try:
            await self._open.send("subscribe", self._body, **self._fields)
        except BaseException:
            self._open.close()
            raise
        return self

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Message:
        """Return the next notification.

        Raises:
            RefusedError, FailedError, NotUnderstoodError, NoAnswerError: there will be no more.
        """
        while (message := await self._open.receive()).performative == "agree":
            pass
        return message
