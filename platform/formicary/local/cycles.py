"""The synchronous mode of a local platform, whose containers begin each cycle together."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from formicary.core.cycles import PATIENCE, CycleScheduler
from formicary.core.logs import get_logger
from formicary.delivery.control_outbox import ControlOutbox
from formicary.management.services import PlatformServices

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from formicary.container.container import Container
    from formicary.core.message import Message
    from formicary.delivery.overflow import Source

CHANNEL: Final = "cycles"
"""The channel of control messages about cycles."""


logger = get_logger("formicary")

_encode = msgspec.msgpack.Encoder().encode
_NEVER = -1


class Note(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """A container's announcement to all others that it has ended a cycle.

    Args:
        cycle: the cycle's number.
        is_busy: whether it did anything in that cycle, or has work left.
    """

    cycle: int
    is_busy: bool


_decode = msgspec.msgpack.Decoder(Note).decode


class Barrier:
    """Tracks the cycles of one container and the others, from cycle 0, in which nothing is done."""

    def __init__(self) -> None:
        self.cycle = 0
        """The current cycle, or the last one that ended."""
        self.is_between = False
        """Whether that cycle has ended here."""
        self.others: frozenset[str] = frozenset()
        """The domains of the containers to wait for."""
        self.notes: list[Note] = []
        """Announcements for all others."""
        self._is_met = False
        self._last_ended: dict[str, int] = {}
        self._awake_after = _NEVER  # the last cycle after which a container has work

    def meet(self, others: Iterable[str]) -> None:
        """Wait for these containers from now on; called once."""
        self.others = frozenset(others)
        self._is_met = True

    def ended_by(self, domain: str) -> int:
        """Return the last cycle that another container announced as ended."""
        return self._last_ended.get(domain, _NEVER)

    # -- events here ----------------------------------------------------------------------------------------

    def end(self, *, is_busy: bool) -> None:
        """End the cycle, with all its messages sent."""
        self.is_between = True
        if is_busy:
            self._awake_after = self.cycle
        self.notes.append(Note(self.cycle, is_busy))

    def wake(self) -> None:
        """Record that there is work; may be called repeatedly."""
        if self.is_between:
            self._awake_after = self.cycle

    @property
    def may_begin(self) -> bool:
        """Whether the next cycle can begin here."""
        return (
            self._is_met
            and self.is_between
            and not self.late()
            and (
                self._awake_after >= self.cycle
                or any(self.ended_by(other) > self.cycle for other in self.others)
            )
        )

    def late(self) -> list[str]:
        """Return the domains of containers that have not ended the cycle."""
        return sorted(other for other in self.others if self.ended_by(other) < self.cycle)

    def begin(self) -> None:
        """Begin the next cycle."""
        self.cycle += 1
        self.is_between = False

    # -- from other containers ------------------------------------------------------------------------------

    def receive(self, domain: str, note: Note) -> None:
        """Handle a control message."""
        if note.is_busy:
            self._awake_after = max(self._awake_after, note.cycle)
        self._last_ended[domain] = max(self.ended_by(domain), note.cycle)

    def lose(self, domain: str) -> None:
        """Stop waiting for a container that is gone."""
        self.others -= {domain}
        self._last_ended.pop(domain, None)


class _Arrived(NamedTuple):
    cycle: int  # the sender's
    message: Message
    receiver: str
    source: Source


class LocalCycles:
    """Begins a container's cycles together with the other containers of a local platform.

    Messages from the others are kept until the next cycle, then delivered container by container in the order
    of their names, so their timing makes no difference.

    Args:
        container: the open container, in synchronous mode.
        names_late: whether this container logs which others are late.
    """

    channel = CHANNEL

    def __init__(self, container: Container, *, names_late: bool = False) -> None:
        scheduler = container.scheduler
        assert isinstance(scheduler, CycleScheduler)
        self._scheduler = scheduler
        self._container = container
        self._dispatcher = container.dispatcher
        self._system_agents: Collection[object] = container.dispatcher.system_agents
        self._barrier = Barrier()
        self._arrived: dict[str, deque[_Arrived]] = {}  # by domain of origin
        self._unsaid: dict[str, list[Note]] = {}
        transport = container.dispatcher.transport
        assert transport is not None  # there are other containers
        self._outbox = ControlOutbox(transport, CHANNEL, self._write, behind=True)
        self._names_late = names_late
        self._looks: asyncio.TimerHandle | None = None
        self._looked_at = self._said_of = -1
        self._is_closed = False
        services = container.platform_services
        assert isinstance(services, PlatformServices)  # guests run no cycles
        services.listen(self)

    def meet(self, domains: Iterable[str]) -> None:
        """Begin all cycles together with the others from now on.

        Args:
            domains: of all containers of the local platform; may include its own.
        """
        self._barrier.meet(frozenset(domains) - {self._container.domain})
        self._dispatcher.overflow.arrivals = self
        self._dispatcher.unacked_holders.add(self)
        self._scheduler.join(self)
        if self._names_late:
            self._look()

    def close(self) -> None:
        """Deliver kept messages and stop waiting for others; called by the scheduler."""
        if self._is_closed:
            return
        self._is_closed = True
        self._outbox.close()
        if self._looks is not None:
            self._looks.cancel()
        self._dispatcher.overflow.arrivals = self._dispatcher.overflow.takers
        self._dispatcher.unacked_holders.discard(self)
        self._hand_over(everything=True)

    # -- called by the scheduler ----------------------------------------------------------------------------

    def cycle_ended(self, *, is_busy: bool) -> None:
        """End the cycle here."""
        self._barrier.end(is_busy=is_busy or any(self._arrived.values()))
        self._proceed()

    def work_came(self) -> None:
        """Record that something is ready between two cycles."""
        if self._barrier.is_between:
            self._barrier.wake()
            self._proceed()

    # -- from the others ------------------------------------------------------------------------------------

    def __contains__(self, receiver: object) -> bool:
        """Return whether messages for a receiver are kept: not for the container's own agents."""
        return receiver not in self._system_agents

    def __getitem__(self, receiver: str) -> LocalCycles:
        """Return the sink for messages to a receiver."""
        return self

    def take(self, message: Message, receiver: str, source: Source) -> None:
        """Handle a message from an agent of another container."""
        domain = source.domain
        arrived = _Arrived(self._barrier.ended_by(domain) + 1, message, receiver, source)
        if domain not in self._barrier.others:
            self._deliver(arrived)
            return
        self._arrived.setdefault(domain, deque()).append(arrived)
        self.work_came()

    def forget(self, source: Source) -> None:
        """Do nothing: there is no back-pressure here."""

    def messages(self) -> Collection[object]:
        """Return the kept messages, for inspection."""
        return [arrived.message for line in self._arrived.values() for arrived in line]

    def _hand_over(self, *, everything: bool = False) -> None:
        for domain in sorted(self._arrived):
            line = self._arrived[domain]
            while line and (everything or line[0].cycle < self._barrier.cycle):
                self._deliver(line.popleft())

    def _deliver(self, arrived: _Arrived) -> None:
        _, message, receiver, source = arrived
        overflow = self._dispatcher.overflow
        if (taker := overflow.takers.get(receiver)) is not None:
            taker.take(message, receiver, source)
        elif full := self._dispatcher.deliver(message, receiver):
            overflow.add(message, receiver, source, full)

    # -- from other containers ------------------------------------------------------------------------------

    def on_control(self, domain: str, payload: bytes) -> None:
        """Handle a control message; ValueError if it is not about cycles."""
        try:
            note = _decode(payload)
        except msgspec.MsgspecError as error:
            raise ValueError(f"it is not a message about cycles: {error}") from error
        self._barrier.receive(domain, note)
        self._proceed()

    def joined(self, domain: str, incarnation: int) -> None:
        """Do nothing until there is something to announce to the new container."""

    def lost(self, domain: str) -> None:
        """Stop waiting for a container that is gone."""
        self._barrier.lose(domain)
        self._unsaid.pop(domain, None)
        self._outbox.forget(domain)
        for arrived in self._arrived.pop(domain, ()):
            self._deliver(arrived)
        self._proceed()

    # -- actions --------------------------------------------------------------------------------------------

    def _proceed(self) -> None:
        if self._is_closed:
            return
        self._say()
        if self._barrier.may_begin:
            self._barrier.begin()
            self._hand_over()
            self._scheduler.begin_cycle()

    def _say(self) -> None:
        """Send announcements, behind the messages of the cycle."""
        notes, self._barrier.notes = self._barrier.notes, []
        others = sorted(self._barrier.others)
        for domain in others:
            self._unsaid.setdefault(domain, []).extend(notes)
        self._outbox.send(*others)

    def _write(self, domain: str) -> list[bytes]:
        return [_encode(note) for note in self._unsaid.pop(domain, ())]

    def _look(self) -> None:
        """Log periodically which others are late."""
        barrier = self._barrier
        self._looks = asyncio.get_running_loop().call_later(PATIENCE, self._look)
        late = barrier.late() if barrier.is_between else []
        if late and self._looked_at == barrier.cycle > self._said_of:
            self._said_of = barrier.cycle
            names = ", ".join(domain.partition(".")[0] for domain in late)
            logger.warning(
                "all containers are waiting for container %s, which has not finished cycle %d "
                "after %g s: check its log for an agent that delays it or blocks its event loop",
                names,
                barrier.cycle,
                PATIENCE,
            )
        self._looked_at = barrier.cycle
