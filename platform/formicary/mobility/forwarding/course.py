"""The way of one container's messages to one agent: where they go, and when they may go elsewhere.

A container sends the messages for an agent one way at a time: to the agent's home, straight to where it
lives, or into its mailbox. To change it, the container holds new messages, sends a marker behind those that
have gone the old way, and continues once the marker has reached the agent. Containers on the way pass the
marker on behind the messages: one that the agent has left sends it to the home, and the home to where the
agent lives.
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
        way: where its messages go from here; None: into its mailbox.
        tell: tells another container something, behind all messages that go there.
        numbers: for markers, each new in this container.

    Attributes:
        pending: the number of the marker that messages wait for; None where they need not.
        old: the container that this marker has gone to.
        told: the containers that know that their messages are forwarded, and have sent no marker since.
    """

    address: str
    own: str
    way: str | None
    tell: Callable[[str, News], None]
    numbers: Iterator[int] = msgspec.field(default_factory=lambda: count(1))
    pending: int | None = None
    old: str = ""
    told: set[str] = msgspec.field(default_factory=set)
    _next: list[str] = msgspec.field(default_factory=list)  # who gets a marker when this one is through
    _passed: dict[int, _Passed] = msgspec.field(default_factory=dict)

    @property
    def home(self) -> str:
        """The domain of the agent's home container."""
        return self.address.partition("@")[2]

    @property
    def is_idle(self) -> bool:
        """Whether nobody waits for a marker, or would not be told again that messages are forwarded."""
        return self.pending is None and not self._passed and not self.told

    # -- the container's own messages -----------------------------------------------------------------------

    def arrive(self, olds: Sequence[str]) -> bool:
        """Have messages go into the agent's mailbox, as it lives here now.

        Args:
            olds: the containers by which messages may be under way to it.

        Returns:
            Whether nothing is under way.
        """
        self.way = None
        self.told.clear()
        if self.pending is not None:  # sent before it came, to where it was
            self._next = list(olds)
            return False
        if not olds:
            return True
        self._next = list(olds[1:])
        self.mark(olds[0])
        return False

    def leave(self, domain: str) -> None:
        """Have messages follow the agent, which has left this container with all that was sent to it here."""
        self.way, self.pending, self._next = domain, None, []

    def mark(self, old: str) -> None:
        """Start changing the way: send a marker the old way."""
        self.old, self.pending = old, next(self.numbers)
        self.tell(old, Marker(self.address, self.pending))

    def moved(self, origin: str) -> None:
        """Take that a container forwards messages to the agent, which is not there."""
        if self.pending is None and origin == self.way:
            self.mark(origin)
        elif self.way is not None and origin != self.old:  # it is to say so again when there is more
            self.tell(origin, Marker(self.address, next(self.numbers)))

    def _resolve(self, domain: str) -> bool:
        """Take that the old way is clear; return whether messages may go on."""
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
        """Take that a marker has reached the agent.

        Returns:
            Whether messages that were held may go on.
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
        """Return whether messages go, or have gone, straight to a container by the way that there is now."""
        return domain == (self.way if self.pending is None else self.old) != self.own

    def ended(self, domain: str) -> bool:
        """Take that the link to another container has ended: what was under way has arrived or failed.

        Returns:
            Whether messages that were held may go on.
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
        """Answer all markers: nothing is known of the agent any more."""
        passed, self._passed = self._passed, {}
        for each in passed.values():
            self.answer(each.origin, each.number, "")
