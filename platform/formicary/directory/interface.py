"""The directory's interface to agents, and what a design implements for it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

from formicary.core.base_agent import AgentState
from formicary.core.coroutines import rest_until
from formicary.core.errors import AgentStateError, DirectoryError, InvalidDescriptionError
from formicary.directory.model.description import RESERVED, Gone, ServiceDescription
from formicary.directory.model.query import Query

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence

    from formicary.core.base_agent import BaseAgent
    from formicary.directory.model.registrations import Registrations, Successor

    Notice = Callable[[Sequence[ServiceDescription], Sequence[Gone]], None]
    """Called with services that are new or changed, and with those that are gone."""

_NO_PROPERTIES: Mapping[str, Any] = {}


class Watch(Protocol):
    """A watched query."""

    async def close(self) -> None:
        """Stop watching."""


class Backend(Protocol):
    """One container's part of the directory."""

    channel: str
    refusal: str | None = None
    """Why agents cannot use the directory now, as a sentence."""
    open_subscriptions: set[Subscription]
    """Subscriptions in use."""

    async def open(self) -> None:
        """Start, and open the file, if any; StoreError if it cannot be used."""

    async def put(self, agent: str, service: ServiceDescription, *, is_new: bool) -> None:
        """Register a service of an agent of this container, or replace it.

        Raises:
            AlreadyRegisteredError, NotRegisteredError: `is_new` is wrong.
            TooManyServicesError: the agent can have no more.
            DirectoryError: any other failure.
        """

    async def remove(self, agent: str, name: str | None) -> None:
        """Remove a service of an agent of this container, or all of its services.

        Raises:
            NotRegisteredError: there is none.
            DirectoryError: any other failure.
        """

    def search(self, query: Query) -> Coroutine[Any, Any, tuple[ServiceDescription, ...]]:
        """Return the services that match a query, as a coroutine.

        Raises:
            DirectoryError: the search failed.
        """

    async def watch(self, query: Query, notice: Notice) -> Watch:
        """Call `notice` with the services that match a query, then with each change.

        Raises:
            DirectoryError: the query cannot be watched.
        """

    def agent_gone(self, agent: str) -> None:
        """Remove the services of an agent of this container that has ended."""

    def hand_over(self, agent: str) -> Registrations | None:
        """Return what moves with an agent of this container; None if there is nothing.

        Nothing changes here, as the agent may stay after all.

        Raises:
            MoveError: the agent cannot move now; the message says why.
        """

    def take_over(self, agent: str, registrations: Registrations) -> Successor | None:
        """Take over the result of `hand_over` elsewhere for an agent that lives here now.

        Returns:
            The `successor` for `release` in the agent's former container.
        """

    def release(self, agent: str, successor: Successor | None) -> None:
        """Forget an agent that lives elsewhere now, even if nothing is known of it.

        Args:
            agent: its full name.
            successor: the result of `take_over` there; None as well if the agent is no longer there.
        """

    def on_listed(self) -> None:
        """Called when this container is put on the platform's list: it may have been forgotten before."""

    def has_told(self, domain: str) -> bool:  # noqa: ARG002 -- a replica needs it
        """Return whether another container has sent all entries that it sends without being asked."""
        return True

    def joined(self, domain: str, incarnation: int) -> None:
        """Called when another container is a member and has a link to this one; again with each new link."""

    def lost(self, domain: str) -> None:
        """Called when another container is no longer a member."""

    def on_control(self, domain: str, payload: bytes) -> None:
        """Handle a control message of another container's part; ValueError if it is invalid."""

    async def close(self) -> None:
        """Stop."""


class Directory:
    """The platform's directory of services: `container.directory`."""

    __slots__ = ("_backend",)

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    @property
    def _part(self) -> Backend:
        """The container's part.

        Raises:
            DirectoryError: it cannot be used.
        """
        if self._backend.refusal is not None:
            raise DirectoryError(self._backend.refusal)
        return self._backend

    def search(
        self, query: Query | None = None, /, **fields: Any
    ) -> Coroutine[Any, Any, tuple[ServiceDescription, ...]]:
        """Return the services that match, oldest first; at most 100 unless `max_results` is given.

        Args:
            query: the query.
            fields: instead of `query`, its fields, such as `type="printer"`.

        Raises:
            InvalidDescriptionError: the query is invalid.
            DirectoryError: the directory cannot be reached, or refuses.
        """
        # Not `async`, which would be one more step on the way to the directory and back.
        return self._part.search(Query(**fields) if query is None else query)

    def subscribe(self, query: Query | None = None, /, **fields: Any) -> Subscription:
        """Subscribe to the services that match, then to those that come and go.

        Use `async with`, then `async for`:

            async with agent.directory.subscribe(type="printer") as changes:
                async for change in changes:
                    ...

        Args:
            query: the query; its limits are ignored.
            fields: instead of `query`, its fields.

        Raises:
            InvalidDescriptionError: the query is invalid.
            DirectoryError: the platform has another kind of directory.
        """
        return Subscription(self._part, Query(**fields) if query is None else query)


class AgentDirectory(Directory):
    """An agent's access to the directory: `agent.directory`."""

    __slots__ = ("_agent",)

    def __init__(self, backend: Backend, agent: BaseAgent) -> None:
        self._backend = backend
        self._agent = agent

    async def register(
        self,
        type: str,  # noqa: A002 -- FIPA00023's name for it
        name: str = "",
        *,
        protocols: Sequence[str] = (),
        ontologies: Sequence[str] = (),
        languages: Sequence[str] = (),
        ownership: str = "",
        properties: Mapping[str, Any] = _NO_PROPERTIES,
    ) -> ServiceDescription:
        """Register a service of this agent until it is deregistered or the agent ends.

        Args: those of `ServiceDescription`.

        Raises:
            AlreadyRegisteredError: the agent has a service of this name.
            TooManyServicesError: the agent has 10 000 services, its roles in groups included.
            InvalidDescriptionError: a value is invalid.
            DirectoryError: the directory cannot be reached, or refuses.
            AgentStateError: the agent has ended.
        """
        service = self._describe(type, name, protocols, ontologies, languages, ownership, dict(properties))
        await self._part.put(service.agent, service, is_new=True)
        return service

    async def modify(
        self,
        type: str,  # noqa: A002 -- as above
        name: str = "",
        *,
        protocols: Sequence[str] = (),
        ontologies: Sequence[str] = (),
        languages: Sequence[str] = (),
        ownership: str = "",
        properties: Mapping[str, Any] = _NO_PROPERTIES,
    ) -> ServiceDescription:
        """Replace this agent's service of the same name.

        Args: those of `ServiceDescription`.

        Raises:
            NotRegisteredError: the agent has no service of this name.
            InvalidDescriptionError, DirectoryError, AgentStateError: as of `register`.
        """
        service = self._describe(type, name, protocols, ontologies, languages, ownership, dict(properties))
        await self._part.put(service.agent, service, is_new=False)
        return service

    async def deregister(self, name: str | None = None) -> None:
        """Deregister a service of this agent.

        Args:
            name: the service's name; None for all that the agent has registered, except its roles in groups,
                which have entries of their own.

        Raises:
            NotRegisteredError: the agent has none, or none of this name.
            InvalidDescriptionError: the name is that of one of the platform's own entries.
            DirectoryError: the directory cannot be reached, or refuses.
            AgentStateError: the agent has ended, and its services with it.
        """
        if name is not None:
            _check_name(name)
        await self._part.remove(self._address(), name)

    def _describe(self, *details: Any) -> ServiceDescription:
        service = ServiceDescription(self._address(), *details)
        _check_name(service.type)
        _check_name(service.name)
        return service

    def _address(self) -> str:
        if self._agent.state is AgentState.GONE:  # there may be another agent of its name by now
            raise AgentStateError(f"agent {self._agent.name} has ended, so it cannot offer services")
        if self._agent.state is AgentState.TRANSIT:  # its registrations move with it
            raise AgentStateError(f"agent {self._agent.name} is on its way to another container")
        address = self._agent.address
        assert address is not None, "an agent in a container has an address"
        return address


def _check_name(name: str) -> None:
    if name.startswith(RESERVED):
        raise InvalidDescriptionError(
            f"types and names that begin with {RESERVED!r} are reserved; choose another than {name!r}"
        )


@dataclass(frozen=True, slots=True)
class Change:
    """A change among the services that match a query.

    Attributes:
        services: those that are new or changed.
        gone: those that no longer match.
    """

    services: tuple[ServiceDescription, ...]
    gone: tuple[Gone, ...]


class Subscription:
    """The services that match a query, as they come and go. Use `async with`, then `async for`.

    The first change has all that match at the beginning, and may be empty. A slow reader gets all changes
    since its last as one, with the latest version of each service. The iteration ends when the block is left
    in another task, or the container is closed.
    """

    def __init__(self, backend: Backend, query: Query) -> None:
        self._backend = backend
        self._query = query
        self._watch: Watch | None = None
        self._changes: dict[tuple[str, str], ServiceDescription | None] = {}
        self._has_news = asyncio.Event()
        self._is_over = False

    async def __aenter__(self) -> Self:
        self._watch = await self._backend.watch(self._query, self._take)
        self._backend.open_subscriptions.add(self)
        return self

    async def __aexit__(self, *_: object) -> None:
        watch, self._watch = self._watch, None
        self.end()
        if watch is not None:
            await watch.close()

    def end(self) -> None:
        """End the iteration."""
        self._backend.open_subscriptions.discard(self)
        self._is_over = True
        self._has_news.set()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Change:
        if self._watch is None:
            raise DirectoryError("the subscription is not open; use it as: async with ... as changes")
        await rest_until(self._has_news)
        if self._is_over:
            raise StopAsyncIteration
        self._has_news.clear()
        changes, self._changes = self._changes, {}
        return Change(
            tuple(service for service in changes.values() if service is not None),
            tuple(Gone(*key) for key, service in changes.items() if service is None),
        )

    def _take(self, services: Sequence[ServiceDescription], gone: Sequence[Gone]) -> None:
        for service in services:
            self._changes[service.agent, service.name] = service
        for each in gone:
            self._changes[each.agent, each.name] = None
        self._has_news.set()
