"""What all agents have in common: a name, a state, a container, a beginning and an end."""

from __future__ import annotations

import asyncio
import enum
from typing import TYPE_CHECKING, ClassVar

from formicary.core.errors import AgentStateError, ContainerClosedError
from formicary.core.failures import AgentFailures, describe
from formicary.core.message import stamp
from formicary.core.names import MANAGEMENT, check_local

if TYPE_CHECKING:
    from formicary.container.container import Container  # as users see what agents live in
    from formicary.core.failures import Failure
    from formicary.core.host import Host
    from formicary.core.message import Message
    from formicary.directory.interface import AgentDirectory
    from formicary.groups.interface import AgentGroups


class AgentState(enum.Enum):
    """The states of an agent's life cycle (FIPA00023, section 5.1)."""

    INITIATED = "initiated"
    ACTIVE = "active"
    SUSPENDED = "suspended"
    WAITING = "waiting"
    GONE = "gone"


_INITIATED, _GONE = AgentState.INITIATED, AgentState.GONE


class BaseAgent:
    """An agent of either kind; subclass `Agent` or `MicroAgent`, not this."""

    _speaks_for_container: ClassVar = False  # the management agent does
    # For `core.definitions`: which methods of subclasses are awaited, and the class itself, once it was
    # looked at.
    awaited_methods: ClassVar[tuple[str, ...]] = ()
    checked_agent: ClassVar[type | None] = None

    __slots__ = ("__weakref__", "_container", "_end", "_failures", "address", "name", "state")

    address: str | None
    """The full name, `alice@c1.lab.localhost`; None until the agent is in a container."""

    def __init__(self, name: str) -> None:
        self.name = check_local(name)
        if name == MANAGEMENT and not self._speaks_for_container:
            raise AgentStateError(f"{name!r} is the container's management agent; take another name")
        self.address = None
        self.state = _INITIATED
        self._container: Host = None  # type: ignore[assignment]  # a container starts agents
        self._failures: AgentFailures | None = None  # made by the first
        self._end: asyncio.Future[None] | None = None  # made for the first who joins

    @property
    def container(self) -> Container:
        """The container that the agent lives in.

        Raises:
            ContainerClosedError: it has not been started in one.
        """
        if self._container is None:
            raise ContainerClosedError(f"agent {self.name} is not in a container; container.start() it first")
        return self._container  # type: ignore[return-value]  # there is no other host

    @property
    def directory(self) -> AgentDirectory:
        """The platform's directory of what the agent offers, and what others do.

        Raises:
            ContainerClosedError: the agent has not been started in a container, or that is not open.
        """
        return self.container.platform_services.directory_of(self)

    @property
    def groups(self) -> AgentGroups:
        """The platform's groups, and the roles that this agent plays in them.

        Raises:
            ContainerClosedError: the agent has not been started in a container, or that is not open.
        """
        return self.container.platform_services.groups_of(self)

    async def join(self) -> None:
        """Wait until the agent is gone.

        Raises:
            Exception: the first that its setup or one of its behaviours (or its `handle`) has raised, as soon
                as it has, whether the agent lives on or not.
        """
        if self._failures is None and self.state is not AgentState.GONE:
            if self._end is None:
                self._end = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._end)
        if self._failures is not None:
            error = self._failures.first
            self._container.lifecycle.failure_told(error)
            raise error

    @property
    def failures(self) -> int:
        """How many of its behaviours have failed, or how often its `setup` or `handle` has."""
        return 0 if self._failures is None else self._failures.total

    @property
    def last_failure(self) -> Failure | None:
        """What is known of the latest failure; None if there was none."""
        return None if self._failures is None else self._failures.latest

    # -- what the container asks for ------------------------------------------------------------------------

    def enter_container(self, container: Host, address: str) -> None:
        """Called by the container that starts the agent, with its full name there."""
        self._container = container
        self.address = address

    def record_failure(self, part: str, error: BaseException) -> None:
        """Note that a part of the agent has failed, such as `setup`; those who join are told."""
        failure = describe(f"{self.name}/{part}", error)
        if self._failures is None:
            self._failures = AgentFailures(error, failure)
        else:
            self._failures.latest = failure
            self._failures.total += 1
        self._container.lifecycle.agent_failed(failure, error)
        self._let_go()

    def _let_go(self) -> None:
        """Let those go on who join."""
        if self._end is not None and not self._end.done():
            self._end.set_result(None)

    def become_gone(self) -> None:
        """Be gone, and have the container know."""
        if self.state is not _GONE:
            self.state = _GONE
            if self._container is not None:
                self._container.lifecycle.agent_gone(self)
            self._let_go()

    def end_at_once(self) -> None:
        """End the agent without waiting for it."""
        raise NotImplementedError

    def abandon(self) -> None:
        """End the agent without waiting for it, and have nothing of it begin any more."""
        self.end_at_once()

    def _stamped(self, message: Message) -> Message:
        address = self.address
        if address is None:
            raise ContainerClosedError(f"agent {self.name} cannot send before a container has started it")
        return stamp(message, address)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.address or self.name} {self.state.value}>"
