"""One container's client of a directory that is an agent, `df`, of the platform's container.

Requests go from the container's management agent on behalf of its agents. What those have registered is
remembered here, so that a directory that has missed this container for a time gets it again.
"""

from __future__ import annotations

import asyncio
import logging
from itertools import islice
from typing import TYPE_CHECKING, Final

from formicary.directory.description import RESERVED
from formicary.directory.following import Following
from formicary.directory.language import (
    LANGUAGE,
    ONTOLOGY,
    REQUEST,
    Deregister,
    Modify,
    Register,
    Renew,
    Search,
    decode_error,
    decode_result,
    encode,
)
from formicary.errors import (
    ContainerClosedError,
    DirectoryError,
    MessageTooLargeError,
    NoAnswerError,
    NotRegisteredError,
    UndeliveredError,
)
from formicary.message import Message

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any

    from formicary.container import Container
    from formicary.delivery import Plan
    from formicary.directory.answering import AnsweringAgent
    from formicary.directory.description import ServiceDescription
    from formicary.directory.interface import Notice
    from formicary.directory.language import Request, Result
    from formicary.directory.query import Query
    from formicary.management.agent import ManagementAgent

logger = logging.getLogger("formicary.directory")

AGENT: Final = "df"
"""The name of the directory's agent."""

_RENEWED = 200  # services in a message: at 16 KiB each they fit into one


class CentralDirectory:
    """A `Backend` that asks the directory's agent.

    Args:
        container: the container.
        agent: its management agent, which asks.
        plan: where the directory's agent is, and of which kind.
    """

    channel = "central directory"

    def __init__(self, container: Container, agent: ManagementAgent, plan: Plan) -> None:
        self._container = container
        self._agent = agent
        self._plan = plan
        self._address = f"{AGENT}@{plan.main}"
        self._ontology = ONTOLOGY
        self._is_kept = plan.directory == "central"  # as long as an agent lives; not so what expires
        self._served: AnsweringAgent | None = None  # where it is in this container
        self._own: dict[str, dict[str, ServiceDescription]] = {}  # by agent and name
        self._ended: set[str] = set()  # agents whose services are still to be removed
        self._followings: dict[Following, None] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Have the directory's agent here, if this is the platform's container."""
        if self._plan.main != self._container.domain:
            return
        if self._is_kept:
            from formicary.directory.agent import DirectoryAgent

            served: AnsweringAgent = DirectoryAgent(AGENT, path=self._plan.directory_file)
        else:
            from formicary.directory.lookup import LookupAgent

            served = LookupAgent(AGENT)
        await served.open()
        self._served = served
        self._container.employ(served)

    async def close(self) -> None:
        """End; the directory learns that the container stops."""
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._served is not None:
            await self._served.close()

    # -- agents of this container ---------------------------------------------------------------------------

    async def put(self, agent: str, service: ServiceDescription, *, is_new: bool) -> None:
        """Register a service, or put it in its own place."""
        services = self._own.setdefault(agent, {})
        before = services.get(service.name)
        services[service.name] = service
        try:
            await self._ask(Register((service,)) if is_new else Modify((service,)))
        except BaseException:
            self._restore(agent, service, before)
            raise

    def _restore(self, agent: str, service: ServiceDescription, before: ServiceDescription | None) -> None:
        services = self._own.get(agent, {})
        if services.get(service.name) is service:
            if before is None:
                del services[service.name]
            else:
                services[service.name] = before
        if not services:
            self._own.pop(agent, None)

    async def remove(self, agent: str, name: str | None) -> None:
        """Remove a service, or all of an agent's."""
        services = self._own.get(agent, {})
        kept = [each for each in services if each.startswith(RESERVED)] if name is None else []
        names = [name] if name is not None else [each for each in services if each not in kept]
        if kept and not names:
            raise NotRegisteredError(f"{agent} has registered no service")
        await self._ask(Deregister(agent, tuple(names) if kept or name is not None else ()))
        for each in names:
            services.pop(each, None)
        if not services:
            self._own.pop(agent, None)

    async def search(self, query: Query) -> tuple[ServiceDescription, ...]:
        """Return what matches a query."""
        return (await self._ask(Search(query))).services

    async def watch(self, query: Query, notice: Notice) -> Following:
        """Call `notice` with what matches a query, then with each change."""
        following = Following(
            self._agent, self._address, query, notice, self._followings, ontology=self._ontology
        )
        await following.begin(self._answer)
        return following

    def _ask(self, request: Request) -> Coroutine[Any, Any, Result]:
        agent = self._agent
        body = encode(request)
        # Arguments by their places take half the time that they take by name.
        message = Message(
            self._address, None, body, "request", None, None, LANGUAGE, None, self._ontology, REQUEST, None,
            agent.new_name(),
        )  # fmt: skip
        return self._answer(message)

    async def _answer(self, message: Message) -> Result:
        try:
            answer = await self._agent.ask(message)
        except (UndeliveredError, NoAnswerError, MessageTooLargeError) as error:
            raise DirectoryError(f"the directory cannot be reached: {error}") from error
        if answer.performative != "inform":
            raise decode_error(answer.body)
        return decode_result(answer.body)

    # -- what happens ---------------------------------------------------------------------------------------

    def agent_gone(self, agent: str) -> None:
        """Remove all services of an agent that has ended."""
        is_stopping = self._container._closing  # then all of its agents' services go at once
        if self._is_kept and self._own.pop(agent, None) is not None and not is_stopping:
            self._ended.add(agent)
            self._begin(self._withdraw(agent))

    async def _withdraw(self, agent: str) -> None:
        try:
            await self._ask(Deregister(agent))
        except NotRegisteredError:
            self._ended.discard(agent)  # what matters is that there is none
        except (DirectoryError, ContainerClosedError) as error:
            # Once the directory is back, it is told again.
            logger.warning("the services of %s, which has ended, are still registered: %s", agent, error)
        else:
            self._ended.discard(agent)

    def joined(self, domain: str, incarnation: int) -> None:
        """Learn that another container is a member; if it is the platform's, it may have missed this one."""
        if self._served is not None:
            self._served.container_joined(domain, incarnation)
        elif domain == self._plan.main and (self._own or self._ended or self._followings):
            self._begin(self._catch_up())

    async def _catch_up(self) -> None:
        for agent in tuple(self._ended):
            await self._withdraw(agent)
        try:
            services = iter([each for own in self._own.values() for each in own.values()])
            while self._is_kept and (some := tuple(islice(services, _RENEWED))):
                await self._ask(Renew(some))
            for following in tuple(self._followings):
                await following.begin(self._answer)
        except DirectoryError as error:  # gone again, most likely: then it begins anew
            logger.warning("the directory could not be told what this container's agents offer: %s", error)

    def lost(self, domain: str) -> None:
        """Learn that another container is not a member any more."""
        if self._served is not None:
            self._served.container_lost(domain)

    def told(self, domain: str, payload: bytes) -> None:
        """Refuse what is told: this directory has messages for that."""
        raise ValueError(f"{domain} says {len(payload)} bytes to a directory that is an agent")

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
