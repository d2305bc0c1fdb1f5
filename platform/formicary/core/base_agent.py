"""The base of all agents: name, state, container, start and end."""

from __future__ import annotations

import asyncio
import enum
from typing import TYPE_CHECKING, Any, ClassVar, Never, TypeVar, TypeVarTuple

from formicary.core.errors import AgentStateError, ContainerClosedError, MoveError
from formicary.core.failures import AgentFailures, describe
from formicary.core.message import stamp
from formicary.core.names import MANAGEMENT, check_local
from formicary.core.reserved import reserved
from formicary.core.times import check_duration, check_limit

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping
    from datetime import datetime

    from formicary.container.container import Container  # as users see what agents live in
    from formicary.core.failures import FailureRecord
    from formicary.core.host import Host
    from formicary.core.message import Message
    from formicary.directory.interface import AgentDirectory
    from formicary.groups.interface import AgentGroups
    from formicary.protocols.conversations import Conversations

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

ANSWERS_WITHIN = 30.0
"""How many seconds a container gets to answer when only that one is asked, if nothing else is said."""


class AgentState(enum.Enum):
    """The states of an agent's life cycle (FIPA00023, section 5.1)."""

    INITIATED = "initiated"
    ACTIVE = "active"
    SUSPENDED = "suspended"
    WAITING = "waiting"
    TRANSIT = "transit"
    """Stopped where it was, and not yet started where it goes."""
    DEACTIVATED = "deactivated"
    """Asleep in its container's file (as in Aglets)."""
    GONE = "gone"


_INITIATED, _GONE = AgentState.INITIATED, AgentState.GONE


def set_state(agent: BaseAgent, state: AgentState) -> None:
    """Set the state of an agent; for whatever moves it."""
    agent._state = state  # noqa: SLF001 -- `state` is reserved


class BaseAgent:
    """An agent of either kind; subclass `Agent` or `MicroAgent`, not this."""

    _speaks_for_container: ClassVar = False  # the management agent does
    # For `core.definitions`: which methods of subclasses are awaited, and the class itself, once it was
    # looked at.
    _awaited_methods: ClassVar[tuple[str, ...]] = ("before_move", "after_move", "after_clone")
    _checked_agent: ClassVar[type | None] = None
    responders: ClassVar[Mapping[Any, Any]] = {}
    """What the class's `@responds` say: who takes part in which protocol; for `formicary.protocols`."""

    __slots__ = ("__weakref__", "_address", "_container", "_end", "_failures", "_name", "_state")

    # Of agents that move. These are no slots: who does not move has none of them.
    data: Any = None
    """What is carried when the agent moves, which is a dataclass, a msgspec struct, or plain data.

    A subclass declares its type by an annotation, `data: Basket`, by which it is checked where it arrives;
    without one it is made of None, bool, int, float, text, bytes, lists, tuples, sets and dicts.
    """
    data_version: ClassVar[int] = 1
    """Of which version `data` is; see `upgrade`."""
    transient: ClassVar[tuple[str, ...]] = ()
    """The names of attributes that are not carried; an agent with any other attribute than `data` stays."""

    def __init__(self, name: str) -> None:
        self._name = check_local(name)
        if name == MANAGEMENT and not self._speaks_for_container:
            raise AgentStateError(f"{name!r} is the container's management agent; choose another name")
        self._address: str | None = None
        self._state = _INITIATED
        self._container: Host = None  # type: ignore[assignment]  # a container starts agents
        self._failures: AgentFailures | None = None  # made by the first
        self._end: asyncio.Future[None] | None = None  # made for the first who joins

    @reserved
    def name(self) -> str:
        """Its own name, such as `alice`."""
        return self._name

    @reserved
    def address(self) -> str | None:
        """The full name, `alice@c1.lab.localhost`; None until the agent is in a container."""
        return self._address

    @reserved
    def state(self) -> AgentState:
        """Where the agent is in its life cycle."""
        return self._state

    @reserved
    def container(self) -> Container:
        """The container that the agent lives in.

        Raises:
            ContainerClosedError: it has not been started in one.
        """
        if self._container is None:
            raise ContainerClosedError(f"agent {self.name} is not in a container; container.start() it first")
        return self._container  # type: ignore[return-value]  # there is no other host

    @reserved
    def directory(self) -> AgentDirectory:
        """The platform's directory of what the agent offers, and what others do.

        Raises:
            ContainerClosedError: the agent has not been started in a container, or that is not open.
        """
        return self.container.platform_services.directory_of(self)

    @reserved
    def groups(self) -> AgentGroups:
        """The platform's groups, and the roles that this agent plays in them.

        Raises:
            ContainerClosedError: the agent has not been started in a container, or that is not open.
        """
        return self.container.platform_services.groups_of(self)

    @reserved
    def conversations(self) -> Conversations:
        """The agent's conversations.

        Raises:
            ContainerClosedError: it has not been started in a container.
        """
        return self.container.conversation_service.of(self)  # type: ignore[arg-type]  # it is of either kind

    def compute(
        self, function: Callable[[*Ts], T], *arguments: *Ts, timeout: float | None = None
    ) -> Coroutine[Any, Any, T]:
        """Run a plain function beside the event loop; await it. Arguments, errors: as of `Container.compute`.

        Others keep running meanwhile. What computes for more than a few milliseconds belongs here.
        """
        return self.container.compute(function, *arguments, timeout=timeout)

    # -- moving ---------------------------------------------------------------------------------------------

    async def move(self, to: str) -> None:
        """Move the agent to another container, under the same name; do nothing if it is there.

        Its behaviours come to rest first: each waits in `receive`, for its time or for what a subscription to
        the directory or a group tells, or is between two runs.
        What is carried is `data`, its knowledge, its behaviours with theirs, and its unread messages; code
        is not. Called by one of its own behaviours, it does not return: `run` begins anew where the agent
        arrives.

        Args:
            to: the container's name or domain.

        Raises:
            MoveError: it does not move, and continues where it is; or it has ended where it has arrived, as
                its `after_move` has failed, or with that container: the sentence says so.
            AgentStateError: it is not in a container, or has moved away before.
        """
        await self.container.platform_services.mobility.move(self, to)

    async def clone(self, to: str, name: str, *, timeout: float = ANSWERS_WITHIN) -> None:
        """Start another agent in a container, with a copy of all that `move` carries except messages.

        Args:
            to: the container's name or domain.
            name: the clone's own name there.
            timeout: for how many seconds that container is waited for; an `after_clone` that takes long needs
                more.

        Raises:
            UsageError: the time is none.
            MoveError: there is no clone; or the other container has not answered in time, and the clone may
                begin yet: the sentence says so.
            AgentStateError: the agent is not in a container, or has moved away before.
        """
        check_duration(timeout, "timeout=")
        await self.container.platform_services.mobility.clone(self, to, name, timeout)

    async def deactivate(self, timeout: float | None = None, *, deadline: datetime | None = None) -> None:
        """Save the agent to its container's file, where it sleeps, and free its memory.

        A message wakes it; then its behaviours begin anew. Called by one of its own, it does
        not return, as `move` does not; but where a message is there that would wake it at once, the agent
        does not sleep, and this returns.

        Args:
            timeout: how many seconds to sleep, unless a message comes before; None until one comes.
            deadline: until when, instead.

        Raises:
            MoveError: it cannot sleep, and continues.
            UsageError: that is no time.
            AgentStateError: it is not in a container, or has moved away before.
        """
        await self.container.platform_services.sleeping.deactivate(self, check_limit(timeout, deadline))

    async def before_move(self, destination: str) -> None:
        """Prepare to move; for subclasses. Everything keeps running meanwhile. Not called for a clone.

        Args:
            destination: the full domain of the container.

        Raises:
            MoveError: the agent does not want to; who asked is told the sentence. After any other exception
                it stays, too.
        """

    async def after_move(self, origin: str) -> None:
        """Prepare the agent where it has arrived; for subclasses. Its behaviours start after it.

        What it raises ends the agent, as of `setup`.

        Args:
            origin: the full domain of the container that it comes from.
        """

    async def after_clone(self, original: str) -> None:
        """Prepare a clone, as `after_move` an agent; for subclasses.

        Args:
            original: the full name of the agent that it is made after.
        """

    @classmethod
    def upgrade(cls, data: Any, version: int) -> Any:
        """Turn `data` of another version into that of this one; for subclasses.

        Args:
            data: as plain data: an object of a class is a dict of its fields.
            version: the `data_version` of the class that it comes from.

        Returns:
            Plain data, which is checked against the type of `data`.

        Raises:
            MoveError: there is no way from that version.
        """
        del data
        return cls._cannot_upgrade(version)

    @classmethod
    def _cannot_upgrade(cls, version: int) -> Never:
        raise MoveError(
            f"its data has version {version}, but {cls.__name__} there has version "
            f"{cls.data_version}: write an upgrade() for it, or install the same version"
        )

    # -- the end --------------------------------------------------------------------------------------------

    async def join(self) -> None:
        """Wait until the agent is gone.

        Raises:
            Exception: the first that its setup or one of its behaviours (or its `handle`) has raised, as soon
                as it has, whether the agent lives on or not.
        """
        if self._failures is None and self._state is not AgentState.GONE:
            if self._end is None:
                self._end = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._end)
        if self._failures is not None:
            error = self._failures.first
            self._container.lifecycle.failure_told(error)
            raise error

    @reserved
    def can_proceed(self) -> bool:
        """Whether it may still do something: false of an agent whose last behaviour has failed."""
        return True

    @reserved
    def failures(self) -> int:
        """How many of its behaviours have failed, or how often its `setup` or `handle` has."""
        return 0 if self._failures is None else self._failures.total

    @reserved
    def last_failure(self) -> FailureRecord | None:
        """The latest failure; None if there was none."""
        return None if self._failures is None else self._failures.latest

    # -- what the container asks for ------------------------------------------------------------------------

    def enter_container(self, container: Host, address: str) -> None:
        """Called by the container that starts the agent, with its full name there."""
        self._container = container
        self._address = address

    def record_failure(self, part: str, error: BaseException) -> None:
        """Record that a part of the agent, such as `setup`, has failed; `join` raises it."""
        if not self._container.lifecycle.is_failure(error):
            return
        failure = describe(f"{self.name}/{part}", error)
        if self._failures is None:
            self._failures = AgentFailures(error, failure)
        else:
            self._failures.latest = failure
            self._failures.total += 1
        self._container.lifecycle.agent_failed(failure, error)
        self._let_go()

    def _let_go(self) -> None:
        """Wake all that wait in `join`."""
        if self._end is not None and not self._end.done():
            self._end.set_result(None)

    def become_gone(self) -> None:
        """Be gone, and have the container know."""
        if self._state is not _GONE:
            if self._container is not None:
                lifecycle = self._container.lifecycle  # one that has moved away is not gone
                self._state = _GONE
                lifecycle.agent_gone(self)
            self._state = _GONE
            self._let_go()

    def leave_container(self, tombstone: Host, error: BaseException | None) -> None:
        """Become the remnant of an agent that continues elsewhere; for mobility.

        Args:
            tombstone: takes the place of the container.
            error: what those get who join; None if they wait on, for its end elsewhere.
        """
        self._container = tombstone
        if error is not None:
            if self._end is None or self._end.done():
                self._end = asyncio.get_running_loop().create_future()
            self._end.set_exception(error)
            self._end.exception()  # it is no mistake if nobody joins

    def ended_elsewhere(self) -> None:
        """Mark the agent as gone, as it has ended elsewhere; for mobility."""
        self._state = _GONE
        self._let_go()

    @reserved
    def is_ending(self) -> bool:
        """Whether it has begun to end."""
        return False

    def end_at_once(self) -> None:
        """End the agent without waiting for it."""
        raise NotImplementedError

    def abandon(self) -> None:
        """End the agent without waiting for it, and have nothing of it begin any more."""
        self.end_at_once()

    def _stamped(self, message: Message) -> Message:
        address = self._address
        if address is None:
            raise ContainerClosedError(f"agent {self.name} cannot send before a container has started it")
        return stamp(message, address)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.address or self.name} {self.state.value}>"
