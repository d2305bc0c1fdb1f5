"""Conversations by any protocol, step by step, for initiators of protocols of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from formicary.core.message import Message
from formicary.core.times import time_limit
from formicary.protocols.news import good_news
from formicary.protocols.requesting import begin

if TYPE_CHECKING:
    from formicary.protocols.conversations import Conversations
    from formicary.protocols.dialogue import Dialogue
    from formicary.protocols.partners import Partners
    from formicary.protocols.table import Protocol


class Conversation:
    """A conversation step by step. Use as an async context manager.

    Leaving the block before the end sends FIPA's cancel.

    Args:
        conversations: the initiator's.
        protocol: its protocol.
        partner: the partner.
        timeout: seconds to wait for the partner in states with a timeout; None for any time.
    """

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
        self._dialogue = await begin(self._conversations, self._protocol, self._partner, self._timeout)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._open.close()

    @property
    def _open(self) -> Dialogue:
        assert self._dialogue is not None, "use it as `async with`"
        return self._dialogue

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
