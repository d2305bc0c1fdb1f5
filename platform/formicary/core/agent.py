"""Agents with behaviours."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from formicary.core.base_agent import AgentState, BaseAgent
from formicary.core.choice import Choice
from formicary.core.conversing import Conversing
from formicary.core.copies import put_into_idle
from formicary.core.definitions import check_behaviour, matcher, not_initialised
from formicary.core.errors import AgentStateError, DefinitionError
from formicary.core.reserved import reserved
from formicary.core.template import Template, did_you_mean

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from formicary.core.behaviour import Behaviour
    from formicary.core.errors import FormicaryError
    from formicary.core.mailbox import Deliver, Mailbox, MessageSink
    from formicary.core.message import Message
    from formicary.core.scheduler import Scheduler
    from formicary.core.strand import Strand


# As names of this module: looking one up in a class costs as much as a call, and this is done for each agent.
_INITIATED, _ACTIVE, _GONE = AgentState.INITIATED, AgentState.ACTIVE, AgentState.GONE
_IS_RUNNING = attrgetter("running")
_KEPT = 8  # behaviours that have ended, so that they can still be joined


class Agent(BaseAgent, Conversing):
    """An agent with behaviours.

    Create it, add behaviours, and start it in a container; or subclass it and add them in `setup`.

    Args:
        name: its name, unique in its container, such as `"alice"`.

    Raises:
        InvalidNameError: the name is invalid.
    """

    _awaited_methods = ("setup", *BaseAgent._awaited_methods)  # noqa: SLF001

    __slots__ = ("_behaviours", "_ended", "_knowledge", "_random", "_stopping")

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._behaviours: tuple[Behaviour, ...] = ()
        self._ended: tuple[Behaviour, ...] = ()
        self._knowledge: dict[str, Any] | None = None
        self._random: random.Random | None = None
        self._stopping = False

    async def setup(self) -> None:
        """Prepare the agent when its container starts it; for subclasses. Its behaviours start afterwards."""

    def add_behaviour(self, behaviour: Behaviour, template: Template | None = None) -> None:
        """Add a behaviour, which starts at once, or with the agent if that has not started.

        Args:
            behaviour: the behaviour, which belongs to no agent yet.
            template: which messages it receives; None to keep the behaviour's template.

        Raises:
            AgentStateError: the behaviour already has an agent, or this agent is ending or gone.
            DefinitionError: it is not a behaviour, or its class or the agent's is not valid.
        """
        kind = type(behaviour)
        if getattr(kind, "_checked_behaviour", None) is not kind:
            check_behaviour(behaviour)
        if getattr(behaviour, "agent", None) is not None:
            raise self._has_agent_error(behaviour)
        try:
            is_stopping = self._stopping
        except AttributeError:
            raise not_initialised(self) from None
        state = self._state
        if state is not _INITIATED:
            self._check_takes_behaviours()
        if is_stopping:
            raise AgentStateError(f"agent {self.name} is stopping and takes no more behaviours")
        if template is not None:
            behaviour.template = template
        if behaviour.template is not None:
            behaviour.mailbox.matches = matcher(behaviour)
            if type(behaviour.template) is Template:
                behaviour.mailbox.performative = behaviour.template.performative
        behaviour.agent = self
        self._behaviours += (behaviour,)
        if state is not _INITIATED:
            self._rewire()
            self._container.lifecycle.start_behaviour(behaviour)

    def _check_takes_behaviours(self) -> None:
        if self._state is _GONE:
            raise AgentStateError(f"agent {self.name} has ended; create a new one")
        if self.is_held:
            raise AgentStateError(f"agent {self.name} is moving; add behaviours once it has arrived")

    def _has_agent_error(self, behaviour: Behaviour) -> FormicaryError:
        if not isinstance(behaviour.agent, BaseAgent):
            kind, own = type(behaviour).__name__, type(behaviour.agent).__name__
            return DefinitionError(f"{kind} has its own attribute `agent`, which is {own}: rename it")
        if behaviour.is_done():
            return AgentStateError(f"{behaviour} has ended; create a new one")
        if behaviour.agent is self:
            return AgentStateError(f"agent {self.name} has {behaviour} already")
        return AgentStateError(f"{behaviour} already has an agent; create a behaviour for each agent")

    def remove_behaviour(self, behaviour: Behaviour) -> None:
        """Remove a behaviour, which ends as after `kill`.

        Raises:
            AgentStateError: the agent does not have this behaviour.
        """
        if behaviour not in self._behaviours:
            raise AgentStateError(f"agent {self.name} does not have {behaviour}")
        behaviour.kill()
        if behaviour.mailbox.strand is None or behaviour.is_done():
            self._dismiss(behaviour)

    @reserved
    def behaviours(self) -> Sequence[Behaviour]:
        """The behaviours that have not ended."""
        return self._behaviours

    @reserved
    def ended_behaviours(self) -> Sequence[Behaviour]:
        """The latest 8 behaviours that have ended, in order; a failed one's `join` raises its exception."""
        return self._ended

    def get(self, name: str) -> Any:
        """Return the agent's value of `name`; None if it is not set."""
        return self._knowledge.get(name) if self._knowledge else None

    def set(self, name: str, value: Any) -> None:
        """Set the agent's value of `name`, which moves with it."""
        if self._knowledge is None:
            self._knowledge = {}
        self._knowledge[name] = value

    @reserved
    def random(self) -> random.Random:
        """The agent's own random generator, seeded from the container's seed and the agent's name."""
        if self._random is None:
            import random

            self._random = random.Random(f"{self.container.seed}/{self.address}")
        return self._random

    # -- life cycle -----------------------------------------------------------------------------------------

    def suspend(self) -> None:
        """Stop running the behaviours; messages wait in the mailboxes until `resume`.

        Raises:
            AgentStateError: the agent is not active.
        """
        self._hold(AgentState.SUSPENDED)

    def resume(self) -> None:
        """Resume after `suspend`.

        Raises:
            AgentStateError: the agent is not suspended.
        """
        self._release(AgentState.SUSPENDED)

    def wait(self) -> None:
        """Suspend the agent by its own decision, until `wake_up`; messages wait in the mailboxes.

        Raises:
            AgentStateError: the agent is not active.
        """
        self._hold(AgentState.WAITING)

    def wake_up(self) -> None:
        """Resume after `wait`.

        Raises:
            AgentStateError: the agent is not waiting.
        """
        self._release(AgentState.WAITING)

    async def stop(self) -> None:
        """End the agent: its behaviours end as after `kill`, and unread messages become dead letters.

        If one of its own behaviours calls this, it returns at once, and that behaviour ends after its current
        `run`; otherwise it returns when the agent is gone. Stopping it again does nothing.
        """
        if self._state is _INITIATED or self._state is _GONE:
            self.become_gone()
            return
        lifecycle = self._container.lifecycle  # raises if it has moved away
        strands = self._strands()
        inside = any(map(_IS_RUNNING, strands))
        self._kill_behaviours()
        if not self._behaviours:
            self.become_gone()
        elif not inside:
            await lifecycle.wait_for_end(strands)
            self.become_gone()

    async def join(self) -> None:
        """Wait until the agent is gone.

        Raises:
            AgentStateError: one of its own behaviours called this.
            Exception: as of `BaseAgent.join`.
        """
        if self._is_inside():
            raise AgentStateError(f"agent {self.name} cannot wait for its own end")
        await super().join()

    def end_at_once(self) -> None:
        """End the agent without waiting for it; for its container."""
        self._kill_behaviours()
        self.become_gone()

    def abandon(self) -> None:
        """End the agent without waiting for it, and without `on_end` where that has not begun."""
        self._stopping = True
        for behaviour in self._behaviours:
            behaviour.abandon()
        self.become_gone()

    @reserved
    def can_proceed(self) -> bool:
        """Whether it may still do something: not if its last behaviour has failed."""
        return bool(self._behaviours or self.responders) or self._failures is None

    @reserved
    def is_ending(self) -> bool:
        """Whether it has begun to end."""
        return self._stopping

    @reserved
    def is_held(self) -> bool:
        """Whether it is at rest: none of its behaviours runs until it resumes somewhere, or ends."""
        is_moving = self._state is AgentState.TRANSIT and not self._stopping
        return is_moving and self.address in self._container.dispatcher.held

    def _is_inside(self) -> bool:
        """Return whether one of its behaviours is running now."""
        return any(map(_IS_RUNNING, self._strands()))

    def _kill_behaviours(self) -> None:
        self._stopping = True
        for behaviour in self._behaviours:
            behaviour.kill()

    def become_active(self, scheduler: Scheduler, limit: int) -> None:
        """Start the behaviours; for the container."""
        self._state = _ACTIVE
        for behaviour in self._behaviours:
            behaviour.start_strand(scheduler, limit)

    def _hold(self, state: AgentState) -> None:
        if self._state is not AgentState.ACTIVE:
            raise AgentStateError(f"agent {self.name} is {self._state.value}, not active")
        if self._stopping:
            raise AgentStateError(f"agent {self.name} is stopping, so it cannot be {state.value}")
        self._state = state
        for strand in self._strands():
            strand.hold()

    def _release(self, state: AgentState) -> None:
        if self._state is not state:
            raise AgentStateError(f"agent {self.name} is {self._state.value}, not {state.value}")
        self._state = AgentState.ACTIVE
        for behaviour in self._behaviours:
            if behaviour.mailbox.strand is not None:
                behaviour.mailbox.strand.release(behaviour.mailbox.next)
        if (conversations := self._container.dispatcher.conversations) is not None:
            conversations.resumed(str(self.address))

    def _strands(self) -> list[Strand]:
        return [strand for behaviour in self._behaviours if (strand := behaviour.mailbox.strand) is not None]

    def behaviour_ended(self, behaviour: Behaviour, error: BaseException | None) -> None:
        """Called when one of its behaviours has ended."""
        self._container.lifecycle.behaviour_ended(behaviour, error)
        if error is not None:
            self.record_failure(type(behaviour).__name__, error)
        self._dismiss(behaviour)
        if not self._behaviours and self._stopping:
            self.become_gone()
        elif not self.can_proceed:
            self._container.lifecycle.let_join_end()

    def _dismiss(self, behaviour: Behaviour) -> None:
        self._behaviours = tuple([other for other in self._behaviours if other is not behaviour])
        self._rewire()
        if behaviour.is_done():
            self._ended = (*self._ended[1 - _KEPT :], behaviour)
        unreceived = behaviour.mailbox.unreceived()
        behaviour.mailbox.empty()
        for message in unreceived:
            self._container.dispatcher.add_dead_letter(
                message, f"{behaviour} ended before it received the message", self.address
            )

    # -- messages -------------------------------------------------------------------------------------------

    def _rewire(self) -> None:
        """Route messages by the shortest path that the behaviours allow."""
        if self._address is None or self._state is _GONE:
            return  # the route belongs to another agent of this name
        if self._address in (routes := self._container.dispatcher.routes):
            routes[self._address] = self._container.dispatcher.wrap(self)

    def message_entrance(self) -> Deliver:
        """Return the shortest path in that the behaviours allow."""
        behaviours = self._behaviours
        return behaviours[0].mailbox.accept if len(behaviours) == 1 else Choice(self).accept

    def deliver_message(self, message: Message) -> Sequence[MessageSink] | None:
        """Hand a message to every behaviour that wants it; return the mailboxes that are full."""
        full: list[MessageSink] | None = None
        idle: list[Mailbox] | None = None
        is_taken = False
        for behaviour in self._behaviours:
            mailbox = behaviour.mailbox
            matches = mailbox.matches
            if matches is None or matches(message):
                if not mailbox.receives:
                    idle = [*(idle or ()), mailbox]
                    continue
                is_taken = True
                if not mailbox.put(message):
                    full = [*(full or ()), mailbox]
        if idle is not None:
            return [*(full or ()), *put_into_idle(message, idle, is_taken=is_taken)]
        if not is_taken:
            self.add_unwanted(message)
        return full

    def behaviours_wanting(self, message: Message) -> list[Behaviour]:
        """Return the behaviours that want a message."""
        return [
            each for each in self._behaviours if (wants := each.mailbox.matches) is None or wants(message)
        ]

    def unreceived(self) -> Sequence[Message]:
        """Return the messages in its behaviours' mailboxes; one for several of them is repeated."""
        found: Sequence[Message] = ()
        for behaviour in self._behaviours:
            if messages := behaviour.mailbox.unreceived():
                found = (*found, *messages)
        return found

    def add_unwanted(self, message: Message) -> None:
        """Add a message that no behaviour takes to the dead letters."""
        meant = did_you_mean(message.performative, [each.template for each in self._behaviours])
        self._container.dispatcher.add_dead_letter(
            message, f"no behaviour of agent {self.name} takes such a message{meant}", self.address
        )
