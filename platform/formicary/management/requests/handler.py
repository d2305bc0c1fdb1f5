"""Answers requests to a management agent (fipa-request), and checks who may make them."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from formicary.core.errors import FormicaryError, ManagementError, MessageTooLargeError, UnauthorisedError
from formicary.core.logs import get_logger
from formicary.core.names import MANAGEMENT, is_container_of
from formicary.management.requests.actions import read_request
from formicary.management.requests.language import encode, encode_error

if TYPE_CHECKING:
    from formicary.core.message import Message
    from formicary.fipa.management_agent import ManagementAgent
    from formicary.management.requests.language import Action
    from formicary.management.requests.router import RequestRouter

logger = get_logger("formicary.management")


class RequestHandler:
    """Answers requests to a container's management agent."""

    def __init__(self, agent: ManagementAgent, router: RequestRouter) -> None:
        self._agent = agent
        self._router = router

    async def handle(self, message: Message) -> None:
        """Perform the request of a message, and answer it, even when cancelled."""
        conversation = _Conversation(self._agent, message)
        try:
            await conversation.inform(await self._perform(message, conversation))
        except FormicaryError as error:
            await conversation.fail(error)
        except asyncio.CancelledError:
            conversation.fail_nowait(ManagementError(f"container {self._agent.container.name} stops"))
            raise
        except Exception:
            logger.exception("a request from %s could not be handled; please report this", message.sender)
            await conversation.fail(ManagementError("the management agent failed; see its log"))

    async def _perform(self, message: Message, conversation: _Conversation) -> str:
        request = read_request(message)
        sender = message.sender or ""
        self._authorise(sender, request)
        request = self._router.complete(request)
        # Containers wait for each other's answers in any case, and have agreed themselves.
        if not sender.startswith(f"{MANAGEMENT}@") and self._router.takes_time(request):
            await conversation.agree()
        return encode(await self._router.perform(request, sender))

    def _authorise(self, sender: str, request: Action[Any]) -> None:
        """Check that the sender may make this request; agents of the platform may make any."""
        if request.is_for_all:
            return
        domain = sender.partition("/")[0].partition("@")[2]
        if not is_container_of(domain, self._agent.container.platform):
            raise UnauthorisedError(f"{sender} is not an agent of this platform, and may only search")


class _Conversation:
    """The answers to one request."""

    def __init__(self, agent: ManagementAgent, message: Message) -> None:
        self._agent = agent
        self._message = message
        self._has_agreed = False

    async def agree(self) -> None:
        """Agree to try."""
        self._has_agreed = True
        await self._send("agree", self._message.body)

    async def inform(self, content: str) -> None:
        """Answer with what was done or found."""
        try:
            await self._send("inform", content)
        except MessageTooLargeError as error:
            await self.fail(ManagementError(f"the answer is too large; ask for fewer: {error}"))

    async def fail(self, error: FormicaryError) -> None:
        """Answer with an error."""
        await self._send(*self._describe(error))

    def fail_nowait(self, error: FormicaryError) -> None:
        """Answer with an error, if there is room for that now."""
        answer = self._agent.make_answer(self._message, *self._describe(error))
        if answer is not None:
            with suppress(FormicaryError):
                self._agent.send_nowait(answer)

    def _describe(self, error: FormicaryError) -> tuple[str, str]:
        performative, content = encode_error(error)
        return "failure" if self._has_agreed else performative, content

    async def _send(self, performative: str, content: str | bytes) -> None:
        answer = self._agent.make_answer(self._message, performative, content)
        try:
            if answer is not None:
                await self._agent.send(answer)
        except MessageTooLargeError:
            raise
        except FormicaryError:
            return  # it is a dead letter
