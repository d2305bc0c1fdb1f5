"""The way of one container's messages to one agent: where they go, and when they may go elsewhere.

A container sends the messages for an agent one way at a time: to the agent's home, straight to where it
lives, or into its mailbox. To change the way, it holds new messages, sends a marker after those that went the
old way, and continues once the marker has reached the agent. Containers in between pass the marker on behind
the messages: one that the agent has left sends it to the home, and the home to where the agent lives.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import msgspec

from formicary.mobility.forwarding.language import Marker, Moved, Through

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from formicary.mobility.forwarding.language import News


class _Passed(msgspec.Struct, frozen=True):
    """A marker of another container that was passed on."""

    origin: str
    number: int
    to: str


class Course(msgspec.Struct):
    """The way of the messages to one agent; a state machine.

    Args:
        address: the agent's full name.
        own: the domain of this container.
        way: where its messages go from here; None for its mailbox.
        tell: sends another container something, behind all messages to it.
        numbers: of markers, unique in this container.

    Attributes:
        pending: the number of the marker that messages wait for; None if they do not wait.
        old: the container that this marker went to.
        told: the containers told that their messages are forwarded, until they send a marker.
    """

    address: str
    own: str
    way: str | None
    tell: Callable[[str, News], None]
    numbers: Iterator[int] = msgspec.field(default_factory=lambda: count(1))
    pending: int | None = None
    old: str = ""
    told: set[str] = msgspec.field(default_factory=set)
    _next: list[str] = msgspec.field(default_factory=list)  # the containers to send a marker to next
    _passed: dict[int, _Passed] = msgspec.field(default_factory=dict)

    @property
    def home(self) -> str:
        """The domain of the agent's home container."""
        return self.address.partition("@")[2]

    @property
    def is_idle(self) -> bool:
        """Whether no marker is under way, and no container has been told that its messages are forwarded."""
        return self.pending is None and not self._passed and not self.told

    # -- the container's own messages -----------------------------------------------------------------------

    def arrive(self, olds: Sequence[str]) -> bool:
        """Deliver messages to the agent's mailbox, as it lives here now.

        Args:
            olds: the containers by which messages may still be under way to it.

        Returns:
            Whether nothing is under way.
        """
        self.way = None
        self.told.clear()
        if self.pending is not None:  # sent to where it was, before it arrived
            self._next = list(olds)
            return False
        if not olds:
            return True
        self._next = list(olds[1:])
        self.mark(olds[0])
        return False

    def leave(self, domain: str) -> None:
        """Send messages after the agent, which has left this container with all that was sent to it here."""
        self.way, self.pending, self._next = domain, None, []

    def mark(self, old: str) -> None:
        """Start changing the way: send a marker the old way."""
        self.old, self.pending = old, next(self.numbers)
        self.tell(old, Marker(self.address, self.pending))

    def moved(self, origin: str) -> None:
        """Handle that a container forwards messages, as the agent is not there."""
        if self.pending is None and origin == self.way:
            self.mark(origin)
        elif self.way is not None and origin != self.old:  # so that it says so again
            self.tell(origin, Marker(self.address, next(self.numbers)))

    def _resolve(self, domain: str) -> bool:
        """Handle that the old way is clear; return whether messages may continue."""
        self.pending = None
        if self.way is None:
            if self._next:
                self.mark(self._next.pop(0))
            return self.pending is None
        self.way = domain if domain not in {"", self.own} else self.home
        return True

    # -- markers of others ----------------------------------------------------------------------------------

    def tell_moved(self, origin: str) -> None:
        """Tell a container, once, that its messages are forwarded."""
        if origin not in self.told:
            self.told.add(origin)
            self.tell(origin, Moved(self.address))

    def pass_on(self, origin: str, number: int, to: str) -> None:
        """Pass a marker of another container on."""
        own = next(self.numbers)
        self._passed[own] = _Passed(origin, number, to)
        self.tell(to, Marker(self.address, own))

    def answer(self, origin: str, number: int, domain: str) -> None:
        """Answer a marker; `domain` is that of where the agent lives."""
        self.tell(origin, Through(self.address, number, domain))

    def through(self, origin: str, number: int, domain: str) -> bool:
        """Handle that a marker has reached the agent.

        Returns:
            Whether held messages may continue.
        """
        if number == self.pending and origin == self.old:
            return self._resolve(domain)
        passed = self._passed.get(number)
        if passed is not None and passed.to == origin:
            del self._passed[number]
            self.answer(passed.origin, passed.number, domain)
        return False

    # -- ends -----------------------------------------------------------------------------------------------

    def depends_on(self, domain: str) -> bool:
        """Return whether messages go, or went, straight to a container by the present way."""
        return domain == (self.way if self.pending is None else self.old) != self.own

    def ended(self, domain: str) -> bool:
        """Handle that the link to another container has ended: what was under way has arrived or failed.

        Returns:
            Whether held messages may continue.
        """
        self.told.discard(domain)
        if domain in self._next:
            self._next.remove(domain)
        for number, passed in tuple(self._passed.items()):
            if domain in {passed.origin, passed.to}:
                del self._passed[number]
                if passed.origin != domain:
                    self.answer(passed.origin, passed.number, "")
        if self.pending is not None and self.old == domain:
            return self._resolve("")
        if self.pending is None and self.way == domain and self.home != self.own:
            self.way = self.home
        return False

    def forget(self) -> None:
        """Answer all markers, as the agent is no longer known."""
        passed, self._passed = self._passed, {}
        for each in passed.values():
            self.answer(each.origin, each.number, "")
