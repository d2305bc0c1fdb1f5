"""Where agents are that have moved, as one container knows it, and what it tells others about that."""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Final

from formicary.container.dead_letters import is_failure
from formicary.core import randomness
from formicary.core.logs import get_logger
from formicary.core.names import is_container_of
from formicary.mobility.redirection.announcing import CHANNEL, Announcing
from formicary.mobility.redirection.detour import Detour
from formicary.mobility.redirection.expecting import Expecting
from formicary.mobility.redirection.failures import Failures
from formicary.mobility.redirection.language import Marker, Moved, Through, decode
from formicary.mobility.redirection.machine import Drop, Fail, Open, Redirection, Tell
from formicary.mobility.redirection.settling import Settling
from formicary.mobility.waking import let_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.container.container import Container
    from formicary.container.overflow import Source
    from formicary.container.protocols import Transport
    from formicary.core.message import Message

logger = get_logger("formicary.mobility")

_KEPT: Final = 65_536  # agents whose ways are known: of more, those are forgotten that are not used
_LOOKED_AT: Final = 100  # of them, for one to forget


class Places:
    """The ways to agents that have moved, and from where they have moved, as one container has them.

    Args:
        container: the container.
        transport: what reaches the others.
        is_member: whether a container is a member of the platform: others are told nothing.
    """

    channel = CHANNEL

    def __init__(self, container: Container, transport: Transport, is_member: Callable[[str], bool]) -> None:
        self._own = container.domain
        self._is_member = is_member
        self._platform = container.platform
        self._dispatcher = container.dispatcher
        self._lifecycle = container.lifecycle
        self._transport = transport
        self._numbers = count(randomness.bits(32))  # a marker of an earlier process is to be none of this one
        self._detours: dict[str, Detour] = {}
        self._missing: set[str] = set()  # agents of this home whose containers are lost
        self._expecting = Expecting(self._dispatcher, self.take_stray)
        self._announcing = Announcing(transport, is_member, self.ended)
        self._tell = self._announcing.tell
        self.settling = Settling()
        """What agents have to wait for before they leave."""
        self._failures = Failures(self._dispatcher, transport, self._numbers, is_member, self._tell)
        self._dispatcher.places = self

    # -- what is known --------------------------------------------------------------------------------------

    def get(self, address: str) -> str | None:
        """Return the domain of the container where messages for an agent go; None: where its name says."""
        detour = self._detours.get(address)
        return None if detour is None else detour.domain

    def left(self, address: str, domain: str) -> None:
        """Send what comes for an agent to the container for which it has left this one.

        It is not among the `agents` any more, and what it had not received is sent next.

        Args:
            address: the agent's full name.
            domain: the container in which it is.
        """
        detour = self._detours.get(address) or self._add(address, None)
        detour.redirection.depart(domain)
        detour.is_used = False  # it was here: nothing can be under way elsewhere
        self._dispatcher.routes.pop(address, None)
        self._perform(detour)

    def set(self, address: str, domain: str) -> None:
        """Send what comes for an agent to another container from now on, as its home knows that it is there.

        Arguments as of `left`.
        """
        detour = self._detours.get(address) or self._add(address, domain)
        if detour.redirection.is_known_at(domain):
            return
        if detour.redirection.is_here:
            detour.redirection.depart(domain)
        else:
            detour.redirection.set(domain, is_used=self._is_used(detour))
        self._dispatcher.routes.pop(address, None)
        self._perform(detour)
        self._missing.discard(address)
        self._failures.found(address, domain)

    def arrived(self, address: str) -> None:
        """Have what comes for an agent go into its mailbox, as it lives here now, among the `agents`."""
        home = self._home(address)
        source = self._end_expecting(address)
        if home != self._own:
            self._dispatcher.add_visitor(address)
        if early := self._expecting.pop_early(address):
            # Before all that waits for a way that is known only since then.
            let_in(self._dispatcher.agents[address], (message for message, _ in early))
        self._begin_here(address, source)
        self._take_late_markers(address)
        overflow = self._dispatcher.overflow
        for receiver in tuple(overflow.lines):
            if any(message.sender == address for message in overflow.waiting_for(receiver)):
                self.go_behind(receiver)  # what it has sent before it has come

    def _begin_here(self, address: str, source: str) -> None:
        """Clear the ways to an agent that has come from a container."""
        detour, refused = self._detours.get(address), self._failures.told_at(address)
        home = self._home(address)
        if detour is None and home != self._own and self._transport.may_be_under_way(home, address):
            detour = self._add(address, home)
        if detour is None and refused is not None:
            detour = self._add(address, refused)
        if detour is not None:
            is_used = detour.domain == refused or self._is_used(detour)
            also = refused if refused != detour.domain else None
            detour.redirection.arrive(source, is_used=is_used, also=also)
            self._perform(detour)
        if refused is not None:
            self._failures.arrived(address)

    def hold_failure(self, message: Message, receiver: str, reason: str, domain: str) -> bool:
        """Keep what an agent elsewhere is to be told, if it may overtake what it was told before.

        Arguments and result as of `Failures.hold`.
        """
        return self._failures.hold(message, receiver, reason, domain)

    def failure_sent_again(self, address: str, failed: str, domain: str) -> None:
        """Called when what an agent is told goes to another container, as it could not get to the first.

        Arguments as of `Failures.sent_again`.
        """
        self._failures.sent_again(address, failed, domain)

    def tell_at_home(self, failure: Message, address: str, source: Source) -> bool:
        """Tell an agent of this home that is here, or may soon be, what could not get to it elsewhere.

        Arguments and result as of `container.places.Places.tell_at_home`.
        """
        if address not in self._dispatcher.agents:
            return self._expecting.keep(failure, address, source)
        self._dispatcher.tell_here(failure, address)
        return True

    def put_off_failure(self, failure: Message, address: str, domain: str) -> bool:
        """Keep what an agent that has moved could not be told, until there is a link to where it is.

        Arguments and result as of `Failures.put_off`.
        """
        if not domain:
            has_moved = address in self._missing
        else:
            has_moved = self._home(address) == self._own or address in self._detours
        return has_moved and self._failures.put_off(failure, address, domain)

    def go_behind(self, address: str) -> None:
        """Have what this container's agents send to one of them wait behind what waits for that."""
        detour = self._detours.get(address)
        if detour is None and address in self._dispatcher.agents:
            detour = self._add(address, None)
        if detour is not None:
            detour.go_behind(partial(self._is_empty, detour))

    def _is_empty(self, detour: Detour) -> None:
        if self._detours.get(detour.address) is detour:
            self._perform(detour)

    def expect(self, address: str, source: str, take: Callable[[Message, str], bool]) -> None:
        """Keep what comes for an agent that may arrive soon, until it has `arrived`.

        Args:
            address: the agent's full name.
            source: the domain of the container that it comes from.
            take: called with each message for it, and the domain of the container that has sent that; returns
                whether it has taken it.
        """
        self._expecting.begin(address, source, take)
        if (detour := self._detours.get(address)) is not None:
            detour.expect()

    def starts(self, address: str) -> None:
        """Have an agent that is expected take what it brings along: it has left, and arrives soon."""
        self._expecting.starts(address)

    def empty_line(self, address: str, callback: Callable[[], None]) -> None:
        """Pass on what waits for room for an agent that has left, without it, and call back behind that."""
        self._detours[address].empty_line(callback)

    def _take_late_markers(self, address: str) -> None:
        for origin, marker in self._expecting.pop_markers(address):
            self._on_marker(origin, marker)

    def _end_expecting(self, address: str) -> str:
        if (detour := self._detours.get(address)) is not None:
            detour.is_expected = False
        return self._expecting.end(address)

    def expect_no_more(self, address: str) -> None:
        """Send what has come for an agent where it belongs: it does not arrive after all."""
        self._end_expecting(address)
        self._take_late_markers(address)
        for message, source in self._expecting.pop_early(address):
            self.take_stray(message, address, source)

    def forget(self, address: str) -> None:
        """Send what comes for an agent to its home: it has ended, or is not where it was said to be."""
        detour = self._detours.get(address)
        if detour is not None:
            reason = f"{address} is no longer in any container"
            detour.fail(reason)
            self._remove(detour)

    def missing(self, address: str) -> None:
        """Called when the container is lost in which an agent of this home is: both may be back."""
        self.forget(address)
        self._missing.add(address)

    def freed(self, address: str) -> None:
        """Called when an agent of this home has ended elsewhere."""
        self.forget(address)
        self._missing.discard(address)
        self._failures.gone(address)

    def agent_gone(self, address: str) -> None:
        """Called when an agent has ended here: what waits for the way to it fails."""
        detour = self._detours.get(address)
        if detour is not None and detour.redirection.is_here:
            self.forget(address)

    def _home(self, address: str) -> str:
        return address.partition("@")[2]

    def _is_used(self, detour: Detour) -> bool:
        way = detour.domain
        if way is None or not detour.is_used:
            return False
        return self._transport.may_be_under_way(way, detour.address)

    def _add(self, address: str, domain: str | None) -> Detour:
        if len(self._detours) >= _KEPT:
            self._forget_one()
        redirection = Redirection(address, self._own, domain, self._numbers)
        detour = self._detours[address] = Detour(
            redirection,
            self._dispatcher,
            self._transport,
            self._perform,
            self._expecting.take_brought,
            on_own=self._add_busy,
        )
        if self._home(address) != self._own:
            self._dispatcher.add_visitor(address)
        if address in self._expecting:
            detour.expect()
        detour.begin()
        return detour

    def _add_busy(self, detour: Detour) -> None:
        if self._detours.get(detour.address) is detour:
            self.settling.add(detour)

    def _remove(self, detour: Detour) -> None:
        del self._detours[detour.address]
        self.settling.discard(detour)
        detour.end()
        for each in detour.redirection.forget():
            self._tell(each.domain, each.news)
        self.settling.look()
        if self._home(detour.address) != self._own:
            self._dispatcher.remove_visitor(detour.address)
        else:
            self._lifecycle.agent_not_away(detour.address)

    def _forget_one(self) -> None:
        """Make room: forget one that nobody uses, and that can be found by way of its home."""
        for detour in [each for each, _ in zip(self._detours.values(), range(_LOOKED_AT), strict=False)]:
            redirection, domain = detour.redirection, detour.domain
            is_quiet = redirection.is_quiet and (domain is None or self._transport.is_quiet(domain))
            if redirection.home != self._own and is_quiet and not detour.has_own:
                self._remove(detour)
                return

    # -- messages -------------------------------------------------------------------------------------------

    def take_stray(self, message: Message, receiver: str, source: Source) -> None:
        """Send a message of another container for an agent of a third one there, where more may be known."""
        if self._expecting.take_brought(message, receiver, source):
            return
        if (detour := self._detours.get(receiver)) is not None:
            detour.take(message, receiver, source)
            return
        home = self._home(receiver)
        if self._expecting.keep(message, receiver, source):
            return
        if source.domain == home and is_failure(message):  # of what was sent on from here
            self._transport.carry_on(home, message, receiver)
        elif source.domain == home or not is_container_of(home, self._platform):
            reason = f"{receiver} is not in container {self._dispatcher.name}, where it was expected"
            self._dispatcher.add_dead_letter(message, reason, receiver)
        else:
            self._add(receiver, home).take(message, receiver, source)

    # -- as a listener of the members -----------------------------------------------------------------------

    def joined(self, domain: str, incarnation: int) -> None:
        """Called when another container is a member and has a link to this one."""
        del incarnation
        self._announcing.joined(domain)
        self._failures.joined(domain)

    def lost(self, domain: str) -> None:
        """Called when another container is not a member any more; its link may be that of the next one."""
        for detour in tuple(self._detours.values()):
            if detour.redirection.home != self._own and detour.redirection.leads_to(domain):
                detour.redirection.give_up(domain, is_used=self._is_used(detour))
                self._dispatcher.routes.pop(detour.address, None)
                self._perform(detour)

    def ended(self, domain: str) -> None:
        """Called when the link to another container has ended."""
        self._announcing.ended(domain)
        for detour in tuple(self._detours.values()):
            if detour.redirection.takes_another_without(domain):
                # A new link may begin at once: it would bring these later than what goes next.
                detour.take_back(self._transport.withdraw(domain, detour.address))
            detour.redirection.ended(domain)
            self._perform(detour)
        self._failures.ended(domain)

    def on_control(self, domain: str, payload: bytes) -> None:
        """Take what another container tells; ValueError if it is nothing of this kind."""
        for news in decode(payload):
            match news:
                case Moved(address, other):
                    self._on_moved(domain, address, other)
                case Marker():
                    self._on_marker(domain, news)
                case Through(address, number, other):
                    self._failures.through(domain, address, number)
                    if (detour := self._detours.get(address)) is not None:
                        detour.redirection.through(domain, number, self._where_it_may_be(other, address))
                        self._perform(detour)

    def _on_moved(self, origin: str, address: str, domain: str) -> None:
        home = self._home(address)
        if address in self._dispatcher.agents and address not in self._detours:
            self._tell(origin, Marker(address, next(self._numbers), (self._own,)))
            return
        detour = self._detours.get(address)
        if detour is None and (home == self._own or not is_container_of(home, self._platform)):
            return
        if detour is None:
            detour = self._add(address, home)
        detour.redirection.moved(origin, self._where_it_may_be(domain, address))
        self._perform(detour)

    def _where_it_may_be(self, domain: str, address: str) -> str:
        """Return where to look for an agent of which others say that it is in a container: there, or at home.

        A container that is no member is dead, or will be a member soon: its home will say so again then.
        """
        home = self._home(address)
        return domain if home == self._own or not domain or self._is_member(domain) else home

    def _on_marker(self, origin: str, marker: Marker) -> None:
        address, home = marker.address, self._home(marker.address)
        detour = self._detours.get(address)
        if self._expecting.follows_what_was_brought(origin, marker):
            self._tell(origin, Through(address, marker.number, self._own))
            return
        if self._expecting.keep_marker(origin, marker, has_way=detour is not None):
            return
        if marker.path[0] == self._own:
            self._failures.came_back(address, marker.first)
        if detour is None:
            if address in self._dispatcher.agents or home == self._own:
                self._tell(origin, Through(address, marker.number, self._own))
                return
            if home == origin or not is_container_of(home, self._platform):
                self._tell(origin, Through(address, marker.number, ""))
                return
            detour = self._add(address, home)

        def is_next() -> None:
            detour.redirection.marker(origin, marker.number, marker.path, marker.first)
            self._perform(detour)

        if marker.path[0] != self._own:
            detour.when_passed_on(is_next, origin)
        else:
            is_next()  # what is held waits for it

    # -- what is to be done ---------------------------------------------------------------------------------

    def _perform(self, detour: Detour) -> None:
        redirection = detour.redirection
        while redirection.instructions:
            instructions, redirection.instructions = redirection.instructions, []
            for instruction in instructions:
                match instruction:
                    case Tell(domain, news):
                        if isinstance(news, Marker):
                            detour.hold()
                        self._tell(domain, news)
                    case Open():
                        detour.release()
                    case Drop():
                        detour.fail(f"{detour.address} was not found: the message went round in circles")
                    case Fail():
                        detour.fail(f"it is not known where {detour.address} is")
                        self._remove(detour)
                        return
        if self._detours.get(detour.address) is detour:
            self._keep_if_needed(detour)
        self.settling.look()

    def _keep_if_needed(self, detour: Detour) -> None:
        if not detour.redirection.is_needed and not detour.has_own:
            self._remove(detour)
        elif detour.is_held:
            self.settling.add(detour)

    def close(self) -> None:
        """Tell nobody anything any more."""
        self._announcing.close()
        self._failures.close()
        reason = f"container {self._dispatcher.name} stopped before the message could be sent"
        for detour in self._detours.values():
            detour.fail(reason)
        self._expecting.close(reason)
