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
from formicary.mobility.departing import Parcel, Report
from formicary.mobility.snapshot import read_snapshot, restore
from formicary.mobility.transit import transit_of
from formicary.mobility.waking import admit, awake, dismiss

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from formicary.container.container import Container
    from formicary.core.agent import Agent
    from formicary.core.message import Message
    from formicary.core.micro import MicroAgent
    from formicary.mobility.attached_state import AttachedState
    from formicary.mobility.forwarding.table import LocationTable
    from formicary.mobility.handover.instructions import Build, Complete, Discard, Terminate, Wake
    from formicary.mobility.handover.machine import HandOver
    from formicary.mobility.home_classes import HomeClasses
    from formicary.mobility.snapshot import Snapshot
    from formicary.mobility.transit import Transit

logger = get_logger("formicary.mobility")

_BROUGHT: Final = 100_000  # messages that may wait until their agent has started

_read_parcel = msgspec.msgpack.Decoder(Parcel).decode


class _Guest(msgspec.Struct, frozen=True):
    number: int
    agent: Agent | MicroAgent
    snapshot: Snapshot
    parcel: Parcel


class Arriving:
    """Creates and starts the agents that arrive in one container.

    Args:
        container: the container.
        machine: its hand-overs.
        places: where agents are that have moved.
        attached_state: returns what adopts agents' registrations.
        home_classes: what is known of agents of this home.
        act: runs pending instructions.
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
        self._ready: dict[str, _Guest] = {}
        self._incomplete: dict[str, Wake] = {}  # of agents that start when their messages have arrived
        # Agents whose after_move() is running, and since when, by the time of day.
        self._hooks: dict[str, tuple[asyncio.Task[None], float]] = {}
        self._killed: set[str] = set()  # among these
        self._time = wall_time()

    # -- what the hand-over says ----------------------------------------------------------------------------

    def build(self, build: Build) -> None:
        """Create an agent without starting it, or refuse it."""
        address, number = build.address, build.number
        try:
            guest = self._make(build)
            admit(self._container, address)
        except FormicaryError as error:
            self._machine.arrivals.refuse(address, number, str(error))
            return
        except Exception as error:
            logger.exception("agent %s, which comes from %s, could not be created", address, build.source)
            reason = f"it could not be created in container {self._container.name}: {type(error).__name__}"
            self._machine.arrivals.refuse(address, number, reason)
            return
        self._ready[address] = guest
        self._machine.arrivals.built(address, number)

    def _make(self, build: Build) -> _Guest:
        container = self._container
        if container.dispatcher.is_closing:
            raise MoveError(f"container {container.name} stops")
        try:
            parcel = _read_parcel(build.snapshot)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise MoveError(f"what arrived is not an agent: {error}") from error
        snapshot = read_snapshot(parcel.snapshot)
        entrance = self._home_classes.entrance(build.address, snapshot.kind)
        agent = restore(snapshot, build.address.partition("@")[0], entrance)
        if parcel.attached_state is not None:
            self._attached_state().check(build.address, parcel.attached_state)
        return _Guest(build.number, agent, snapshot, parcel)

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

    def wake(self, wake: Wake) -> None:
        """Start an agent that was created: now, or when all its messages have arrived."""
        if wake.brings or _has_hook(self._ready[wake.address].agent):  # else it starts at once
            self._places.starts(wake.address, wake.source, partial(self._take, wake.address))
        if wake.brings:
            self._incomplete[wake.address] = wake
        else:
            self._start(wake)

    def complete(self, complete: Complete) -> None:
        """Start an agent, as all its messages have arrived."""
        wake = self._incomplete.pop(complete.address, None)
        if wake is not None:
            self._start(wake)

    def link_ended(self, domain: str) -> None:
        """Start the agents from a container from which nothing more arrives now."""
        if self._incomplete:
            for address, wake in tuple(self._incomplete.items()):
                if wake.source == domain:
                    del self._incomplete[address]
                    self._start(wake)
            self._act()

    def _start(self, wake: Wake) -> None:
        guest = self._ready.pop(wake.address)
        hook = None
        if _has_hook(guest.agent):
            hook = partial(guest.agent.after_move, wake.source)
        waking = self._wake(guest, wake, hook)
        if hook is None:
            try:
                waking.send(None)  # which waits for nothing
            except StopIteration:
                return
            raise RuntimeError("an agent without after_move() must wait before it starts")
        name = f"{wake.address}/after_move"
        task = asyncio.get_running_loop().create_task(self._wake_in_time(waking, wake.address), name=name)
        self._hooks[wake.address] = task, self._time()

    async def _wake_in_time(self, waking: Coroutine[Any, Any, None], address: str) -> None:
        try:
            await waking
        finally:
            del self._hooks[address]
            self._killed.discard(address)
        self._act()

    async def _wake(self, guest: _Guest, wake: Wake, hook: Callable[[], object] | None) -> None:
        address = wake.address
        successor = None
        if guest.parcel.attached_state is not None:
            successor = self._attached_state().take_over(address, guest.parcel.attached_state)
        try:
            lives = await awake(
                guest.agent,
                self._container,
                address,
                wake.targets,
                state=guest.snapshot.agent_state,
                hook=hook,  # type: ignore[arg-type]  # it is awaited
            )
        except asyncio.CancelledError:
            if address not in self._killed:
                raise
            lives = False
        end = None if lives else _why_ended(guest.agent)
        has_news = successor is not None or end is not None
        message = msgspec.msgpack.encode(Report(successor, end)) if has_news else b""
        if lives:
            self._places.arrived(address)
        else:
            self._places.expect_no_more(address)
        self._machine.started(address, wake.number, message)
        if not lives:
            self._machine.ended(address)

    def discard(self, discard: Discard) -> None:
        """Forget an agent that was created."""
        guest = self._ready.get(discard.address)
        if guest is None or guest.number != discard.number:
            return
        self._dismiss(discard.address, f"did not arrive in container {self._container.name}")

    def _dismiss(self, address: str, what: str) -> None:
        """Forget an agent that was created, and fail what has waited for it with the reason `what`."""
        del self._ready[address]
        self._incomplete.pop(address, None)
        for message in dismiss(self._container, address):
            self._container.dispatcher.add_dead_letter(message, f"{address} {what}", address)
        self._places.expect_no_more(address)

    def terminate(self, terminate: Terminate) -> None:
        """End an agent that lives here or is about to start."""
        address = terminate.address
        agent = self._container.dispatcher.agents.get(address)
        wake = self._incomplete.get(address)
        if agent is None and wake is None and address not in self._hooks:
            return
        logger.warning("agent %s ends: %s", address, terminate.reason)
        if agent is not None:
            agent.end_at_once()
        elif wake is not None:
            self._dismiss(address, f"has ended in container {self._container.name}")
            self._machine.started(address, wake.number)
            self._machine.ended(address)
        else:
            self._kill(address)

    def _kill(self, address: str) -> asyncio.Task[None]:
        """End an agent whose after_move() is running; return the task to wait for."""
        self._killed.add(address)
        task = self._hooks[address][0]
        task.cancel()
        return task

    async def kill(self, address: str) -> None:
        """End an agent whose after_move() is running."""
        await asyncio.wait([self._kill(address)])

    def transit(self, address: str) -> Transit | None:
        """Return since when an agent's after_move() is running; None if it is not."""
        if (hook := self._hooks.get(address)) is None:
            return None
        return transit_of(self._container.domain, hook[1], "its after_move()")

    def close(self) -> None:
        """Refuse all agents from now on."""
        self._machine.arrivals.drop_all()
        for task, _ in tuple(self._hooks.values()):
            task.cancel()


def _has_hook(agent: Agent | MicroAgent) -> bool:
    return type(agent).after_move is not BaseAgent.after_move


def _why_ended(agent: Agent | MicroAgent) -> str:
    """Return why an agent has ended before its after_move() returned."""
    failure = agent.last_failure
    if failure is None or failure.part != "after_move":
        return "it was stopped before its after_move() finished"
    return f"its after_move() failed: {failure.what}"
