"""Agents that arrive in a container: performs the instructions of hand-overs at the destination."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from formicary.core.base_agent import BaseAgent
from formicary.core.clock import wall_time
from formicary.core.errors import FormicaryError, MoveError
from formicary.core.logs import get_logger
from formicary.mobility.departing import Parcel
from formicary.mobility.handover.exchange import Report
from formicary.mobility.snapshot import read_snapshot, restore
from formicary.mobility.transit import transit_of
from formicary.mobility.waking import admit, awake, begin

if TYPE_CHECKING:
    from formicary.core.agent import Agent
    from formicary.core.base_agent import AgentState
    from formicary.core.message import Message
    from formicary.core.micro import MicroAgent
    from formicary.mobility.handover.destination import Arrival
    from formicary.mobility.handover.instructions import Build, Discard, Expect, Terminate, Wake
    from formicary.mobility.service import MobilityService
    from formicary.mobility.snapshot import Snapshot
    from formicary.mobility.transit import Transit

logger = get_logger("formicary.mobility")

_BROUGHT: Final = 100_000  # messages that may wait until their agent has started

_read_parcel = msgspec.msgpack.Decoder(Parcel).decode


class _Guest(msgspec.Struct):
    agent: Agent | MicroAgent
    snapshot: Snapshot
    parcel: Parcel
    starting: asyncio.Task[None] | None = None  # while its after_move() is running
    since: float = 0.0  # when that began, by the time of day
    is_killed: bool = False


class Arriving:
    """Creates and starts the agents that arrive in one container.

    Args:
        service: the container's.
    """

    def __init__(self, service: MobilityService) -> None:
        self._service = service
        self._container = service.container
        self._destination = service.machine.destination
        self._places = service.places
        self._time = wall_time()

    # -- what the hand-over says ----------------------------------------------------------------------------

    def build(self, build: Build) -> None:
        """Create an agent without starting it, or refuse it."""
        arrival = build.arrival
        try:
            guest = self._make(arrival)
            admit(self._container, arrival.address)
        except FormicaryError as error:
            self._destination.refuse(arrival, str(error))
            return
        except Exception as error:
            logger.exception(
                "agent %s, which comes from %s, could not be created", arrival.address, arrival.source
            )
            reason = f"it could not be created in container {self._container.name}: {type(error).__name__}"
            self._destination.refuse(arrival, reason)
            return
        if not self._destination.built(arrival, guest):
            self._dismiss(arrival)

    def _make(self, arrival: Arrival) -> _Guest:
        container = self._container
        if container.dispatcher.is_closing:
            raise MoveError(f"container {container.name} stops")
        try:
            parcel = _read_parcel(arrival.snapshot)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise MoveError(f"what arrived is not an agent: {error}") from error
        snapshot = read_snapshot(parcel.snapshot)
        entrance = self._service.home_classes.entrance(arrival.address, snapshot.kind)
        agent = restore(snapshot, arrival.address.partition("@")[0], entrance)
        self._service.attached_state.check(arrival.address, parcel.attached_state)
        return _Guest(agent, snapshot, parcel)

    def _take(self, address: str, message: Message) -> None:
        """Accept a message that follows an agent which is about to start."""
        held = self._container.dispatcher.held[address]
        if len(held.messages) < _BROUGHT:
            held.messages.append(message)  # more than one mailbox holds, if it had several
        else:
            reason = (
                f"too many messages are waiting for {address} to start in container {self._container.name}"
            )
            self._container.dispatcher.add_dead_letter(message, reason, address)

    def expect(self, expect: Expect | Wake) -> None:
        """Keep the messages that follow an agent, which starts later."""
        arrival = expect.arrival
        self._places.starts(arrival.address, arrival.source, partial(self._take, arrival.address))

    def wake(self, wake: Wake) -> None:
        """Start an agent that was created."""
        arrival = wake.arrival
        guest: _Guest = arrival.guest
        state = guest.snapshot.agent_state
        if type(guest.agent).after_move is not BaseAgent.after_move:
            self.expect(wake)
            name = f"{arrival.address}/after_move"
            guest.starting = asyncio.get_running_loop().create_task(self._prepare(arrival, state), name=name)
            guest.since = self._time()
            return
        successor = self._take_over(arrival)
        lives = begin(guest.agent, self._container, arrival.address, arrival.targets, state)
        self._started(arrival, successor, lives=lives)

    async def _prepare(self, arrival: Arrival, state: AgentState) -> None:
        """Start an agent after its after_move()."""
        guest: _Guest = arrival.guest
        successor = self._take_over(arrival)
        hook = partial(guest.agent.after_move, arrival.source)
        try:
            lives = await awake(
                guest.agent, self._container, arrival.address, arrival.targets, state=state, hook=hook
            )
        except asyncio.CancelledError:
            if not guest.is_killed:
                raise
            lives = False
        self._started(arrival, successor, lives=lives)
        self._service.act()

    def _take_over(self, arrival: Arrival) -> Any:
        return self._service.attached_state.take_over(arrival.address, arrival.guest.parcel.attached_state)

    def _started(self, arrival: Arrival, successor: Any, *, lives: bool) -> None:
        address = arrival.address
        end = None if lives else _why_ended(arrival.guest.agent)
        if lives:
            self._places.arrived(address)
        else:
            self._places.expect_no_more(address)
        self._destination.started(arrival, Report(successor, end))
        if not lives:
            self._service.machine.ended(address)

    def discard(self, discard: Discard) -> None:
        """Forget an agent that was created."""
        if (starting := discard.arrival.guest.starting) is not None:
            starting.cancel()  # the container stops
        else:
            self._dismiss(discard.arrival)

    def _dismiss(self, arrival: Arrival) -> None:
        """Forget an agent that was created, and fail the messages that have waited for it."""
        address, what = arrival.address, "has ended" if arrival.is_waking else "did not arrive"
        reason = f"{address} {what} in container {self._container.name}"
        self._container.dispatcher.fail_held(address, reason)
        self._places.expect_no_more(address)

    def terminate(self, terminate: Terminate) -> None:
        """End an agent that lives here or is about to start."""
        address = terminate.address
        guest = None if terminate.arrival is None else terminate.arrival.guest
        agent = self._container.dispatcher.agents.get(address)
        if agent is not None:
            logger.warning("agent %s ends: %s", address, terminate.reason)
            agent.end_at_once()
        elif guest is not None and guest.starting is not None:
            logger.warning("agent %s ends: %s", address, terminate.reason)
            _kill(guest, guest.starting)

    def _guest(self, address: str) -> _Guest | None:
        arrival = self._destination.arrivals.get(address)
        return None if arrival is None else arrival.guest

    async def kill(self, address: str) -> None:
        """End an agent whose after_move() is running."""
        guest = self._guest(address)
        if guest is not None and guest.starting is not None:  # otherwise the container stops
            _kill(guest, guest.starting)
            await asyncio.wait([guest.starting])

    def transit(self, address: str) -> Transit | None:
        """Return since when an agent's after_move() is running; None if it is not."""
        guest = self._guest(address)
        if guest is None or guest.starting is None:
            return None
        return transit_of(self._container.domain, guest.since, "its after_move()")


def _kill(guest: _Guest, starting: asyncio.Task[None]) -> None:
    guest.is_killed = True
    asyncio.get_running_loop().call_soon(starting.cancel)  # behind its first step, which may be due now


def _why_ended(agent: Agent | MicroAgent) -> str:
    """Return why an agent has ended before its after_move() returned."""
    failure = agent.last_failure
    if failure is None or failure.part != "after_move":
        return "it was stopped before its after_move() finished"
    return f"its after_move() failed: {failure.what}"
