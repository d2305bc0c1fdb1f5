"""Failures for agents elsewhere, in order, even if the agents move meanwhile.

A failure goes back to the container that its message came from, not the way that messages to the agent take:
it must arrive before the receipt of the message. If that container differs from the last one, earlier
failures may still be under way there. So a marker follows these, and new failures wait here until it is
answered.

A failure that a link could not deliver, and that can go no other way, waits for the next link to the same
container, as it exists nowhere else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from formicary.mobility.forwarding.language import Marker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from formicary.core.message import Message
    from formicary.delivery.dispatcher import Dispatcher
    from formicary.delivery.protocols import Transport

_KEPT: Final = 65_536  # agents of which it is known where their last failure went
_MOST: Final = 10_000  # failures that wait for markers; more of them go without order


class _Refusal(msgspec.Struct, frozen=True):
    """A failed message whose sender must be told."""

    message: Message
    receiver: str
    reason: str


class _Telling(msgspec.Struct):
    """The failures for one agent.

    Attributes:
        domain: the container that the last failure or marker went to.
        marker: its number; None if nothing waits for it.
        lost: failures that could not get there, and wait for a link.
        held: failures that wait for the marker or the link.
    """

    domain: str
    marker: int | None = None
    lost: list[Message] = msgspec.field(default_factory=list)
    held: list[_Refusal] = msgspec.field(default_factory=list)

    @property
    def is_busy(self) -> bool:
        """Whether new failures must wait."""
        return self.marker is not None or bool(self.lost)


class Failures:
    """One container's failures for agents elsewhere.

    Args:
        dispatcher: the container's.
        transport: what reaches the others.
        numbers: for markers, each new in this container.
        is_member: whether a container is a member of the platform; others do not answer markers.
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
        dispatcher.unacked_holders.add(self)

    def hold(self, message: Message, receiver: str, reason: str, domain: str) -> bool:
        """Keep a failure that could overtake earlier ones to the same agent; return False if it may go.

        Arguments as of `Locations.hold_failure`.
        """
        address: str = message.sender  # type: ignore[assignment]  # whom the failure is for
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
        """Called when a failure is sent to another container, as it could not get to the first.

        Args:
            address: the full name of the agent that it is for.
            failed: the container to which it could not get.
            domain: the other one.
        """
        telling = self._tellings.get(address)
        if telling is None:
            self._add(address, domain)
        elif telling.domain in {failed, domain} and not telling.lost:
            telling.domain = domain
            if telling.marker is not None:
                self._mark(telling, address)  # what waits must follow this one, too

    def put_off(self, failure: Message, address: str, domain: str) -> bool:
        """Keep a failure that could not get to a container; return False if it cannot be kept.

        Arguments as of `Locations.put_off_failure`.
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
        """Called when an agent has ended: failures that could not get to it become dead letters."""
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
        """Called when there is a link to another container: send what could not get there."""
        for address in [each for each, it in self._tellings.items() if it.lost and it.domain == domain]:
            self._release(address)

    def found(self, address: str, domain: str) -> None:
        """Called when an agent is found in a container: send there what could not get to another one."""
        telling = self._tellings.get(address)
        if telling is not None and telling.lost and telling.domain != domain:
            telling.domain = domain
            self._release(address)

    def through(self, origin: str, address: str, number: int) -> None:
        """Called when another container answers a marker: everything before it has reached the agent."""
        telling = self._tellings.get(address)
        if telling is not None and telling.marker == number and telling.domain == origin:
            self._release(address)

    def told_at(self, address: str) -> str | None:
        """Return from where failures may be under way to an agent that has arrived; None for none."""
        telling = self._tellings.get(address)
        return None if telling is None else telling.domain

    def arrived(self, address: str) -> None:
        """Deliver what has waited to an agent that lives here now, behind what is under way."""
        if address in self._tellings:
            self._release(address)

    def ended(self, domain: str) -> None:
        """Called when a link has ended: what was under way has arrived or is resent."""
        for address, telling in tuple(self._tellings.items()):
            if telling.domain == domain and not telling.lost:  # otherwise the others wait behind that
                self._release(address)

    def _release(self, address: str) -> None:
        """Send what has waited, to wherever it now goes."""
        telling = self._tellings.pop(address)
        self._holding.pop(address, None)
        self._waiting -= len(telling.lost) + len(telling.held)
        for failure in telling.lost:
            self._tell_again(failure, address, telling.domain)
        for each in telling.held:
            self._dispatcher.tell_sender(each.message, each.receiver, each.reason)

    def _tell_again(self, failure: Message, address: str, domain: str) -> None:
        """Send a failure to an agent's present container, or deliver it if the agent is here."""
        if address in self._dispatcher.agents:
            self._dispatcher.tell_here(failure, address)
            return
        if address not in self._tellings:
            self._add(address, domain)
        self._transport.carry_on(domain, failure, address)

    def messages(self) -> Sequence[Message]:
        """Return the failed messages whose senders have not been told: they are not consumed yet."""
        return [each.message for telling in self._holding.values() for each in telling.held]

    def close(self) -> None:
        """Send all that waits while that is possible, and give up what could not be delivered."""
        self._is_closed = True
        reason = f"container {self._dispatcher.name} stopped before the message could be sent"
        for address, telling in tuple(self._tellings.items()):
            self._give_up(telling, address, reason)
