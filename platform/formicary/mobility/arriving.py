"""Agents that arrive in a container: performs the instructions of hand-overs at the destination."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from formicary.core.base_agent import BaseAgent
from formicary.core.clock import wall_time
from formicary.core.errors import FormicaryError, MoveError
from formicary.core.logs import get_logger
from formicary.mobility.departing import Parcel, Report
from formicary.mobility.snapshot import read_snapshot, restore
from formicary.mobility.transit import transit_of
from formicary.mobility.waking import admit, awake

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from formicary.container.container import Container
    from formicary.core.agent import Agent
    from formicary.core.message import Message
    from formicary.core.micro import MicroAgent
    from formicary.mobility.attached_state import AttachedState
    from formicary.mobility.forwarding.table import LocationTable
    from formicary.mobility.handover.destination import Arrival
    from formicary.mobility.handover.instructions import Build, Discard, Expect, Terminate, Wake
    from formicary.mobility.handover.machine import HandOver
    from formicary.mobility.home_classes import HomeClasses
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
        container: the container.
        machine: its hand-overs.
        places: where agents are that have moved.
        attached_state: returns what adopts agents' registrations.
        home_classes: the classes of this home's own agents.
        act: performs pending instructions.
    """

    def __init__(
        self,
        container: Container,
        machine: HandOver,
        *,
        places: LocationTable,
        attached_state: Callable[[], AttachedState],
        home_classes: HomeClasses,
        act: Callable[[], None],
    ) -> None:
        self._container = container
        self._machine = machine
        self._places = places
        self._attached_state = attached_state
        self._home_classes = home_classes
        self._act = act
        self._time = wall_time()

    # -- what the hand-over says ----------------------------------------------------------------------------

    def build(self, build: Build) -> None:
        """Create an agent without starting it, or refuse it."""
        arrival = build.arrival
        try:
            guest = self._make(arrival)
            admit(self._container, arrival.address)
        except FormicaryError as error:
            self._machine.destination.refuse(arrival, str(error))
            return
        except Exception as error:
            logger.exception(
                "agent %s, which comes from %s, could not be created", arrival.address, arrival.source
            )
            reason = f"it could not be created in container {self._container.name}: {type(error).__name__}"
            self._machine.destination.refuse(arrival, reason)
            return
        if not self._machine.destination.built(arrival, guest):
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
        entrance = self._home_classes.entrance(arrival.address, snapshot.kind)
        agent = restore(snapshot, arrival.address.partition("@")[0], entrance)
        if parcel.attached_state is not None:
            self._attached_state().check(arrival.address, parcel.attached_state)
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

    def expect(self, expect: Expect) -> None:
        """Keep the messages that follow an agent, which starts when all of them have arrived."""
        self._keep_brought(expect.arrival)

    def _keep_brought(self, arrival: Arrival) -> None:
        self._places.starts(arrival.address, arrival.source, partial(self._take, arrival.address))

    def wake(self, wake: Wake) -> None:
        """Start an agent that was created."""
        arrival = wake.arrival
        guest: _Guest = arrival.guest
        if type(guest.agent).after_move is not BaseAgent.after_move:
            self._keep_brought(arrival)
            starting = self._start_in_time(arrival, partial(guest.agent.after_move, arrival.source))
            name = f"{arrival.address}/after_move"
            guest.starting = asyncio.get_running_loop().create_task(starting, name=name)
            guest.since = self._time()
            return
        try:
            self._start(arrival, None).send(None)  # which waits for nothing
        except StopIteration:
            return
        raise RuntimeError("an agent without after_move() waited before it started")

    async def _start_in_time(self, arrival: Arrival, hook: Callable[[], Awaitable[None]]) -> None:
        await self._start(arrival, hook)
        self._act()

    async def _start(self, arrival: Arrival, hook: Callable[[], Awaitable[None]] | None) -> None:
        address, guest = arrival.address, arrival.guest
        successor = None
        if guest.parcel.attached_state is not None:
            successor = self._attached_state().take_over(address, guest.parcel.attached_state)
        try:
            lives = await awake(
                guest.agent,
                self._container,
                address,
                arrival.targets,
                state=guest.snapshot.agent_state,
                hook=hook,
            )
        except asyncio.CancelledError:
            if not guest.is_killed:
                raise
            lives = False
        end = None if lives else _why_ended(guest.agent)
        has_news = successor is not None or end is not None
        message = msgspec.msgpack.encode(Report(successor, end)) if has_news else b""
        if lives:
            self._places.arrived(address)
        else:
            self._places.expect_no_more(address)
        self._machine.started(arrival, message)
        if not lives:
            self._machine.ended(address)

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

    async def kill(self, address: str) -> None:
        """End an agent whose after_move() is running."""
        guest: _Guest | None = self._machine.destination.guest(address)
        if guest is not None and guest.starting is not None:  # otherwise the container stops
            _kill(guest, guest.starting)
            await asyncio.wait([guest.starting])

    def transit(self, address: str) -> Transit | None:
        """Return since when an agent's after_move() is running; None if it is not."""
        guest: _Guest | None = self._machine.destination.guest(address)
        if guest is None or guest.starting is None:
            return None
        return transit_of(self._container.domain, guest.since, "its after_move()")

    def close(self) -> None:
        """Refuse all agents from now on."""
        self._machine.destination.drop_all()


def _kill(guest: _Guest, starting: asyncio.Task[None]) -> None:
    guest.is_killed = True
    asyncio.get_running_loop().call_soon(starting.cancel)  # behind its first step, which may be due now


def _why_ended(agent: Agent | MicroAgent) -> str:
    """Return why an agent has ended before its after_move() returned."""
    failure = agent.last_failure
    if failure is None or failure.part != "after_move":
        return "it was stopped before its after_move() finished"
    return f"its after_move() failed: {failure.what}"
