"""A container's subscription to the directory's agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.core.errors import DirectoryError
from formicary.core.logs import get_logger
from formicary.directory.language import Subscribe, decode_result, encode
from formicary.directory.model.description import Gone

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from formicary.core.message import Message
    from formicary.directory.interface import Notice
    from formicary.directory.model.description import ServiceDescription
    from formicary.directory.model.query import Query
    from formicary.fipa.management_agent import ManagementAgent

logger = get_logger("formicary.directory")


class RemoteWatch:
    """A query that the directory's agent watches for this container.

    Args:
        agent: the container's management agent, which is notified.
        query: the query.
        notice: called first with what matches, then with each change.
        leave: called with this watch and a conversation that is to be cancelled.
    """

    def __init__(
        self, agent: ManagementAgent, query: Query, notice: Notice, leave: Callable[[RemoteWatch, str], None]
    ) -> None:
        self.is_over = False
        """Whether it is closed."""
        self._agent = agent
        self._query = query
        self._notice = notice
        self._leave = leave
        self._conversation = ""
        self._known: dict[tuple[str, str], ServiceDescription] | None = None  # None before it has begun
        self._fresh: dict[tuple[str, str], ServiceDescription] | None = None  # all that has arrived so far

    async def begin(self, subscribe: Callable[[str, str], Awaitable[object]]) -> None:
        """Subscribe, or subscribe again if the directory may have forgotten it.

        Args:
            subscribe: called with a conversation and a content, to ask the directory.

        Raises:
            DirectoryError: the directory cannot be reached, or refuses.
        """
        former = self._conversation
        conversation = self._conversation = self._agent.new_name()
        if former:
            self._leave(self, former)
        self._fresh = None
        self._agent.follow(conversation, self._take)
        await subscribe(conversation, encode(Subscribe(self._query)))

    async def close(self) -> None:
        """Stop watching."""
        conversation, self._conversation = self._conversation, ""
        self.is_over = True
        self._leave(self, conversation)

    def _take(self, message: Message) -> None:
        if message.performative != "inform":
            return
        try:
            result = decode_result(message.body)
        except DirectoryError as error:
            logger.warning("ignoring an update from %s: %s", message.sender, error)
            return
        if result.anew:
            self._fresh = {}
        services = {(service.agent, service.name): service for service in result.services}
        if self._fresh is not None:  # until all current matches have arrived
            self._fresh.update(services)
            if not result.more:
                self._begin_with(self._fresh)
                self._fresh = None
        elif self._known is not None:
            for each in result.gone:
                self._known.pop((each.agent, each.name), None)
            self._known.update(services)
            self._notice(result.services, result.gone)

    def _begin_with(self, services: dict[tuple[str, str], ServiceDescription]) -> None:
        """Replace the known matches, and report how they differ."""
        known = self._known or {}
        new = tuple(service for key, service in services.items() if known.get(key) != service)
        gone = tuple(Gone(*key) for key in known if key not in services)
        if new or gone or self._known is None:
            self._notice(new, gone)
        self._known = services
