"""Where agents are that have moved, as one container knows it."""

from __future__ import annotations

import asyncio
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Final

from formicary.core import randomness
from formicary.core.logs import get_logger
from formicary.core.names import is_container_of
from formicary.delivery.dead_letters import is_failure
from formicary.mobility.forwarding.course import Course
from formicary.mobility.forwarding.drains import DrainTracker
from formicary.mobility.forwarding.failures import Failures
from formicary.mobility.forwarding.forwarder import Forwarder
from formicary.mobility.forwarding.language import Marker, Moved, Through, decode
from formicary.mobility.forwarding.name_conflicts import NameConflicts
from formicary.mobility.forwarding.outbox import CHANNEL, Outbox

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.container.container import Container
    from formicary.core.message import Message
    from formicary.delivery.overflow import Source
    from formicary.delivery.protocols import Transport

logger = get_logger("formicary.mobility")

_KEPT: Final = 65_536  # agents whose ways are known: of more, those are forgotten that are not used
_LOOKED_AT: Final = 100  # of them, for one to forget


class LocationTable:
    """The ways of messages to agents that have moved, in one container.

    Args:
        container: the container.
        transport: what reaches the others.
        is_member: whether a container is a member of the platform; others are told nothing.
    """

    channel = CHANNEL

    def __init__(self, container: Container, transport: Transport, is_member: Callable[[str], bool]) -> None:
        self._own = container.domain
        self._is_member = is_member
        self._platform = container.platform
        self._dispatcher = container.dispatcher
        self._lifecycle = container.lifecycle
        self._transport = transport
        self._numbers = count(randomness.bits(32))  # so that none equals a marker of an earlier process
        self._forwarders: dict[str, Forwarder] = {}
        self._dispatcher.forwarders = self._forwarders
        self.conflicts = NameConflicts(self._dispatcher)
        """Which names of agents of other homes are in doubt."""
        self.keep_failure = self.conflicts.keep
        self._missing: set[str] = set()  # agents of this home whose containers are lost
        self._outbox = Outbox(transport, is_member, self.ended)
        self._tell = self._outbox.tell
        self.drains = DrainTracker()
        """What agents must wait for before they leave."""
        self._failures = Failures(self._dispatcher, transport, self._numbers, is_member, self._tell)
        self.hold_failure = self._failures.hold
        self.failure_sent_again = self._failures.sent_again
        self._dispatcher.locations = self

    # -- agents of this home --------------------------------------------------------------------------------

    def moving(self, address: str, source: str) -> None:
        """Hold messages for an agent of this home from now on, as its move has been decided.

        Args:
            address: the agent's full name.
            source: the domain of the container that it leaves.
        """
        forwarder = self._forwarders.get(address) or self._add(address, source)
        forwarder.hold()
        self.drains.add(forwarder)

    def set(self, address: str, domain: str) -> None:
        """Send messages for an agent of this home to the container where it lives."""
        forwarder = self._forwarders.get(address) or self._add(address, domain)
        if forwarder.is_moving or forwarder.domain != domain:
            forwarder.course.way = domain
            forwarder.course.told.clear()
            forwarder.is_moving = False
            forwarder.release()
            self._keep_if_needed(forwarder)
        self._missing.discard(address)
        self._failures.found(address, domain)

    def missing(self, address: str) -> None:
        """Called when the container of an agent of this home is lost; both may return."""
        self.forget(address)
        self._missing.add(address)

    def freed(self, address: str) -> None:
        """Called when an agent of this home has ended elsewhere."""
        self.forget(address)
        self._missing.discard(address)
        self._failures.gone(address)

    # -- agents that leave and arrive -----------------------------------------------------------------------

    def left(self, address: str, domain: str, messages: Sequence[Message]) -> None:
        """Send an agent's unread messages after it, and have later ones follow.

        Args:
            address: the agent's full name; it is no longer among the `agents`.
            domain: the container in which it is.
            messages: those that it has not received.
        """
        forwarder = self._forwarders.get(address) or self._add(address, domain)
        forwarder.follow(domain, messages)
        self._keep_if_needed(forwarder)

    def starts(self, address: str, source: str, take: Callable[[Message], None]) -> None:
        """Hand the messages that follow an arriving agent to `take`.

        Args:
            address: the agent's full name.
            source: the domain of the container that it comes from.
            take: takes the messages from there.
        """
        forwarder = self._forwarders.get(address) or self._add(address, self._home(address))
        forwarder.source, forwarder.take_brought = source, take

    def arrived(self, address: str) -> None:
        """Deliver messages to an agent that lives here now, and is among the `agents`."""
        forwarder, home = self._forwarders.get(address), self._home(address)
        self._dispatcher.routes.pop(address, None)  # by which agents here sent to it elsewhere
        told_at = self._failures.told_at(address)
        if home != self._own:
            self._dispatcher.add_visitor(address)
            if forwarder is None and (told_at or self._transport.may_be_under_way(home, address)):
                forwarder = self._add(address, home)
        if forwarder is not None:
            forwarder.source, forwarder.take_brought, forwarder.has_left = "", None, False
            forwarder.is_moving = False
            if forwarder.course.arrive(self._olds(forwarder, told_at)):
                forwarder.release()
            self._keep_if_needed(forwarder)
        if told_at is not None:
            self._failures.arrived(address)
        overflow = self._dispatcher.overflow
        for receiver in tuple(overflow.lines):
            if any(message.sender == address for message in overflow.waiting_for(receiver)):
                self.go_behind(receiver)  # what it sent before it arrived

    def _olds(self, forwarder: Forwarder, told_at: str | None) -> list[str]:
        """Return the containers by which messages from here may be under way to an arrived agent."""
        way, home = forwarder.domain, forwarder.home
        if forwarder.is_home:  # it has brought along what was sent to where it was
            return [] if told_at in {None, self._own, way} else [str(told_at)]
        olds = [] if way in {None, home} or not forwarder.is_used else [str(way)]
        if forwarder.has_strays or (way == home and forwarder.is_used):
            olds.append(home)
        olds = [each for each in olds if self._transport.may_be_under_way(each, forwarder.address)]
        forwarder.is_used = forwarder.has_strays = False
        if told_at not in {None, self._own, *olds}:
            olds.append(str(told_at))
        return olds

    def expect_no_more(self, address: str) -> None:
        """Send messages for an agent its former way again, as it does not arrive after all."""
        if (forwarder := self._forwarders.get(address)) is None:
            return
        forwarder.source, forwarder.take_brought = "", None
        if forwarder.is_moving and forwarder.is_home:
            self.forget(address)  # it has ended on arrival
        else:
            self._keep_if_needed(forwarder)

    def agent_gone(self, address: str) -> None:
        """Called when an agent has ended here: what is held for it fails."""
        forwarder = self._forwarders.get(address)
        if forwarder is not None and forwarder.domain is None:
            self.forget(address)

    def forget(self, address: str) -> None:
        """Send messages for an agent to its home: it has ended, or is not where it was thought to be."""
        if (forwarder := self._forwarders.get(address)) is not None:
            forwarder.fail(f"{address} is no longer in any container")
            self._remove(forwarder)

    # -- failures -------------------------------------------------------------------------------------------

    def tell_at_home(self, failure: Message, address: str, source: Source) -> bool:
        """Deliver a failure that could not get to an agent elsewhere, if that is here or about to return.

        Arguments and result as of `container.locations.Locations.tell_at_home`.
        """
        if address in self._dispatcher.agents:
            self._dispatcher.tell_here(failure, address)
            return True
        forwarder = self._forwarders.get(address)
        if forwarder is None or not forwarder.is_moving:
            return False
        forwarder.take(failure, address, source)
        return True

    def put_off_failure(self, failure: Message, address: str, domain: str) -> bool:
        """Keep a failure for an agent that has moved until there is a link to where it is.

        Arguments and result as of `Failures.put_off`.
        """
        if not domain:
            has_moved = address in self._missing
        else:
            has_moved = self._home(address) == self._own or address in self._forwarders
        return has_moved and self._failures.put_off(failure, address, domain)

    # -- the forwarders -------------------------------------------------------------------------------------

    def go_behind(self, address: str) -> None:
        """Queue what this container's agents send to one of them behind what waits for it."""
        forwarder = self._forwarders.get(address)
        if forwarder is None and address in self._dispatcher.agents:
            forwarder = self._add(address, None)
        if forwarder is not None and forwarder.domain is None and not forwarder.has_own:
            forwarder.note_own()
            self._keep_if_needed(forwarder)

    def _home(self, address: str) -> str:
        return address.partition("@")[2]

    def _add(self, address: str, way: str | None) -> Forwarder:
        if len(self._forwarders) >= _KEPT:
            self._forget_one()
        course = Course(address, self._own, way, self._tell, self._numbers)
        forwarder = Forwarder(course, self._dispatcher, self._transport, self.conflicts, self.drains.add)
        self._forwarders[address] = forwarder
        if not forwarder.is_home:
            self._dispatcher.add_visitor(address)
        forwarder.begin()
        return forwarder

    def _keep_if_needed(self, forwarder: Forwarder) -> None:
        """Remove a forwarder without which messages would go the same way."""
        if self._forwarders.get(forwarder.address) is forwarder:
            if not forwarder.is_needed:
                self._remove(forwarder)
            elif forwarder.is_held:
                self.drains.add(forwarder)
            elif forwarder.domain is None and forwarder.has_line and not forwarder.is_watched:
                forwarder.is_watched = True
                self._dispatcher.overflow.call_behind(forwarder.address, partial(self._is_next, forwarder))
        self.drains.look()

    def _is_next(self, forwarder: Forwarder) -> None:
        """Check whether a forwarder is still needed once nothing waits for room."""
        forwarder.is_watched = False
        asyncio.get_running_loop().call_soon(self._keep_if_needed, forwarder)

    def _remove(self, forwarder: Forwarder) -> None:
        del self._forwarders[forwarder.address]
        self.drains.discard(forwarder)
        forwarder.end()
        forwarder.course.forget()
        self.drains.look()
        if not forwarder.is_home:
            self._dispatcher.remove_visitor(forwarder.address)
        else:
            self._lifecycle.agent_not_away(forwarder.address)

    def _forget_one(self) -> None:
        """Make room: forget one that is not used; messages find the agent through its home."""
        for each in [it for it, _ in zip(self._forwarders.values(), range(_LOOKED_AT), strict=False)]:
            is_quiet = each.course.is_idle and (each.domain is None or self._transport.is_quiet(each.domain))
            if not each.is_home and is_quiet and not each.has_own and not each.source:
                self._remove(each)
                return

    # -- messages -------------------------------------------------------------------------------------------

    def take_stray(self, message: Message, receiver: str, source: Source) -> None:
        """Forward a message of another container for an agent of a third one to its home."""
        forwarder, home = self._forwarders.get(receiver), self._home(receiver)
        if forwarder is None and source.domain == home and is_failure(message):  # of a message sent from here
            self._transport.carry_on(home, message, receiver)
        elif forwarder is None and (source.domain == home or not is_container_of(home, self._platform)):
            reason = f"{receiver} is not in container {self._dispatcher.name}, where it was expected"
            self._dispatcher.add_dead_letter(message, reason, receiver)
        else:
            (forwarder or self._add(receiver, home)).take(message, receiver, source)

    # -- as a listener of the members -----------------------------------------------------------------------

    def joined(self, domain: str, incarnation: int) -> None:
        """Called when another container is a member and has a link to this one."""
        del incarnation
        self._outbox.joined(domain)
        self._failures.joined(domain)

    def lost(self, domain: str) -> None:
        """Send what went straight to a former member through the agents' homes.

        Its link may still be open, and deliver what is under way.
        """
        for forwarder in tuple(self._forwarders.values()):
            course = forwarder.course
            is_straight = not forwarder.is_home and domain == course.way != forwarder.home
            if not is_straight or course.pending is not None:
                continue
            if self._transport.may_be_under_way(domain, forwarder.address):
                course.mark(domain)
            else:
                course.way = forwarder.home
            self._dispatcher.routes.pop(forwarder.address, None)
            self._keep_if_needed(forwarder)

    def ended(self, domain: str) -> None:
        """Called when the link to another container has ended."""
        self._outbox.ended(domain)
        for forwarder in tuple(self._forwarders.values()):
            course = forwarder.course
            unsent: Sequence[Message] = ()
            if not forwarder.is_home and course.depends_on(domain):
                # A new link may begin at once, and deliver these after what is sent next.
                unsent = self._transport.withdraw(domain, forwarder.address)
            is_clear = course.ended(domain)
            for message in unsent:
                forwarder.send_on(message)
            if is_clear:
                forwarder.release()
            forwarder.has_left &= domain != forwarder.home
            self._keep_if_needed(forwarder)
        self._failures.ended(domain)

    def on_control(self, domain: str, payload: bytes) -> None:
        """Handle a message of another container's table; ValueError if it is none."""
        for news in decode(payload):
            address = news.address
            forwarder, home = self._forwarders.get(address), self._home(address)
            match news:
                case Moved():
                    if forwarder is None and domain == home and address not in self._dispatcher.agents:
                        forwarder = self._add(address, home)
                    if forwarder is not None and not forwarder.is_home:
                        self._moved(forwarder, domain)
                case Marker(_, number):
                    self._on_marker(domain, address, number)
                case Through(_, number, where):
                    self._failures.through(domain, address, number)
                    if forwarder is not None:
                        is_known = not where or self._is_member(where)
                        if forwarder.course.through(domain, number, where if is_known else ""):
                            forwarder.is_used = False
                            forwarder.release()
                        self._keep_if_needed(forwarder)

    def _moved(self, forwarder: Forwarder, origin: str) -> None:
        forwarder.course.moved(origin)
        if forwarder.is_held:
            self._dispatcher.routes.pop(forwarder.address, None)
        self._keep_if_needed(forwarder)

    def _on_marker(self, origin: str, address: str, number: int) -> None:
        forwarder, home = self._forwarders.get(address), self._home(address)
        if forwarder is None:
            if address in self._dispatcher.agents or home == self._own:
                self._tell(origin, Through(address, number, self._own))
                return
            if home == origin or not is_container_of(home, self._platform):
                self._tell(origin, Through(address, number, ""))
                return
            forwarder = self._add(address, home)
        forwarder.on_marker(origin, number)
        self._keep_if_needed(forwarder)

    def close(self) -> None:
        """Stop, and fail everything that is held."""
        self._outbox.close()
        self._failures.close()
        reason = f"container {self._dispatcher.name} stopped before the message could be sent"
        for forwarder in tuple(self._forwarders.values()):
            forwarder.fail(reason)
