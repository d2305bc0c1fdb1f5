"""In which order agents elsewhere are told of messages that have failed here, as they go on meanwhile.

A failure goes back to the container by which its message has come, and not by the way of what is sent to the
agent: who has sent the message is to hear of it before it hears that the message is done with. Where that is
another container than the last time, the failures of that time may still be under way. So a marker follows
these, and what fails meanwhile waits here until it is through.

What a link could not bring, and can go no other way, waits for the next one to the same container: nobody
else knows of it any more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from formicary.mobility.forwarding.language import Marker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from formicary.container.dispatcher import Dispatcher
    from formicary.container.protocols import Transport
    from formicary.core.message import Message

_KEPT: Final = 65_536  # agents of which is known where they were told last
_MOST: Final = 10_000  # failures that wait for markers: more of them are not worth the order


class _Refusal(msgspec.Struct, frozen=True):
    """A message that has failed, whose sender is to be told."""

    message: Message
    receiver: str
    reason: str


class _Telling(msgspec.Struct):
    """What one agent is told.

    Attributes:
        domain: the container where it was told last, or to which the marker has gone.
        marker: its number; None where nothing waits for it.
        lost: what it was told and could not get there, which waits for a link to there.
        held: what waits until the marker is through, or the link is there.
    """

    domain: str
    marker: int | None = None
    lost: list[Message] = msgspec.field(default_factory=list)
    held: list[_Refusal] = msgspec.field(default_factory=list)

    @property
    def is_busy(self) -> bool:
        """Whether something waits, or may have to."""
        return self.marker is not None or bool(self.lost)


class Failures:
    """What one container tells agents elsewhere of messages that have failed.

    Args:
        dispatcher: the container's.
        transport: what reaches the others.
        numbers: for markers, each new in this container.
        is_member: whether a container is a member of the platform: others do not answer markers.
        send: sends a marker to a container, behind all that goes there.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        transport: Transport,
        numbers: Iterator[int],
        is_member: Callable[[str], bool],
        send: Callable[[str, Marker], None],
    ) -> None:
        self._dispatcher = dispatcher
        self._transport = transport
        self._numbers = numbers
        self._is_member = is_member
        self._send = send
        self._tellings: dict[str, _Telling] = {}  # by the agents' full names
        self._holding: dict[str, _Telling] = {}  # among these: for whom something is held
        self._waiting = 0  # failures, for all of them
        self._is_closed = False

    def hold(self, message: Message, receiver: str, reason: str, domain: str) -> bool:
        """Keep a failure that an agent is to be told, if it may overtake others; return False if it may go.

        Args:
            message: what has failed.
            receiver: the full name of who should have got it.
            reason: why it has failed, as a sentence.
            domain: the container to which the failure goes.
        """
        address: str = message.sender  # type: ignore[assignment]  # who is told
        self.found(address, domain)
        telling = self._tellings.get(address)
        if self._is_closed:
            return False
        if telling is None:
            self._add(address, domain)
            return False
        if not telling.is_busy and not self._may_overtake(telling, address, domain):
            telling.domain = domain
            return False
        telling.held.append(_Refusal(message, receiver, reason))
        self._holding[address] = telling
        self._waiting += 1
        self._dispatcher.unacked_holders.add(self)
        if self._waiting >= _MOST:
            self._release(address)
        elif not telling.is_busy:
            self._mark(telling, address)
        return True

    def _add(self, address: str, domain: str) -> None:
        if len(self._tellings) >= _KEPT:
            self._tellings = {each: it for each, it in self._tellings.items() if it.is_busy}
        self._tellings[address] = _Telling(domain)

    def _may_overtake(self, telling: _Telling, address: str, domain: str) -> bool:
        before = telling.domain
        is_other = before != domain and self._is_member(before)
        return is_other and self._transport.may_be_under_way(before, address)

    def _mark(self, telling: _Telling, address: str) -> None:
        telling.marker = next(self._numbers)
        self._send(telling.domain, Marker(address, telling.marker))

    def sent_again(self, address: str, failed: str, domain: str) -> None:
        """Called when a failure that could not get to one container has been sent to another one.

        Args:
            address: the full name of the agent that is told.
            failed: the container to which it could not get.
            domain: the other one.
        """
        telling = self._tellings.get(address)
        if telling is None:
            self._add(address, domain)
        elif telling.domain in {failed, domain} and not telling.lost:
            telling.domain = domain
            if telling.marker is not None:
                self._mark(telling, address)  # what waits is behind this one, too

    def put_off(self, failure: Message, address: str, domain: str) -> bool:
        """Keep a failure that could not get to a container; return False if it cannot be kept.

        Args:
            failure: what an agent is to be told.
            address: its full name.
            domain: the container, in which it is for all that is known; nothing where that is not known.
        """
        if self._is_closed or self._waiting >= _MOST:
            return False
        if address not in self._tellings:
            self._add(address, domain)
        telling = self._tellings[address]
        telling.domain = domain
        telling.lost.append(failure)
        self._waiting += 1
        return True

    def gone(self, address: str) -> None:
        """Called when an agent has ended: nobody is told what could not get to it."""
        telling = self._tellings.get(address)
        if telling is not None and telling.lost:
            self._give_up(telling, address, f"{address} is no longer in any container")

    def _give_up(self, telling: _Telling, address: str, reason: str) -> None:
        lost, telling.lost = telling.lost, []
        self._waiting -= len(lost)
        for failure in lost:
            self._dispatcher.add_dead_letter(failure, reason, address)
        self._release(address)

    def joined(self, domain: str) -> None:
        """Called when there is a link to another container: tell what could not get there."""
        for address in [each for each, it in self._tellings.items() if it.lost and it.domain == domain]:
            self._release(address)

    def found(self, address: str, domain: str) -> None:
        """Called when an agent is in a container: there it is told what could not get to another one."""
        telling = self._tellings.get(address)
        if telling is not None and telling.lost and telling.domain != domain:
            telling.domain = domain
            self._release(address)

    def through(self, origin: str, address: str, number: int) -> None:
        """Called when another container says that what was before a marker has got to the agent."""
        telling = self._tellings.get(address)
        if telling is not None and telling.marker == number and telling.domain == origin:
            self._release(address)

    def told_at(self, address: str) -> str | None:
        """Return from where failures may be under way to an agent that has come here; None for none."""
        telling = self._tellings.get(address)
        return None if telling is None else telling.domain

    def arrived(self, address: str) -> None:
        """Tell an agent that lives here now what has waited; behind what is under way, if the way is held."""
        if address in self._tellings:
            self._release(address)

    def ended(self, domain: str) -> None:
        """Called when the link to another container has ended: what was under way is there or goes again."""
        for address, telling in tuple(self._tellings.items()):
            if telling.domain == domain and not telling.lost:  # else the others wait behind that
                self._release(address)

    def _release(self, address: str) -> None:
        """Tell what has waited; where it goes may have changed again."""
        telling = self._tellings.pop(address)
        self._holding.pop(address, None)
        self._waiting -= len(telling.lost) + len(telling.held)
        for failure in telling.lost:
            self._tell_again(failure, address, telling.domain)
        for each in telling.held:
            self._dispatcher.tell_sender(each.message, each.receiver, each.reason)

    def _tell_again(self, failure: Message, address: str, domain: str) -> None:
        """Tell an agent what could not get to it, at another container now, unless it is here."""
        if address in self._dispatcher.agents:
            self._dispatcher.tell_here(failure, address)
            return
        if address not in self._tellings:
            self._add(address, domain)
        self._transport.carry_on(domain, failure, address)

    def messages(self) -> Sequence[Message]:
        """Return what has failed and was not told yet: it counts as not taken."""
        held = [each.message for telling in self._holding.values() for each in telling.held]
        if not held:
            self._dispatcher.unacked_holders.discard(self)
        return held

    def close(self) -> None:
        """Tell all that waits, while that can still go; what could not has no later."""
        self._is_closed = True
        reason = f"container {self._dispatcher.name} stopped before the message could be sent"
        for address, telling in tuple(self._tellings.items()):
            self._give_up(telling, address, reason)
