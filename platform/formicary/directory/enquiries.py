"""Answers guests' requests to the directory from the container's own part of it.

In the directory's language, apart from the ontology; a search's answer may be incomplete and say so.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from formicary.core.errors import (
    AlreadyRegisteredError,
    DirectoryError,
    DirectoryRequestError,
    FormicaryError,
)
from formicary.core.names import MANAGEMENT
from formicary.directory.interface import Subscription
from formicary.directory.language import (
    Result,
    Search,
    Subscribe,
    encode,
    encode_changes,
    encode_error,
    read_request,
)

if TYPE_CHECKING:
    from formicary.core.message import Message
    from formicary.directory.interface import Backend
    from formicary.directory.model.description import ServiceDescription
    from formicary.fipa.management_agent import ManagementAgent

_LARGEST_ANSWER: Final = 1 << 18  # bytes of an answer: larger ones would hold up others
_MOST_SUBSCRIBERS: Final = 1000  # subscriptions


class Enquiries:
    """Answers requests to a container's management agent about the directory."""

    def __init__(self, agent: ManagementAgent, backend: Backend) -> None:
        self._agent = agent
        self._backend = backend
        # Subscribers and their tasks, by conversation.
        self._subscribers: dict[str, tuple[str, asyncio.Task[object]]] = {}

    async def handle(self, message: Message) -> None:
        """Answer a search, or send changes until the guest cancels the subscription or cannot be reached."""
        try:
            if message.performative == "cancel":
                self._cancel(message)
                if message.reply_with is not None:
                    await self._answer(message, encode(Result("cancel")))
                return
            request = read_request(message.replace(ontology=None))
            if isinstance(request, Search):
                found = await self._backend.search(request.query)
                await self._answer(message, _as_much_as_fits(found))
            elif isinstance(request, Subscribe):
                await self._subscribe(message, request)
            else:
                raise DirectoryRequestError("guests may only search and subscribe", "unsupported-function")
        except FormicaryError as error:
            performative, body = encode_error(error)
            await self._answer(message, body, performative)

    def forget(self, domain: str) -> None:
        """End the subscriptions from a container whose link has ended."""
        for receiver, task in tuple(self._subscribers.values()):
            if _domain(receiver) == domain:
                task.cancel()

    async def _subscribe(self, message: Message, request: Subscribe) -> None:
        conversation = message.conversation_id or ""
        task = asyncio.current_task()
        assert task is not None
        if not conversation:
            raise DirectoryRequestError("a subscription needs a conversation_id", "missing-parameter")
        if conversation in self._subscribers:
            raise AlreadyRegisteredError(
                f"there is a subscription {conversation!r} already; choose another name"
            )
        if len(self._subscribers) >= _MOST_SUBSCRIBERS:
            raise DirectoryError(f"{_MOST_SUBSCRIBERS} guests already have subscriptions; try again later")
        self._subscribers[conversation] = message.sender or "", task
        self._agent.follow(conversation, self._take_failure)
        try:
            anew = True
            async with Subscription(self._backend, request.query) as changes:
                async for change in changes:
                    for body in encode_changes(change.services, change.gone, anew=anew):
                        if not await self._answer(message, body):
                            return
                    anew = False
        finally:
            del self._subscribers[conversation]
            self._agent.unfollow(conversation)

    def _take_failure(self, message: Message) -> None:
        """End a subscription if a management agent reports that a notification was not delivered."""
        receiver, task = self._subscribers[message.conversation_id or ""]
        speaker, _, domain = (message.sender or "").partition("@")
        is_known = speaker == MANAGEMENT and domain in {self._agent.container.domain, _domain(receiver)}
        if message.performative == "failure" and is_known:
            task.cancel()

    def _cancel(self, message: Message) -> None:
        receiver, task = self._subscribers.get(message.conversation_id or "", ("", None))
        if task is not None and receiver == message.sender:
            task.cancel()

    async def _answer(self, message: Message, body: str, performative: str = "inform") -> bool:
        """Send an answer; return whether it could be sent."""
        try:
            await self._agent.send(message.make_reply(performative=performative, body=body))
        except FormicaryError:
            return False  # it is among the dead letters
        return True


def _as_much_as_fits(found: tuple[ServiceDescription, ...]) -> str:
    """Return the content of an answer with all services found, or as many as fit."""
    body = encode(Result("search", found))
    while len(body) > _LARGEST_ANSWER and len(found) > 1:
        found = found[: len(found) // 2]
        body = encode(Result("search", found, more=True))
    return body


def _domain(agent: str) -> str:
    return agent.partition("/")[0].rpartition("@")[2]
