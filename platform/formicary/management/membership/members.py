"""Which containers there are: performs the instructions of the container's membership, and keeps time."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Final, Protocol

from formicary.core.errors import FormicaryError
from formicary.core.logs import get_logger
from formicary.fipa.control_codec import Send
from formicary.management.membership.exchange import Joined, Lost, Superseded
from formicary.management.membership.follower import MembershipFollower
from formicary.management.membership.leader import MembershipLeader

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from formicary.delivery.protocols import Transport
    from formicary.management.membership.machine import Membership

logger = get_logger("formicary.management")

CHANNEL: Final = "members"
"""The channel of control messages about members."""

_TICK = 1.0  # s
_WITHIN: Final = 10.0  # s for the other containers to answer, while one opens
_SEEK = 10  # ticks until members without a link are searched for again


class Listener(Protocol):
    """Something that is notified of which containers there are."""

    channel: str
    """The channel of control messages from its counterparts in other containers."""

    def joined(self, domain: str, incarnation: int) -> None:
        """Called when another container is a member and has a link to this one; again with each new link."""

    def lost(self, domain: str) -> None:
        """Called when another container is not a member any more."""

    def on_control(self, domain: str, payload: bytes) -> None:
        """Handle a control message of another container; ValueError if it is invalid."""


class Members:
    """The containers of the platform, as one of them knows them: the `peers` of its transport."""

    def __init__(self, domain: str, leader: str, transport: Transport) -> None:
        self.domain = domain
        self.leader = leader
        self.incarnation = time.time_ns() // 1000
        """Higher than that of any container of this domain before, unless the clock was set back."""
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        now = self._loop.time()
        self._state: Membership = (
            MembershipLeader(domain, self.incarnation, now)
            if leader == domain
            else MembershipFollower(domain, self.incarnation, leader, now)
        )
        self._open: set[str] = set()  # domains to which there is an open link
        self._listeners: dict[str, Listener] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._ticks = 0
        self._acquaintance: Acquaintance | None = None  # while the container opens
        self.on_open: list[Callable[[str], None]] = []
        """Called with the domain of each link that has begun, before anything has come over it."""
        self.on_end: list[Callable[[str], None]] = []
        """Called with the domain of each link that has ended, a member's or a guest's, or has begun anew."""

    @property
    def all(self) -> Mapping[str, int]:
        """The incarnations of the platform's containers by their domains, the own one included."""
        return self._state.members

    def listen(self, listener: Listener) -> None:
        """Notify a listener of members, first of those that are there."""
        self._listeners[listener.channel] = listener
        for domain, incarnation in self.all.items():
            if domain in self._open:
                listener.joined(domain, incarnation)

    @property
    def has_list(self) -> bool:
        """Whether the platform's container is there, and its list known."""
        return self._state.has_list

    def is_linked(self, domain: str) -> bool:
        """Return whether there is an open link to another container."""
        return domain in self._open

    def start(self) -> None:
        """Begin, when the transport is open."""
        self._tick()

    async def get_acquainted(self, has_told: Callable[[str], bool]) -> None:
        """Wait until all is known that others know; `has_told` is as of `Acquaintance`."""
        self._acquaintance = Acquaintance(self, has_told)
        try:
            await self._acquaintance.wait()
        finally:
            self._acquaintance = None

    def close(self) -> None:
        """Tell the others that this container stops."""
        self._listeners.clear()
        if self._timer is None:
            return  # it was never open, so no other container knows it
        self._timer.cancel()
        self._state.leave()
        for instruction in self._state.instructions:
            if isinstance(instruction, Send):
                self._transport.send_control(instruction.domain, CHANNEL, instruction.payload)
        self._state.instructions = []

    # -- what happens ---------------------------------------------------------------------------------------

    def is_member(self, domain: str) -> bool:
        """Return whether another container is one of the platform's."""
        return self._state.is_member(domain)

    def opened(self, domain: str) -> None:
        """Called when a link to another container has begun, perhaps in the place of one before."""
        if domain in self._open:
            self._tell_end(domain)
        self._open.add(domain)
        for callback in self.on_open:
            callback(domain)
        self._state.link_opened(domain, self._loop.time())
        self._perform()
        incarnation = self.all.get(domain)
        if incarnation is not None:
            self._joined(domain, incarnation)
        self._look()

    def ended(self, domain: str) -> None:
        """Called when the link to another container has ended."""
        self._open.discard(domain)
        self._state.link_lost(domain, self._loop.time())
        self._perform()
        self._tell_end(domain)
        if self._acquaintance is not None:
            self._acquaintance.ended(domain)

    def _look(self) -> None:
        if self._acquaintance is not None:
            self._acquaintance.look()

    def _tell_end(self, domain: str) -> None:
        for callback in self.on_end:
            callback(domain)

    def on_control(self, domain: str, channel: str, payload: bytes) -> None:
        """Handle a control message of another container; ValueError if it is not of this channel."""
        if channel == CHANNEL:
            self._state.receive(domain, payload, self._loop.time())
            self._perform()
        elif (listener := self._listeners.get(channel)) is not None:
            listener.on_control(domain, payload)
        self._look()

    def _tick(self) -> None:
        self._timer = self._loop.call_later(_TICK, self._tick)
        self._state.tick(self._loop.time())
        self._perform()
        self._ticks += 1
        if self._listeners and self._ticks % _SEEK == 0:
            for domain in [each for each in self.all if each not in self._open and each != self.domain]:
                self._connect(domain)  # both may have given up

    def _perform(self) -> None:
        while self._state.instructions:
            instructions, self._state.instructions = self._state.instructions, []
            for instruction in instructions:
                match instruction:
                    case Send(domain, payload):
                        if not self._transport.send_control(domain, CHANNEL, payload):
                            self._connect(domain)
                    case Joined(domain, incarnation):
                        self._joined(domain, incarnation)
                    case Lost(domain, _):
                        for listener in tuple(self._listeners.values()):
                            listener.lost(domain)
                    case Superseded():
                        logger.error(
                            "another container has taken over the name %s in the platform's list; "
                            "stop one of the two, or rename it",
                            self.domain,
                        )

    def _joined(self, domain: str, incarnation: int) -> None:
        if domain in self._open:
            for listener in tuple(self._listeners.values()):
                listener.joined(domain, incarnation)
        elif self._listeners:
            self._connect(domain)

    def _connect(self, domain: str) -> None:
        try:
            self._transport.connect(domain)
        except FormicaryError as error:  # the others are notified all the same
            logger.warning("cannot search for container %s: %s", domain, error)


class Acquaintance:
    """Waits for the list of containers, and for the directory entries and groups of each.

    It does not wait for containers that cannot be reached, or that are listed later.

    Args:
        members: the containers, as they are known here.
        has_told: returns whether everything from another container, by its domain, has arrived.
    """

    def __init__(self, members: Members, has_told: Callable[[str], bool]) -> None:
        self._members = members
        self._has_told = has_told
        self._awaited: set[str] | None = None  # None until the list has arrived
        self._done = asyncio.get_running_loop().create_future()

    async def wait(self) -> None:
        """Wait until everything is known; after 10 s, warn about what is missing."""
        self.look()
        await asyncio.wait([self._done], timeout=_WITHIN)
        if missing := self._missing():
            own, names = self._members.domain, ", ".join(domain.partition(".")[0] for domain in missing)
            logger.warning(
                "container %s is open but does not know the whole platform yet: the services and "
                "groups of %s did not arrive within %g s; they will be found here once they do",
                own.partition(".")[0],
                names,
                _WITHIN,
            )

    def look(self) -> None:
        """Check whether everything is known; call this when something has arrived."""
        if self._awaited is None and self._members.has_list:
            self._awaited = {*self._members.all} - {self._members.domain}
        if not self._done.done() and not self._missing():
            self._done.set_result(None)

    def ended(self, domain: str) -> None:
        """Stop waiting for a container that cannot be reached."""
        if self._awaited is not None:
            self._awaited.discard(domain)
        elif domain == self._members.leader:
            self._awaited = set()
        self.look()

    def _missing(self) -> list[str]:
        """Return the domains of the containers that it still waits for."""
        members = self._members
        if self._awaited is None:
            return [members.leader]
        return sorted(
            domain
            for domain in self._awaited & members.all.keys()
            if not (members.is_linked(domain) and self._has_told(domain))
        )
