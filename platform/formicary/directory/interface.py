"""How agents use the directory, whatever its design, and what a design has to do for that."""

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
    """Called with what has come or changed, and with what has gone."""

_NO_PROPERTIES: Mapping[str, Any] = {}


class Watch(Protocol):
    """A query that is watched."""

    async def close(self) -> None:
        """Watch no more."""


class Backend(Protocol):
    """One container's part of the directory, however that is built."""

    channel: str
    refusal: str | None = None
    """Why agents cannot use it now, as a sentence."""
    open_subscriptions: set[Subscription]
    """Those that have begun, and not ended."""

    async def open(self) -> None:
        """Open what has a file; StoreError if it cannot be used."""

    async def put(self, agent: str, service: ServiceDescription, *, is_new: bool) -> None:
        """Register a service of an agent of this container, or put it in its own place.

        Raises:
            AlreadyRegisteredError, NotRegisteredError: it is there, though new; it is not, though not new.
            TooManyServicesError: the agent can have no more.
            DirectoryError: it is not done.
        """

    async def remove(self, agent: str, name: str | None) -> None:
        """Remove a service of an agent of this container, or all of its services.

        Raises:
            NotRegisteredError: there is none.
            DirectoryError: it is not done.
        """

    def search(self, query: Query) -> Coroutine[Any, Any, tuple[ServiceDescription, ...]]:
        """Return what matches a query; to be awaited.

        Raises:
            DirectoryError: it cannot be found out.
        """

    async def watch(self, query: Query, notice: Notice) -> Watch:
        """Call `notice` with what matches a query, then with each change.

        Raises:
            DirectoryError: this directory cannot, or does not.
        """

    def agent_gone(self, agent: str) -> None:
        """Called when an agent of this container has ended: its services are removed."""

    def hand_over(self, agent: str) -> Registrations | None:
        """Return what goes with an agent of this container that is about to move; None if nothing does.

        Nothing changes here: the agent may stay after all.

        Raises:
            MoveError: the agent cannot move now, with why.
        """

    def take_over(self, agent: str, registrations: Registrations) -> Successor | None:
        """Have from now on what `hand_over` has returned elsewhere, as the agent lives here now.

        Returns:
            What `release` is to be called with where the agent comes from.
        """

    def release(self, agent: str, successor: Successor | None) -> None:
        """Have nothing of an agent any more, which lives elsewhere now; also where it had nothing.

        Args:
            agent: its full name.
            successor: what `take_over` has returned there; None as well if the agent is not there any more.
        """

    def on_listed(self) -> None:
        """Called when this container is on the platform's list, and may have been forgotten before."""

    def has_told(self, domain: str) -> bool:  # noqa: ARG002 -- a replica needs it
        """Tell whether all is here that another container has to tell of its agents without being asked."""
        return True

    def joined(self, domain: str, incarnation: int) -> None:
        """Called when another container is a member and has a link to this one; again with each new link."""

    def lost(self, domain: str) -> None:
        """Called when another container is not a member any more."""

    def on_control(self, domain: str, payload: bytes) -> None:
        """Take a control message of another container's part; ValueError if it is none."""

    async def close(self) -> None:
        """End."""


class Directory:
    """The platform's directory of services, to search and to watch: `container.directory`.

    Args:
        backend: the container's part of it.
    """

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
        """Return the services that match, oldest first; at most 100, unless `max_results` says otherwise.

        Args:
            query: what is looked for.
            fields: or else the arguments of `Query`, such as `type="printer"`.

        Raises:
            InvalidDescriptionError: that cannot be looked for.
            DirectoryError: the directory cannot be reached, or does not do it.
        """
        # Not `async`, as that would be one more step on the way to the directory and back.
        return self._part.search(Query(**fields) if query is None else query)

    def subscribe(self, query: Query | None = None, /, **fields: Any) -> Subscription:
        """Return what gives the services that match, and then those that come and go.

        Use it as `async with`, and go through it with `async for`:

            async with agent.directory.subscribe(type="printer") as changes:
                async for change in changes:
                    ...

        Args:
            query: what is looked for; its limits do not count.
            fields: or else the arguments of `Query`.

        Raises:
            InvalidDescriptionError: that cannot be looked for.
            DirectoryError: the platform has another kind of directory.
        """
        return Subscription(self._part, Query(**fields) if query is None else query)


class AgentDirectory(Directory):
    """The directory as one agent sees it: `agent.directory`.

    Args:
        backend: the container's part of it.
        agent: the agent.
    """

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
        """Register a service of this agent. It stays until it is deregistered, or the agent ends.

        Args: those of `ServiceDescription`.

        Raises:
            AlreadyRegisteredError: the agent has a service of this name.
            TooManyServicesError: the agent has 10 000 services, its roles in groups included.
            InvalidDescriptionError: a value is none that a service can have.
            DirectoryError: the directory cannot be reached, or does not do it.
            AgentStateError: the agent has ended.
        """
        service = self._describe(
            type,
            name,
            protocols=protocols,
            ontologies=ontologies,
            languages=languages,
            ownership=ownership,
            properties=properties,
        )
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
        """Put a service in the place of this agent's service of the same name.

        Args: those of `ServiceDescription`.

        Raises:
            NotRegisteredError: the agent has no service of this name.
            InvalidDescriptionError, DirectoryError, AgentStateError: as of `register`.
        """
        service = self._describe(
            type,
            name,
            protocols=protocols,
            ontologies=ontologies,
            languages=languages,
            ownership=ownership,
            properties=properties,
        )
        await self._part.put(service.agent, service, is_new=False)
        return service

    async def deregister(self, name: str | None = None) -> None:
        """Deregister a service of this agent.

        Args:
            name: the service's name; None for all that the agent has registered. It goes on playing its roles
                in groups, which have entries of their own.

        Raises:
            NotRegisteredError: the agent has none, or none of this name.
            InvalidDescriptionError: it is the name of one of the platform's own entries.
            DirectoryError: the directory cannot be reached, or does not do it.
            AgentStateError: the agent has ended, and its services with it.
        """
        if name is not None:
            _check_name(name)
        await self._part.remove(self._address(), name)

    def _describe(self, type_: str, name: str, **details: Any) -> ServiceDescription:
        details["properties"] = dict(details["properties"])
        service = ServiceDescription(self._address(), type_, name, **details)
        _check_name(service.type)
        _check_name(service.name)
        return service

    def _address(self) -> str:
        if self._agent.state is AgentState.GONE:  # by now there may be another one of its name
            raise AgentStateError(f"agent {self._agent.name} has ended, so it cannot offer services")
        if self._agent.state is AgentState.TRANSIT:  # what it has is on the way
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
    """What has changed among the services that match a query.

    Attributes:
        services: those that have come, or are different now.
        gone: those that match no more, by agent and name.
    """

    services: tuple[ServiceDescription, ...]
    gone: tuple[Gone, ...]


class Subscription:
    """The services that match a query, as they come and go. Use it as `async with`, then `async for`.

    The first change has all that match at the beginning, and may be empty. A slow reader gets
    all that has happened meanwhile as one change, in which each service is as it was last. It ends when the
    block is left elsewhere, or the container is closed.

    Args:
        backend: the container's part of the directory.
        query: what is looked for.
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
        """End the iteration, as the block is left or the container is closed."""
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
