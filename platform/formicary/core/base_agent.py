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
"""The default timeout in seconds of requests to one container."""


class AgentState(enum.Enum):
    """The states of an agent's life cycle (FIPA00023, section 5.1)."""

    INITIATED = "initiated"
    ACTIVE = "active"
    SUSPENDED = "suspended"
    WAITING = "waiting"
    TRANSIT = "transit"
    """Stopped at its source, and not yet started at its destination."""
    DEACTIVATED = "deactivated"
    """Asleep in its container's file (as in Aglets)."""
    GONE = "gone"


_INITIATED, _GONE = AgentState.INITIATED, AgentState.GONE


def set_state(agent: BaseAgent, state: AgentState) -> None:
    """Set the state of an agent; for whatever moves it."""
    agent._state = state  # noqa: SLF001 -- `state` is reserved


class BaseAgent:
    """The base class of both kinds of agents. Subclass `Agent` or `MicroAgent`, not this."""

    _speaks_for_container: ClassVar = False  # the management agent does
    # For `core.definitions`: which methods of subclasses are awaited, and the class itself once it was
    # checked.
    _awaited_methods: ClassVar[tuple[str, ...]] = ("before_move", "after_move", "after_clone")
    _checked_agent: ClassVar[type | None] = None
    responders: ClassVar[Mapping[Any, Any]] = {}
    """The class's methods with `@responds`, by protocol and role; for `formicary.protocols`."""

    __slots__ = ("__weakref__", "_address", "_container", "_end", "_failures", "_name", "_state")

    # Of agents that move. These are not slots, as agents that do not move have none of them.
    data: Any = None
    """The data that moves with the agent, which is a dataclass, a msgspec struct, or plain data.

    A subclass declares its type by an annotation, such as `data: Basket`, against which it is checked on
    arrival. Without one, it consists of None, bool, int, float, text, bytes, lists, tuples, sets and dicts.
    """
    data_version: ClassVar[int] = 1
    """The version of `data`; see `upgrade`."""
    transient: ClassVar[tuple[str, ...]] = ()
    """The names of attributes that are not carried; with any others besides `data`, the agent cannot move."""

    def __init__(self, name: str) -> None:
        self._name = check_local(name)
        if name == MANAGEMENT and not self._speaks_for_container:
            raise AgentStateError(f"{name!r} is the container's management agent; choose another name")
        self._address: str | None = None
        self._state = _INITIATED
        self._container: Host = None  # type: ignore[assignment]  # until a container starts it
        self._failures: AgentFailures | None = None  # made for the first failure
        self._end: asyncio.Future[None] | None = None  # made for the first `join`

    @reserved
    def name(self) -> str:
        """The agent's own name, such as `alice`."""
        return self._name

    @reserved
    def address(self) -> str | None:
        """The full name, `alice@c1.lab.localhost`; None until the agent is in a container."""
        return self._address

    @reserved
    def state(self) -> AgentState:
        """The state of the agent's life cycle."""
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
        """The platform's directory, to register services and find those of others.

        Raises:
            ContainerClosedError: the agent has not been started in a container, or that is not open.
        """
        return self.container.platform_services.directory_of(self)

    @reserved
    def groups(self) -> AgentGroups:
        """The platform's groups, to play roles in them and find the players of others.

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
        """Run a plain function beside the event loop; await it. Arguments, errors: see `Container.compute`.

        Other agents keep running. Use it for computations of more than a few milliseconds.
        """
        return self.container.compute(function, *arguments, timeout=timeout)

    # -- moving ---------------------------------------------------------------------------------------------

    async def move(self, to: str) -> None:
        """Move the agent to another container, under the same name; do nothing if it is there.

        Its behaviours come to rest first: each waits in `receive`, until it is due, or for a change of the
        directory or a group, or is between two runs. The agent's `data`, its values of `set`, its behaviours
        with their data, and its unread messages move with it; code does not. If one of its own behaviours
        calls this, it does not return: `run` starts again at the destination.

        Args:
            to: the container's name or domain.

        Raises:
            MoveError: it does not move, and continues where it is; or it has ended at the destination, as its
                `after_move` failed or that container ended. The message says which.
            AgentStateError: it is not in a container, or has already moved away.
            asyncio.CancelledError: when cancelled; it stays, unless its move was already decided.
        """
        await self.container.platform_services.mobility.move(self, to)

    async def clone(self, to: str, name: str, *, timeout: float = ANSWERS_WITHIN) -> None:
        """Start another agent in a container, with a copy of all that `move` carries except messages.

        Args:
            to: the container's name or domain.
            name: the clone's own name there.
            timeout: seconds to wait for that container; a slow `after_clone` needs more.

        Raises:
            UsageError: the timeout is not a number above 0.
            MoveError: there is no clone; or the container did not answer in time, and the clone may still
                start. The message says which.
            AgentStateError: the agent is not in a container, or has already moved away.
        """
        check_duration(timeout, "timeout=")
        await self.container.platform_services.mobility.clone(self, to, name, timeout)

    async def deactivate(self, timeout: float | None = None, *, deadline: datetime | None = None) -> None:
        """Save the agent to its container's file, where it sleeps, and free its memory.

        A message wakes it; then its behaviours start again. If one of its own behaviours calls this, it does
        not return, unless a message is waiting that would wake the agent at once: then the agent does not
        sleep.

        Args:
            timeout: the most seconds to sleep; None for no limit.
            deadline: when to wake, instead of a timeout.

        Raises:
            MoveError: it cannot sleep, and continues.
            UsageError: the timeout or the deadline is not a time, or both are given.
            AgentStateError: it is not in a container, or has already moved away.
        """
        await self.container.platform_services.sleeping.deactivate(self, check_limit(timeout, deadline))

    async def before_move(self, destination: str) -> None:
        """Prepare to move; for subclasses. The behaviours are still running. Not called for a clone.

        Args:
            destination: the full domain of the container.

        Raises:
            MoveError: the agent refuses; the message is passed on to whoever asked. It also stays after any
                other exception.
        """

    async def after_move(self, origin: str) -> None:
        """Prepare the agent at its destination; for subclasses. Its behaviours start afterwards.

        An exception ends the agent, as in `setup`.

        Args:
            origin: the full domain of the container that it has left.
        """

    async def after_clone(self, original: str) -> None:
        """Prepare a clone, as `after_move` prepares an agent; for subclasses.

        Args:
            original: the full name of the agent of which it is a copy.
        """

    @classmethod
    def upgrade(cls, data: Any, version: int) -> Any:
        """Convert `data` of another version; for subclasses.

        Args:
            data: plain data: an object is a dict of its fields.
            version: its `data_version`.

        Returns:
            Plain data, which is checked against the type of `data`.

        Raises:
            MoveError: data of that version cannot be converted.
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
            Exception: the first exception of its `setup`, `handle` or behaviours, at once, even if the agent
                continues.
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
        """Whether it may still do something: not if its last behaviour has failed."""
        return True

    @reserved
    def failures(self) -> int:
        """The number of failures of its `setup`, `handle` and behaviours."""
        return 0 if self._failures is None else self._failures.total

    @reserved
    def last_failure(self) -> FailureRecord | None:
        """The latest failure; None if there was none."""
        return None if self._failures is None else self._failures.latest

    # -- for the container -------------------------------------------------------------------------------

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
        """Become gone, and notify the container."""
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
            error: what `join` raises; None if it keeps waiting for the agent's end elsewhere.
        """
        self._container = tombstone
        if error is not None:
            if self._end is None or self._end.done():
                self._end = asyncio.get_running_loop().create_future()
            self._end.set_exception(error)
            self._end.exception()  # nobody has to join

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
        """End the agent without waiting for it; nothing of it starts any more."""
        self.end_at_once()

    def _stamped(self, message: Message) -> Message:
        address = self._address
        if address is None:
            raise ContainerClosedError(f"agent {self.name} cannot send before a container has started it")
        return stamp(message, address)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.address or self.name} {self.state.value}>"
