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
from formicary.mobility.handover.exchange import Report
from formicary.mobility.limiter import Limiter
from formicary.mobility.quiescence import check_is_at_rest, dissolve, own_strand, quiesce, resume
from formicary.mobility.snapshot import LARGEST, check_can_be_carried, take_snapshot
from formicary.mobility.transit import transit_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from formicary.core.agent import Agent
    from formicary.core.message import Message
    from formicary.core.micro import MicroAgent
    from formicary.core.strand import Strand
    from formicary.mobility.forwarding.drains import Undrained
    from formicary.mobility.handover.instructions import Drained, Leave, Perished, Settled, Stay
    from formicary.mobility.handover.source import Departure
    from formicary.mobility.service import MobilityService
    from formicary.mobility.transit import Transit

logger = get_logger("formicary.mobility")

_AGAIN: Final = 0.05  # s between two checks whether a destination can be reached again
_LARGEST_PARCEL: Final = LARGEST - (1 << 14)  # a link accepts 16 MiB at once, including names and numbers
_AT_ONCE: Final = 64  # agents that may set out in one turn of the loop


class Parcel(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A snapshot of an agent, and its attached state as plain data."""

    snapshot: msgspec.Raw
    attached_state: Any = None


encode_parcel = msgspec.msgpack.Encoder().encode


class _Move(msgspec.Struct):
    agent: Agent | MicroAgent
    place: str  # its destination
    since: float  # by the time of day
    outcome: Answer
    waits_for: str = "its behaviours to reach a resting point"  # until it is handed over
    counts: Mapping[str, int] = {}  # of messages for others, when it was at rest


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
        service: the container's.
    """

    def __init__(self, service: MobilityService) -> None:
        self._service = service
        self._container = service.container
        self._source = service.machine.source
        self._transport = service.transport
        self._places = service.places
        self._time = wall_time()
        self._resting: dict[str, _Move] = {}  # those that are coming to rest
        self._settled: dict[str, int] = {}  # by domain: how many messages have arrived, or were reported
        self._draining: set[asyncio.Task[None]] = set()
        self._leaving: list[Departure] = []
        self._retry: asyncio.TimerHandle | None = None  # of those whose destinations cannot be reached
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
        outcome = Answer(loop=asyncio.get_running_loop())
        departure = await self._set_out(_Move(agent, place, self._time(), outcome), address, caller)
        try:
            await outcome
        except asyncio.CancelledError:
            if self._source.cancel(departure, "it was cancelled"):
                self._service.act()
            raise

    async def _set_out(self, move: _Move, address: str, caller: Strand | None) -> Departure:
        """Bring an agent to rest, and begin its hand-over."""
        agent = move.agent
        is_first = self._resting.setdefault(address, move) is move
        try:
            await quiesce(agent, caller)
            try:
                move.waits_for = "messages that it sent earlier to arrive"
                if undrained := self._places.drains.begin({address}):
                    # No flush covers messages that are sent only then.
                    await self._places.drains.drain(undrained)
                    check_is_at_rest(agent)
                if strangers := self._strangers():
                    for domain in strangers:
                        await self._transport.arrive(domain)
                    check_is_at_rest(agent)
                return self._begin(move, address, caller)
            except BaseException:
                resume(agent)
                raise
        finally:
            if is_first:
                del self._resting[address]

    def _check(self, agent: BaseAgent, address: str, place: str) -> None:
        obstacle = self._source.obstacle(address, place)
        if obstacle is not None:
            raise MoveError(f"agent {agent.name} cannot move: {obstacle}")

    def _begin(self, move: _Move, address: str, caller: Strand | None) -> Departure:
        agent = move.agent
        self._check(agent, address, move.place)  # again, as some time has passed
        attached_state = self._service.attached_state.hand_over(address)
        parcel = encode_parcel(Parcel(msgspec.Raw(take_snapshot(agent, caller)), attached_state))
        if len(parcel) > _LARGEST_PARCEL:
            raise MoveError(
                f"agent {agent.name} cannot move: with its registrations it would carry "
                f"{len(parcel)} bytes, and the limit is {_LARGEST_PARCEL}; leave some of them behind"
            )
        move.counts = counts = self._transport.counts()
        unsettled = self._unsettled(counts)
        departure = self._service.machine.begin(address, move.place, parcel, unsettled, move)
        self._service.act()
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
        return [domain for domain in unsettled if not self._service.machine.reaches(domain)]

    def transit(self, address: str) -> Transit | None:
        """Return where an agent goes, since when, and what it waits for; None if it is not leaving."""
        if (departure := self._source.departures.get(address)) is not None:
            what = self._source.what_blocks(departure)
            return transit_of(departure.place, departure.move.since, what)
        if (move := self._resting.get(address)) is not None:
            return transit_of(move.place, move.since, move.waits_for)
        return None

    def ended(self, address: str) -> None:
        """Called when an agent ends here: it must not start elsewhere."""
        if (departure := self._source.departures.get(address)) is not None:
            self._source.kill(departure)
            _fail(departure.move, "was stopped before it moved")

    # -- what the hand-over says ----------------------------------------------------------------------------

    def stay(self, stay: Stay) -> None:
        """Resume an agent here."""
        move = stay.departure.move
        resume(move.agent)
        _fail(move, f"does not move: {stay.reason}")

    def drained(self, drained: Drained) -> None:
        """Wait until an agent's messages to others have arrived, also where these forward them.

        This precedes the home's decision, from which on messages for the agent are held.
        """
        departure = drained.departure
        self._settled.update(departure.move.counts)
        if undrained := self._places.drains.begin():
            draining = asyncio.get_running_loop().create_task(
                self._drain(departure, undrained), name=f"{departure.address} waits to leave"
            )
            self._draining.add(draining)
            draining.add_done_callback(self._draining.discard)
        else:
            self._source.drained(departure)

    async def _drain(self, departure: Departure, undrained: Undrained) -> None:
        await self._places.drains.drain(undrained)
        self._source.drained(departure)
        self._service.act()

    def leave(self, leave: Leave) -> None:
        """Note that an agent leaves at the end of this turn."""
        self._leaving.append(leave.departure)

    def _take_leaving(self) -> Sequence[Departure]:
        """Remove and return the agents that leave now.

        An agent waits until its destination can be reached: `START` must precede its messages.
        """
        self._limiter.turn_ended()
        if not self._leaving:
            return ()
        leaving: list[Departure] = []
        waiting: list[Departure] = []
        for departure in self._leaving:
            if departure.is_leaving:
                (leaving if self._transport.takes_control(departure.place) else waiting).append(departure)
        self._leaving = waiting
        if self._leaving and self._retry is None:
            self._retry = asyncio.get_running_loop().call_later(_AGAIN, self._leave_again)
        return leaving

    def _leave_again(self) -> None:
        self._retry = None
        self._service.act()

    def send_off(self, send: Callable[[], None]) -> None:
        """Dissolve the agents that leave now; call `send`, so that `START` precedes their messages."""
        if leaving := self._take_leaving():
            unread = [self._dissolve(departure) for departure in leaving]
            send()
            for departure, messages in zip(leaving, unread, strict=True):
                self._places.left(departure.address, departure.place, messages)
                self._source.brought(departure)

    def _dissolve(self, departure: Departure) -> Sequence[Message]:
        """Take an agent apart, and tell its destination to start it; return its unread messages."""
        self._service.leaves(departure)
        unread = dissolve(departure.move.agent, departure.place)
        brings = bool(unread.messages) or departure.address in self._container.dispatcher.overflow.lines
        self._source.left(departure, unread.targets, brings=brings)
        return unread.messages

    def settled(self, settled: Settled) -> None:
        """Return from `move`: the agent has moved."""
        departure = settled.departure
        report = settled.report or Report()
        self._service.attached_state.release(departure.address, report.successor)
        if report.end is not None:
            _fail(departure.move, f"ended in container {_name(departure.place)}: {report.end}")
        elif not departure.move.outcome.done():
            departure.move.outcome.settle(None)

    def perished(self, perished: Perished) -> None:
        """Forget an agent that is lost with its destination."""
        departure, name = perished.departure, _name(perished.departure.place)
        address = departure.address
        move: _Move = departure.move
        logger.error("agent %s was lost with container %s, its destination", address, name)
        if self._container.dispatcher.agents.get(address) is move.agent:
            move.agent.abandon()
        else:
            self._service.attached_state.release(address)
        _fail(move, f"was lost with container {name}")

    def close(self) -> None:
        """Stop waiting, and fail all moves that are under way."""
        if self._retry is not None:
            self._retry.cancel()
        for draining in self._draining:
            draining.cancel()
        for address in tuple(self._source.departures):
            self.ended(address)


def _fail(move: _Move, what: str) -> None:
    if not move.outcome.done():
        move.outcome.fail(MoveError(f"agent {move.agent.name} {what}"))


def _name(domain: str) -> str:
    return domain.partition(".")[0]
