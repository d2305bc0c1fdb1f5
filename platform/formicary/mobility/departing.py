"""Agents that leave a container: performs the instructions of hand-overs at the source."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

import msgspec

from formicary.core.answer import Answer
from formicary.core.base_agent import BaseAgent
from formicary.core.clock import wall_time
from formicary.core.errors import MoveError
from formicary.core.failures import describe
from formicary.core.logs import get_logger
from formicary.mobility.limiter import Limiter
from formicary.mobility.quiescence import check_is_at_rest, dissolve, own_strand, quiesce, resume
from formicary.mobility.snapshot import LARGEST, check_can_be_carried, take_snapshot
from formicary.mobility.transit import transit_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from formicary.container.container import Container
    from formicary.core.agent import Agent
    from formicary.core.message import Message
    from formicary.core.micro import MicroAgent
    from formicary.core.strand import Strand
    from formicary.delivery.protocols import Transport
    from formicary.mobility.attached_state import AttachedState
    from formicary.mobility.forwarding.drains import Undrained
    from formicary.mobility.forwarding.table import LocationTable
    from formicary.mobility.handover.instructions import Drained, Leave, Perished, Settled, Stay
    from formicary.mobility.handover.machine import HandOver
    from formicary.mobility.transit import Transit

logger = get_logger("formicary.mobility")

_AGAIN: Final = 0.05  # s between two checks whether a destination can be reached again
_LARGEST_PARCEL: Final = LARGEST - (1 << 14)  # a link accepts 16 MiB at once, including names and numbers
_AT_ONCE: Final = 64  # agents that may set out in one turn of the loop


class Parcel(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What a hand-over carries.

    Args:
        snapshot: the agent.
        attached_state: its registrations at the platform's services, as plain data.
    """

    snapshot: msgspec.Raw
    attached_state: Any = None


class Report(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What the destination reports when an agent was started; empty if there is nothing to report.

    Args:
        successor: where the agent's registrations are now, as returned by `AttachedState.take_over`.
        end: why it has ended already, as a part of a sentence.
    """

    successor: Any = None
    end: str | None = None


encode_parcel = msgspec.msgpack.Encoder().encode
_read_report = msgspec.msgpack.Decoder(Report).decode


class _Resting(msgspec.Struct):
    place: str  # its destination
    since: float  # by the time of day
    waits_for: str = "its behaviours to reach a resting point"


class _Departure(msgspec.Struct):
    agent: Agent | MicroAgent
    since: float  # by the time of day
    counts: Mapping[str, int]  # of messages for others, when it was at rest
    outcome: Answer


async def _ask(agent: Agent | MicroAgent, place: str) -> None:
    """Ask an agent to prepare to move.

    Raises:
        MoveError: it refuses, or cannot.
    """
    try:
        await agent.before_move(place)
    except MoveError:
        raise
    except Exception as error:
        logger.exception("before_move of agent %s failed", agent.name)
        what = describe(f"{agent.name}/before_move", error).what
        raise MoveError(f"agent {agent.name} cannot move: its before_move() failed: {what}") from error


class Departing:
    """Moves the agents of one container to others.

    Args:
        container: the container.
        machine: its hand-overs.
        transport: what reaches the others.
        places: where agents are that have moved.
        attached_state: returns what hands over agents' registrations.
        act: runs pending instructions.
    """

    def __init__(
        self,
        container: Container,
        machine: HandOver,
        *,
        transport: Transport,
        places: LocationTable,
        attached_state: Callable[[], AttachedState],
        act: Callable[[], None],
    ) -> None:
        self._container = container
        self._machine = machine
        self._transport = transport
        self._places = places
        self._attached_state = attached_state
        self._act = act
        self._departures: dict[str, _Departure] = {}
        self._time = wall_time()
        self._resting: dict[str, _Resting] = {}  # those that are coming to rest
        self._settled: dict[str, int] = {}  # by domain: how many messages have arrived, or were reported
        self._draining: list[tuple[Drained, Undrained]] = []
        self._leaving: list[Leave] = []
        self._waiting: asyncio.Task[None] | None = None  # for what these wait for
        self._limiter = Limiter(_AT_ONCE)

    # -- what is asked for ----------------------------------------------------------------------------------

    async def move(self, agent: Agent | MicroAgent, place: str) -> None:
        """Move an agent to the container with the domain `place`; errors as of `BaseAgent.move`."""
        address = agent.address
        assert address is not None
        caller = own_strand(agent)
        check_can_be_carried(agent)
        self._check(agent, address, place)
        if type(agent).before_move is not BaseAgent.before_move:
            await _ask(agent, place)
        if not self._limiter.enters():
            await self._limiter.wait()
        departure = await self._set_out(agent, address, place, caller)
        try:
            await departure.outcome
        except asyncio.CancelledError:
            if self._machine.departures.cancel(address, "it was cancelled"):
                self._act()
            raise

    async def _set_out(
        self, agent: Agent | MicroAgent, address: str, place: str, caller: Strand | None
    ) -> _Departure:
        """Bring an agent to rest, and begin its hand-over."""
        resting = _Resting(place, self._time())
        is_first = self._resting.setdefault(address, resting) is resting
        try:
            await quiesce(agent, caller)
            try:
                resting.waits_for = "messages that it sent earlier to arrive"
                if undrained := self._places.drains.begin({address}):
                    # Nobody would wait for what goes out only then.
                    await self._places.drains.drain(undrained)
                    check_is_at_rest(agent)
                if strangers := self._strangers():
                    for domain in strangers:
                        await self._transport.arrive(domain)
                    check_is_at_rest(agent)
                return self._begin(agent, address, place, caller, resting.since)
            except BaseException:
                resume(agent)
                raise
        finally:
            if is_first:
                del self._resting[address]

    def _check(self, agent: BaseAgent, address: str, place: str) -> None:
        obstacle = self._machine.departures.obstacle(address, place)
        if obstacle is not None:
            raise MoveError(f"agent {agent.name} cannot move: {obstacle}")

    def _begin(
        self, agent: Agent | MicroAgent, address: str, place: str, caller: Strand | None, since: float
    ) -> _Departure:
        self._check(agent, address, place)  # again, as some time has passed
        attached_state = self._attached_state().hand_over(address)
        parcel = encode_parcel(Parcel(msgspec.Raw(take_snapshot(agent, caller)), attached_state))
        if len(parcel) > _LARGEST_PARCEL:
            raise MoveError(
                f"agent {agent.name} cannot move: with its registrations it would carry "
                f"{len(parcel)} bytes, and the limit is {_LARGEST_PARCEL}; leave some of them behind"
            )
        outcome, counts = Answer(loop=asyncio.get_running_loop()), self._transport.counts()
        departure = self._departures[address] = _Departure(agent, since, counts, outcome)
        self._machine.begin(address, place, parcel, self._unsettled(counts))
        self._act()
        return departure

    def _unsettled(self, counts: Mapping[str, int]) -> Collection[str]:
        """Return the domains of containers that were sent something since an agent last left.

        They may have acknowledged messages without having said yet that they forwarded them.
        """
        return [domain for domain, count in counts.items() if count != self._settled.get(domain, 0)]

    def _strangers(self) -> Collection[str]:
        """Return the domains of containers that are not members, so cannot be asked whether all has arrived.

        The agent could overtake messages to them that still wait.
        """
        unsettled = self._unsettled(self._transport.counts())
        return [domain for domain in unsettled if not self._machine.reaches(domain)]

    def transit(self, address: str) -> Transit | None:
        """Return where an agent goes, since when, and what it waits for; None if it is not leaving."""
        status, departure = self._machine.departures.status(address), self._departures.get(address)
        if status is not None and departure is not None:
            return transit_of(status[0], departure.since, status[1])
        if (resting := self._resting.get(address)) is not None:
            return transit_of(resting.place, resting.since, resting.waits_for)
        return None

    def ended(self, address: str) -> None:
        """Called when an agent has ended here: it must not start elsewhere."""
        departure = self._departures.pop(address, None)
        if address in self._machine.departures:
            self._machine.departures.kill(address)
        if departure is not None and not departure.outcome.done():
            departure.outcome.fail(MoveError(f"agent {departure.agent.name} was stopped before it moved"))

    # -- what the hand-over says ----------------------------------------------------------------------------

    def stay(self, stay: Stay) -> None:
        """Resume an agent here."""
        departure = self._departures.pop(stay.address, None)
        if departure is None:
            return
        resume(departure.agent)
        if not departure.outcome.done():
            name = departure.agent.name
            departure.outcome.fail(MoveError(f"agent {name} does not move: {stay.reason}"))

    def drained(self, drained: Drained) -> None:
        """Wait until an agent's messages to others have arrived, also where these forward them.

        This precedes the home's decision, from which on messages for the agent are held.
        """
        if (departure := self._departures.get(drained.address)) is not None:
            self._settled.update(departure.counts)
        undrained = self._places.drains.begin()
        if undrained:
            self._draining.append((drained, undrained))
            self._wait()
        else:
            self._machine.departures.drained(drained.address, drained.number)

    def leave(self, leave: Leave) -> None:
        """Note that an agent leaves at the end of this turn."""
        self._leaving.append(leave)

    def take_apart(self) -> Sequence[Leave]:
        """Remove and return what leaves now.

        Only those leave whose destinations can be told to start them before their messages go there.
        """
        self._limiter.turn_ended()
        if not self._leaving:
            return ()
        leaving = [each for each in self._leaving if self._transport.takes_control(each.place)]
        self._leaving = [each for each in self._leaving if each not in leaving]
        if self._leaving:
            self._wait()
        return [leave for leave in leaving if self._is_leaving(leave)]

    def _wait(self) -> None:
        self._places.drains.look()
        if self._waiting is None:
            self._waiting = asyncio.get_running_loop().create_task(
                self._wait_for_ways(), name="agents that wait to leave"
            )

    async def _wait_for_ways(self) -> None:
        """Continue with those that can leave, once ways are clear or destinations can be told."""
        drains = self._places.drains
        while self._draining or self._leaving:
            if self._leaving:
                await asyncio.sleep(_AGAIN)
                self._leaving = [each for each in self._leaving if self._is_leaving(each)]
            else:
                await drains.wait_until(self._can_go_on)
            clear = [drained for drained, undrained in self._draining if drains.is_drained(undrained)]
            self._draining = [each for each in self._draining if each[0] not in clear]
            for drained in clear:
                self._machine.departures.drained(drained.address, drained.number)
            self._act()
        self._waiting = None

    def _can_go_on(self) -> bool:
        is_drained = self._places.drains.is_drained
        return bool(self._leaving) or any(is_drained(undrained) for _, undrained in self._draining)

    def _is_leaving(self, leave: Leave) -> bool:
        is_here = leave.address in self._departures
        return is_here and self._machine.departures.is_leaving(leave.address, leave.number)

    def dissolve(self, leave: Leave) -> Sequence[Message]:
        """Dissolve an agent, and tell its destination to start it; return its unread messages."""
        unread = dissolve(self._departures[leave.address].agent, leave.place)
        brings = bool(unread.messages) or leave.address in self._container.dispatcher.overflow.lines
        self._machine.left(leave.address, unread.targets, brings=brings)
        return unread.messages

    def send_on(self, leave: Leave, messages: Sequence[Message]) -> None:
        """Send an agent's messages after it, also those that wait for room; later ones follow."""
        self._places.left(leave.address, leave.place, messages)
        self._machine.departures.brought(leave.address, leave.number)

    def settled(self, settled: Settled) -> None:
        """Return from `move`: the agent has moved."""
        departure = self._departures.pop(settled.address, None)
        report = _read_report(settled.message) if settled.message else Report()
        self._attached_state().release(settled.address, report.successor)
        if departure is None or departure.outcome.done():
            return
        if report.end is None:
            departure.outcome.settle(None)
        else:
            name, place = departure.agent.name, settled.place.partition(".")[0]
            departure.outcome.fail(MoveError(f"agent {name} ended in container {place}: {report.end}"))

    def perished(self, perished: Perished) -> None:
        """Forget an agent that is lost with its destination."""
        address = perished.address
        departure = self._departures.pop(address, None)
        name = perished.place.partition(".")[0]
        logger.error("agent %s was lost with container %s, its destination", address, name)
        if departure is None:
            return
        if self._container.dispatcher.agents.get(address) is departure.agent:
            departure.agent.abandon()
        else:
            self._attached_state().release(address)
        if not departure.outcome.done():
            error = MoveError(f"agent {departure.agent.name} was lost with container {name}")
            departure.outcome.fail(error)

    def close(self) -> None:
        """Stop waiting, and fail all moves that are under way."""
        if self._waiting is not None:
            self._waiting.cancel()
        for address in tuple(self._departures):
            self.ended(address)
