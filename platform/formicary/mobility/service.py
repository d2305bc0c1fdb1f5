"""Moves agents out of and into one container: connects it to the hand-overs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from formicary.core.errors import MoveError
from formicary.delivery.control_outbox import ControlOutbox
from formicary.mobility.arriving import Arriving
from formicary.mobility.departing import Departing
from formicary.mobility.handover.instructions import (
    Build,
    Discard,
    Drained,
    Expect,
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
from formicary.mobility.kinds import HomeClasses
from formicary.mobility.on_demand import CHANNEL, full_domain

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.container.container import Container
    from formicary.core.agent import Agent
    from formicary.core.base_agent import BaseAgent
    from formicary.core.micro import MicroAgent
    from formicary.delivery.protocols import Transport
    from formicary.management.membership.members import Members
    from formicary.management.services import PlatformServices
    from formicary.mobility.attached_state import AttachedState
    from formicary.mobility.forwarding.table import LocationTable
    from formicary.mobility.handover.instructions import Instruction
    from formicary.mobility.handover.source import Departure
    from formicary.mobility.transit import Transit


_LOOK: Final = 0.02  # s between two checks whether a container is there
_LOOKS: Final = 50


class MobilityService:
    """Moves the agents of a container that is connected to others. A listener of its members.

    Args:
        container: the container.
        services: its services.
        members: the platform's containers; payloads of others are refused.
        transport: what reaches them.
        places: where agents are that have moved.
    """

    channel = CHANNEL

    def __init__(
        self,
        container: Container,
        services: PlatformServices,
        members: Members,
        transport: Transport,
        places: LocationTable,
    ) -> None:
        self.container = container
        self.transport = transport
        self.places = places
        self._services = services
        self._members = members
        lives_here = container.dispatcher.agents.__contains__
        self.machine = HandOver(container.domain, members.incarnation, lives_here, lambda: members.all)
        self.home_classes = HomeClasses(container)
        self._outbox = ControlOutbox(transport, CHANNEL, self.machine.take_envelopes, behind=True)
        self._departing = Departing(self)
        self._arriving = Arriving(self)
        self._perform: dict[type[Instruction], Callable[[Any], None]] = {
            Build: self._arriving.build,
            Wake: self._arriving.wake,
            Expect: self._arriving.expect,
            Discard: self._arriving.discard,
            Terminate: self._terminate,
            Stay: self._departing.stay,
            Drained: self._departing.drained,
            Leave: self._departing.leave,
            Settled: self._departing.settled,
            Perished: self._departing.perished,
            Known: lambda known: places.conflicts.know(known.home),
            Moving: lambda moving: places.moving(moving.address, moving.source),
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
        place = to if self.machine.reaches(to) else full_domain(agent, to, self.container)
        if (transit := self.transit(agent.address or "")) is not None:
            raise MoveError(f"agent {agent.name} is already about to move: {transit}")
        if place == self.container.domain:
            return
        if not self.machine.reaches(place):
            await self._look_for(place)
        await self._departing.move(agent, place)  # type: ignore[arg-type]  # it is of one of the two kinds

    async def _look_for(self, place: str) -> None:
        """Wait for a container that has just joined, and may not be linked yet."""
        for _ in range(_LOOKS):
            if self.machine.reaches(place):
                return
            await asyncio.sleep(_LOOK)

    async def clone(self, agent: BaseAgent, to: str, name: str, timeout: float) -> None:
        """Start a copy of an agent; arguments and errors as of `BaseAgent.clone`."""
        place = full_domain(agent, to, self.container)
        await self._services.cloning.clone(agent, place, name, timeout)  # type: ignore[arg-type]  # as above

    def transit(self, address: str) -> Transit | None:
        """Return where an agent in transit goes, and what it waits for; None if it is not leaving."""
        return self._departing.transit(address) or self._arriving.transit(address)

    @property
    def attached_state(self) -> AttachedState:
        """What hands over agents' attached state."""
        return self._services.attached_state

    async def kill(self, address: str) -> None:
        """End an agent that has arrived, and whose after_move() is running."""
        await self._arriving.kill(address)

    # -- as a listener of the members -----------------------------------------------------------------------

    def joined(self, domain: str, incarnation: int) -> None:
        """Called when another container is a member and has a link to this one; again with each new link."""
        self._outbox.forget(domain)
        self.machine.joined(domain, incarnation)
        self.act()

    def lost(self, domain: str) -> None:
        """Called when another container is no longer a member."""
        self._outbox.forget(domain)
        self.machine.lost(domain)
        self.act()

    def link_opened(self, domain: str) -> None:
        """Called when a link to another container has begun, before anything arrives over it."""
        if self.machine.hosts(domain):
            self.places.conflicts.doubt(domain)

    def link_ended(self, domain: str) -> None:
        """Called when a link to another container has ended, or has begun anew."""
        self.machine.destination.link_ended(domain)
        self.act()
        self.places.conflicts.know(domain)

    def on_control(self, domain: str, payload: bytes) -> None:
        """Handle a payload of another container; ValueError if it is invalid, or from no member."""
        self.machine.receive(domain, payload)
        if not self._members.is_member(domain):
            raise ValueError(
                f"{domain} is not known as a container of this platform, so it may not move agents"
            )
        self.act()

    def agent_gone(self, address: str) -> None:
        """Called when an agent has ended here."""
        self._departing.ended(address)
        self.places.agent_gone(address)
        self.machine.ended(address)
        self.home_classes.forget(address)
        self._has_ended(address)
        self.act()

    def close(self) -> None:
        """Stop moving agents, as the container stops."""
        self.machine.destination.drop_all()
        self._departing.close()
        self.act()
        self._end_turn()
        self._outbox.close()

    # -- instructions ---------------------------------------------------------------------------------------

    def act(self) -> None:
        """Perform instructions now; send events, and take agents apart, at the end of the turn."""
        perform = self._perform
        while instructions := self.machine.take_instructions():
            for instruction in instructions:
                perform[type(instruction)](instruction)
        if not self._is_due:
            self._is_due = True
            self.container.scheduler.at_turn_end(self._end_turn)

    def _end_turn(self) -> None:
        self._is_due = False
        self._departing.send_off(self._send)
        self._send()

    def _send(self) -> None:
        self._outbox.send(*self.machine.receivers)

    def leaves(self, departure: Departure) -> None:
        """Called when an agent is about to be taken apart here."""
        if departure.home == self.container.domain:
            agent = departure.move.agent
            left = self._left.setdefault(departure.address, set())
            left.add(ref(agent, left.discard))
            self.home_classes.left(agent)

    def _terminate(self, terminate: Terminate) -> None:
        self._departing.ended(terminate.address)
        self._arriving.terminate(terminate)

    def _placed(self, placed: Placed) -> None:
        if placed.place != self.container.domain:
            self.places.set(placed.address, placed.place)

    def _missing(self, missing: Missing) -> None:  # it may return
        self.places.missing(missing.address)
        self._has_ended(missing.address)

    def _freed(self, freed: Freed) -> None:
        self.places.freed(freed.address)
        self._has_ended(freed.address)
        self.home_classes.forget(freed.address)

    def _has_ended(self, address: str) -> None:
        """Wake whoever joins an object that an agent of this home left behind."""
        for each in tuple(self._left.pop(address, ())):
            if (left := each()) is not None:
                left.ended_elsewhere()
