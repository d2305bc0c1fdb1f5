"""Agents: those with behaviours, and the lighter ones that only handle messages."""

from __future__ import annotations

import asyncio
import enum
import inspect
import random
from typing import TYPE_CHECKING, Any, Protocol

from formicary.errors import AgentStateError, ContainerClosedError
from formicary.message import stamped
from formicary.names import MANAGEMENT, check_local
from formicary.strand import Strand

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

    from formicary.behaviours import Behaviour
    from formicary.container import Container
    from formicary.message import Message
    from formicary.strand import RunQueue
    from formicary.template import Template


class AgentState(enum.Enum):
    """The states of an agent's life cycle (FIPA00023, section 5.1)."""

    INITIATED = "initiated"
    ACTIVE = "active"
    SUSPENDED = "suspended"
    WAITING = "waiting"
    GONE = "gone"


class Place(Protocol):
    """Somewhere a message can wait to be received."""

    def _put(self, message: Message) -> bool: ...
    async def _room(self) -> None: ...
    def is_done(self) -> bool: ...


class _Resident:
    """What both kinds of agents have in common: a name, a container, a beginning and an end."""

    __slots__ = ("__weakref__", "_container", "_end", "_error", "address", "name", "state")

    address: str | None
    """The full name, `alice@c1.lab.localhost`; None until the agent is in a container."""

    def __init__(self, name: str) -> None:
        self.name = check_local(name)
        if name == MANAGEMENT:
            raise AgentStateError(f"{name!r} is the container's management agent; take another name")
        self.address = None
        self.state = AgentState.INITIATED
        self._container: Container = None  # type: ignore[assignment]  # a container starts agents
        self._error: BaseException | None = None
        self._end: asyncio.Future[None] | None = None  # made for the first who joins

    @property
    def container(self) -> Container:
        """The container that the agent lives in.

        Raises:
            ContainerClosedError: it has not been started in one.
        """
        if self._container is None:
            raise ContainerClosedError(f"agent {self.name} is not in a container; container.start() it first")
        return self._container

    async def join(self) -> None:
        """Wait until the agent is gone.

        Raises:
            Exception: the first that its setup or one of its behaviours (or its `handle`) has raised, as soon
                as it has, whether the agent lives on or not.
        """
        if self._error is None and self.state is not AgentState.GONE:
            if self._end is None:
                self._end = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._end)
        if self._error is not None:
            raise self._error

    def _failed(self, error: BaseException) -> None:
        if self._error is None:
            self._error = error
        self._let_go()

    def _let_go(self) -> None:
        """Let those go on who join."""
        if self._end is not None and not self._end.done():
            self._end.set_result(None)

    def _vanish(self) -> None:
        if self.state is not AgentState.GONE:
            self.state = AgentState.GONE
            if self._container is not None:
                self._container._forget(self)
            self._let_go()

    def _stamped(self, message: Message) -> Message:
        address = self.address
        if address is None:
            raise ContainerClosedError(f"agent {self.name} cannot send before a container has started it")
        return stamped(message, address)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.address or self.name} {self.state.value}>"


class Agent(_Resident):
    """An agent with behaviours.

    Make it, add behaviours, and have a container start it; or subclass it and add them in `setup`.

    Args:
        name: its own name, unique in its container, such as `"alice"`.

    Raises:
        InvalidNameError: the name cannot be an agent's.
    """

    __slots__ = ("_behaviours", "_knowledge", "_random", "_stopping")

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._behaviours: tuple[Behaviour, ...] = ()
        self._knowledge: dict[str, Any] | None = None
        self._random: random.Random | None = None
        self._stopping = False

    async def setup(self) -> None:
        """Prepare the agent, when its container starts it; for subclasses. Behaviours start after it."""

    def add_behaviour(self, behaviour: Behaviour, template: Template | None = None) -> None:
        """Give the agent a behaviour, now or, if it has not started, when it starts.

        Args:
            behaviour: what to do; one that belongs to no agent yet.
            template: which messages it receives; None for the template it has, or else all.

        Raises:
            AgentStateError: the behaviour has an agent already, or this agent is gone.
        """
        if getattr(behaviour, "agent", None) is not None:
            raise AgentStateError(f"{behaviour} has an agent already; make a behaviour for each agent")
        if self.state is AgentState.GONE:
            raise AgentStateError(f"agent {self.name} is gone; make a new one")
        behaviour.agent = self
        if template is not None:
            behaviour.template = template
        if behaviour.template is not None:
            behaviour._matches = behaviour.template.match
        self._behaviours += (behaviour,)
        if self.state is not AgentState.INITIATED:
            self._container._start_behaviour(behaviour)

    def remove_behaviour(self, behaviour: Behaviour) -> None:
        """Take a behaviour away; it ends as by `kill`.

        Raises:
            AgentStateError: the agent does not have this behaviour.
        """
        if behaviour not in self._behaviours:
            raise AgentStateError(f"agent {self.name} does not have {behaviour}")
        behaviour.kill()
        if behaviour._strand is None or behaviour.is_done():
            self._dismiss(behaviour)

    @property
    def behaviours(self) -> Sequence[Behaviour]:
        """The behaviours that have not ended."""
        return self._behaviours

    def get(self, name: str) -> Any:
        """Return the agent's knowledge of `name`, None if it has none."""
        return self._knowledge.get(name) if self._knowledge else None

    def set(self, name: str, value: Any) -> None:
        """Set the agent's knowledge of `name`."""
        if self._knowledge is None:
            self._knowledge = {}
        self._knowledge[name] = value

    @property
    def random(self) -> random.Random:
        """The agent's own random generator; the same for the same name and the container's same seed."""
        if self._random is None:
            self._random = random.Random(f"{self.container.seed}/{self.address}")
        return self._random

    # -- life cycle -----------------------------------------------------------------------------------------

    def suspend(self) -> None:
        """Stop running its behaviours; messages wait in the mailboxes until `resume`.

        Raises:
            AgentStateError: the agent is not active.
        """
        self._hold(AgentState.SUSPENDED)

    def resume(self) -> None:
        """Go on after `suspend`.

        Raises:
            AgentStateError: the agent is not suspended.
        """
        self._release(AgentState.SUSPENDED)

    def wait(self) -> None:
        """Wait, as the agent's own decision, until somebody calls `wake_up`; messages wait as well.

        Raises:
            AgentStateError: the agent is not active.
        """
        self._hold(AgentState.WAITING)

    def wake_up(self) -> None:
        """Go on after `wait`.

        Raises:
            AgentStateError: the agent is not waiting.
        """
        self._release(AgentState.WAITING)

    async def stop(self) -> None:
        """End the agent: its behaviours end as by `kill`, and what they did not receive is dead letters.

        Called by one of its own behaviours it only begins the end and returns, and the behaviour ends after
        its current `run`; otherwise it returns when the agent is gone. Again, it does nothing.
        """
        if self.state in {AgentState.INITIATED, AgentState.GONE}:
            self._vanish()
            return
        behaviours = self._behaviours
        self._stopping = True
        inside = any(behaviour._strand is not None and behaviour._strand.running for behaviour in behaviours)
        for behaviour in behaviours:
            behaviour.kill()
        if not self._behaviours:
            self._vanish()
        elif not inside:
            await self._container._wait_for_end(self)

    def _start(self, queue: RunQueue, limit: int) -> None:
        self.state = AgentState.ACTIVE
        for behaviour in self._behaviours:
            behaviour._start(queue, limit)

    def _hold(self, state: AgentState) -> None:
        if self.state is not AgentState.ACTIVE:
            raise AgentStateError(f"agent {self.name} is {self.state.value}, not active")
        self.state = state
        for behaviour in self._behaviours:
            if behaviour._strand is not None:
                behaviour._strand.hold()

    def _release(self, state: AgentState) -> None:
        if self.state is not state:
            raise AgentStateError(f"agent {self.name} is {self.state.value}, not {state.value}")
        self.state = AgentState.ACTIVE
        for behaviour in self._behaviours:
            if behaviour._strand is not None:
                behaviour._strand.release(behaviour._next)

    def _behaviour_ended(self, behaviour: Behaviour, error: BaseException | None) -> None:
        self._container._behaviour_ended(behaviour, error)
        if error is not None:
            self._failed(error)
        self._dismiss(behaviour)
        if not self._behaviours and self._stopping:
            self._vanish()

    def _dismiss(self, behaviour: Behaviour) -> None:
        self._behaviours = tuple(other for other in self._behaviours if other is not behaviour)
        for message in behaviour._empty():
            self._container.bury(message, f"{behaviour} ended before it received the message", self.address)

    # -- messages -------------------------------------------------------------------------------------------

    def _deliver(self, message: Message) -> Sequence[Place]:
        """Hand a message to every behaviour that wants it; return those whose mailbox is full."""
        full: Sequence[Place] = ()
        taken = False
        for behaviour in self._behaviours:
            matches = behaviour._matches
            if matches is None or matches(message):
                taken = True
                if not behaviour._put(message):
                    full = (*full, behaviour)
        if not taken:
            self._container.bury(message, f"no behaviour of agent {self.name} takes such a message", self.address)
        return full


class MicroAgent(_Resident):
    """The lightest agent: one method, called with each message. It has no task and no mailbox of its own.

    Its messages wait in its container's run queue, in which micro-agents take turns message by message. With
    an `async def handle`, messages may overlap: the next is handled while one awaits something.

    Args:
        name: its own name, unique in its container, such as `"cell-17"`.

    Raises:
        InvalidNameError: the name cannot be an agent's.
    """

    __slots__ = ("_queue",)

    def handle(self, message: Message) -> Awaitable[None] | None:
        """Do what the message asks for; for subclasses, as plain or `async` method.

        Args:
            message: a message to this agent.
        """
        raise NotImplementedError(f"{type(self).__name__} has no handle()")

    async def send(self, message: Message) -> None:
        """Send a message, waiting where there is no room; arguments and errors as of `Behaviour.send`."""
        if message.sender != self.address:
            message = self._stamped(message)
        await self.container._send(message)

    def send_nowait(self, message: Message) -> None:
        """Send a message to an agent of the same container, from plain code.

        Args:
            message: with at least one receiver, all of this container.

        Raises:
            MailboxFullError: a receiver has no room now; the others have the message.
            LinkError: a receiver is in another container; that takes waiting, so `await send()` there.
            ContainerClosedError: this agent is not in a running container.
        """
        if message.sender != self.address:
            message = self._stamped(message)
        container = self._container
        receiver = container._agents.get(message.to)
        if receiver is None or container.instruments:
            container._send_nowait(message)
        elif full := receiver._deliver(message):
            container._refuse(message, full)

    async def stop(self) -> None:
        """End the agent; messages to it that still wait are dead letters. Again, it does nothing."""
        self._vanish()

    def _start(self, queue: RunQueue, limit: int) -> None:
        del limit  # its messages wait in the queue, which has a limit of its own
        self.state = AgentState.ACTIVE
        self._queue = queue

    # -- messages -------------------------------------------------------------------------------------------

    def _deliver(self, message: Message) -> Sequence[Place]:
        queue = self._queue
        waiting = queue.micro
        if len(waiting) >= queue.limit:
            return (self,)
        waiting.append(self.handle)
        waiting.append(message)
        if not queue.awake:
            queue.wake()
        return ()

    def _put(self, message: Message) -> bool:
        return not self._deliver(message)

    async def _room(self) -> None:
        await self._queue.room()

    def is_done(self) -> bool:
        """Tell whether the agent is gone."""
        return self.state is AgentState.GONE

    # -- an asynchronous handle, once it awaits ---------------------------------------------------------------

    def _go_on(self, unfinished: Any) -> None:
        if not inspect.iscoroutine(unfinished):
            kind = type(unfinished).__name__
            self._failed(AgentStateError(f"handle() of agent {self.name} returned {kind}; it returns nothing"))
            return
        Strand(unfinished, self._queue, f"{self.name}/handle", self)

    def give_back(self, message: Message) -> None:
        """Take nothing back: a handler does not wait for messages."""

    def ended(self, strand: Strand) -> None:
        """Learn how `handle` went; for the strand."""
        error = None if strand.cancelled() else strand.exception()
        if error is not None:
            self._container._handle_failed(self, error)
