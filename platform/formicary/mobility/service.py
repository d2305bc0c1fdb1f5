"""Moves agents out of and into one container: connects it to the hand-overs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, NoReturn
from weakref import ref

from formicary.core.errors import InvalidNameError, MoveError
from formicary.core.names import check_container
from formicary.delivery.control_outbox import ControlOutbox
from formicary.mobility.arriving import Arriving
from formicary.mobility.departing import Departing
from formicary.mobility.handover.cluster_view import home_of
from formicary.mobility.handover.instructions import (
    Build,
    Complete,
    Discard,
    Drained,
    Freed,
    Known,
    Leave,
    Missing,
    Moving,
    Perished,
    Placed,
    Settled,
    Stay,
    Terminate,
    Wake,
)
from formicary.mobility.handover.machine import HandOver
from formicary.mobility.home_classes import HomeClasses
from formicary.mobility.on_demand import CHANNEL

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from formicary.container.container import Container
    from formicary.core.agent import Agent
    from formicary.core.base_agent import BaseAgent
    from formicary.core.micro import MicroAgent
    from formicary.delivery.protocols import Transport
    from formicary.mobility.attached_state import AttachedState
    from formicary.mobility.cloning import Cloning
    from formicary.mobility.forwarding.table import LocationTable
    from formicary.mobility.handover.instructions import Instruction
    from formicary.mobility.transit import Transit


_LOOK: Final = 0.02  # s between two checks whether a container is there
_LOOKS: Final = 50


class MobilityService:
    """Moves the agents of one container that is connected to others. A listener of its members.

    Args:
        container: the container.
        incarnation: its own.
        transport: what reaches the others.
        places: where agents are that have moved.
        is_member: whether a container is a member of the platform; payloads of others are refused.
        listed: returns the domains of all members.
        attached_state: returns what hands over what the services have of agents.
        cloning: returns what makes copies of agents.
    """

    channel = CHANNEL

    def __init__(
        self,
        container: Container,
        incarnation: int,
        transport: Transport,
        places: LocationTable,
        *,
        is_member: Callable[[str], bool],
        listed: Callable[[], Collection[str]],
        attached_state: Callable[[], AttachedState],
        cloning: Callable[[], Cloning],
    ) -> None:
        self._container = container
        self._cloning = cloning
        self._places = places
        agents = container.dispatcher.agents
        self._is_member = is_member
        self._machine = HandOver(container.domain, incarnation, agents.__contains__, listed)
        self._outbox = ControlOutbox(transport, CHANNEL, self._machine.take_envelopes, behind=True)
        self._departing = Departing(
            container,
            self._machine,
            transport=transport,
            places=places,
            attached_state=attached_state,
            act=self._act,
        )
        self._home_classes = HomeClasses(container)
        self._arriving = Arriving(
            container,
            self._machine,
            places=places,
            attached_state=attached_state,
            home_classes=self._home_classes,
            act=self._act,
        )
        self._perform: dict[type[Instruction], Callable[[Any], None]] = {
            Build: self._arriving.build,
            Wake: self._arriving.wake,
            Complete: self._arriving.complete,
            Discard: self._arriving.discard,
            Terminate: self._arriving.terminate,
            Stay: self._departing.stay,
            Drained: self._departing.drained,
            Leave: self._departing.leave,
            Settled: self._departing.settled,
            Perished: self._departing.perished,
            Known: self._known,
            Moving: self._moving,
            Placed: self._placed,
            Missing: self._missing,
            Freed: self._freed,
        }
        self._is_due = False
        # The objects that agents of this home left behind, which can be joined until they end.
        self._left: dict[str, set[ref[Agent | MicroAgent]]] = {}

    # -- what is asked for ----------------------------------------------------------------------------------

    async def move(self, agent: BaseAgent, to: str) -> None:
        """Move an agent to another container; arguments and errors as of `BaseAgent.move`.

        If cancelled before the decision, the agent stays; afterwards it moves all the same.
        """
        place = to if self._machine.reaches(to) else full_domain(agent, to, self._container)
        if (transit := self.transit(agent.address or "")) is not None:
            raise MoveError(f"agent {agent.name} is already about to move: {transit}")
        if place == self._container.domain:
            return
        if not self._machine.reaches(place):
            await self._look_for(place)
        await self._departing.move(agent, place)  # type: ignore[arg-type]  # it is of one of the two kinds

    async def _look_for(self, place: str) -> None:
        """Wait for a container that has just joined, and may not be linked yet."""
        for _ in range(_LOOKS):
            if self._machine.reaches(place):
                return
            await asyncio.sleep(_LOOK)

    async def clone(self, agent: BaseAgent, to: str, name: str, timeout: float) -> None:
        """Start a copy of an agent; arguments and errors as of `BaseAgent.clone`."""
        place = full_domain(agent, to, self._container)
        await self._cloning().clone(agent, place, name, timeout)  # type: ignore[arg-type]  # as above

    def transit(self, address: str) -> Transit | None:
        """Return where an agent in transit goes, and what it waits for; None if it is not leaving."""
        return self._departing.transit(address) or self._arriving.transit(address)

    async def kill(self, address: str) -> None:
        """End an agent that has arrived, and whose after_move() is running."""
        await self._arriving.kill(address)

    # -- as a listener of the members -----------------------------------------------------------------------

    def joined(self, domain: str, incarnation: int) -> None:
        """Called when another container is a member and has a link to this one; again with each new link."""
        self._outbox.forget(domain)
        self._machine.joined(domain, incarnation)
        self._act()

    def lost(self, domain: str) -> None:
        """Called when another container is no longer a member."""
        self._outbox.forget(domain)
        self._machine.lost(domain)
        self._act()

    def link_opened(self, domain: str) -> None:
        """Called when a link to another container has begun, before anything arrives over it."""
        if self._machine.hosts(domain):
            self._places.conflicts.doubt(domain)

    def link_ended(self, domain: str) -> None:
        """Called when a link to another container has ended, or has begun anew."""
        self._arriving.link_ended(domain)
        self._places.conflicts.know(domain)

    def on_control(self, domain: str, payload: bytes) -> None:
        """Handle a payload of another container; ValueError if it is invalid, or from no member."""
        self._machine.receive(domain, payload)
        if not self._is_member(domain):
            raise ValueError(
                f"{domain} is not known as a container of this platform, so it may not move agents"
            )
        self._act()

    def agent_gone(self, address: str) -> None:
        """Called when an agent has ended here."""
        self._departing.ended(address)
        self._places.agent_gone(address)
        self._machine.ended(address)
        self._home_classes.forget(address)
        self._has_ended(address)
        self._act()

    def close(self) -> None:
        """Stop moving agents, as the container stops."""
        self._arriving.close()
        self._departing.close()
        self._act()
        self._end_turn()
        self._outbox.close()

    # -- what is to be done ---------------------------------------------------------------------------------

    def _act(self) -> None:
        """Run pending instructions now; those that many agents share, at the end of the turn."""
        perform = self._perform
        while instructions := self._machine.take_instructions():
            for instruction in instructions:
                perform[type(instruction)](instruction)
        if not self._is_due:
            self._is_due = True
            self._container.scheduler.at_turn_end(self._end_turn)

    def _end_turn(self) -> None:
        self._is_due = False
        leaving = self._departing.take_apart()
        if not leaving:
            self._outbox.send(*self._machine.receivers)
            return
        agents, own = self._container.dispatcher.agents, self._container.domain
        for leave in leaving:
            agent = agents[leave.address]
            if home_of(leave.address) == own:
                left = self._left.setdefault(leave.address, set())
                left.add(ref(agent, left.discard))
                self._home_classes.left(agent)
        unread = [self._departing.dissolve(leave) for leave in leaving]
        self._outbox.send(*self._machine.receivers)
        for leave, messages in zip(leaving, unread, strict=True):
            self._departing.send_on(leave, messages)
        self._outbox.send(*self._machine.receivers)  # that these were all

    def _known(self, known: Known) -> None:
        self._places.conflicts.know(known.home)

    def _moving(self, moving: Moving) -> None:
        self._places.moving(moving.address, moving.source)

    def _placed(self, placed: Placed) -> None:
        if placed.place != self._container.domain:
            self._places.set(placed.address, placed.place)

    def _missing(self, missing: Missing) -> None:  # it may return
        self._places.missing(missing.address)
        self._has_ended(missing.address)

    def _freed(self, freed: Freed) -> None:
        self._places.freed(freed.address)
        self._has_ended(freed.address)
        self._home_classes.forget(freed.address)

    def _has_ended(self, address: str) -> None:
        """Wake those that join the object that an agent of this home left behind."""
        for each in tuple(self._left.pop(address, ())):
            if (left := each()) is not None:
                left.ended_elsewhere()


class NoMobility:
    """Replaces the service in a container that is not connected to others.

    Args:
        container: the container.
        cloning: returns what makes copies of agents.
    """

    def __init__(self, container: Container, cloning: Callable[[], Cloning]) -> None:
        self._container = container
        self._cloning = cloning

    async def move(self, agent: BaseAgent, to: str) -> None:
        """Refuse to move an agent; arguments as of `BaseAgent.move`."""
        if full_domain(agent, to, self._container) != self._container.domain:
            self._refuse(agent)

    async def clone(self, agent: BaseAgent, to: str, name: str, timeout: float) -> None:
        """Start a copy of an agent; arguments and errors as of `BaseAgent.clone`."""
        place = full_domain(agent, to, self._container)
        await self._cloning().clone(agent, place, name, timeout)  # type: ignore[arg-type]  # as above

    def transit(self, address: str) -> None:
        """Return None: no agent is in transit."""

    async def kill(self, address: str) -> None:
        """Do nothing: no agent arrives."""

    def _refuse(self, agent: BaseAgent) -> NoReturn:
        raise MoveError(
            f"agent {agent.name} cannot leave container {self._container.name}, which is not "
            "connected to any other"
        )


def full_domain(agent: BaseAgent, to: str, container: Container) -> str:
    """Return the full domain of a destination.

    Raises:
        MoveError: it is not of the platform.
    """
    label, dot, platform = to.partition(".")
    try:
        check_container(label)
    except InvalidNameError as error:
        raise MoveError(f"agent {agent.name} cannot move: {error}") from error
    if dot and platform != container.platform:
        raise MoveError(
            f"agent {agent.name} cannot move: {to} is not a container of the platform {container.platform}"
        )
    return f"{label}.{container.platform}"
