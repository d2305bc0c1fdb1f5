"""The way of messages to one agent, as one container has it: what happens goes in, what to do comes out.

A container sends the messages for an agent to one place at a time, its *way*: at first to the agent's home,
or into its mailbox where it lives here. From there they are passed on, and the container is told (`Moved`).
To send them straight, it must be sure that nothing is under way any more: it holds what is sent from then on,
sends a marker behind what has gone the old way, and goes on when that is through. Each container that passes
a marker on answers when the next one has; the one in which the agent lives answers at once.

The same holds for the container that the agent has come to: what its own agents sent before, and what it has
passed on for others, is still under way to itself.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import msgspec

from formicary.mobility.redirection.language import Marker, Moved, Through

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary.mobility.redirection.language import News


class Tell(msgspec.Struct, frozen=True):
    """Tell another container something; behind all messages that go there, where it is a marker."""

    domain: str
    news: News


class Open(msgspec.Struct, frozen=True):
    """Send on what was held: the way is known, and nothing is under way elsewhere."""


class Drop(msgspec.Struct, frozen=True):
    """What was held fails, as what was sent before some of it has come back behind it."""


class Fail(msgspec.Struct, frozen=True):
    """Nobody knows where the agent is: what was held fails."""


Instruction = Tell | Open | Drop | Fail


class _Passed(msgspec.Struct):
    """A marker of another container that was passed on."""

    origin: str
    number: int
    path: tuple[str, ...]
    way: str  # to where
    first: int  # the number that it had at the first container


class Redirection(msgspec.Struct):
    """The way of the messages to one agent.

    After each call, do what `instructions` says, in that order, and clear it.

    Args:
        address: the agent's full name.
        own: the domain of this container.
        way: where its messages go from here; None: it lives here.
        numbers: for markers, each new in this container.

    Attributes:
        domain: where its messages go from here; None: into its mailbox.
        pending: the number of the marker that has to be through before messages go on; None where they do.
        told: the containers for which something was passed on, and who have sent no marker since.
    """

    address: str
    own: str
    domain: str | None
    numbers: Iterator[int] = msgspec.field(default_factory=lambda: count(1))
    pending: int | None = None
    told: set[str] = msgspec.field(default_factory=set)
    instructions: list[Instruction] = msgspec.field(default_factory=list)
    _way: str = ""  # the one that the marker has gone
    _is_since: bool = False  # whether it has gone since the agent is here
    _also: str | None = None  # the other container from which something may be on its way, since it is here
    _next: str | None = None  # where messages go if the old way is lost
    _has_left: bool = False  # from here, and its home may have sent messages here before it knew
    _known: str | None = None  # where the agent is for certain, at its home
    _passed: dict[int, _Passed] = msgspec.field(default_factory=dict)

    @property
    def home(self) -> str:
        """The domain of the agent's home container."""
        return self.address.partition("@")[2]

    @property
    def is_here(self) -> bool:
        """Whether the agent lives here."""
        return self.domain is None

    @property
    def is_needed(self) -> bool:
        """Whether messages would go another way without this."""
        if self.pending is not None or self._passed:
            return True
        return not self.is_here and (self.domain != self.home or self._has_left or bool(self.told))

    @property
    def is_quiet(self) -> bool:
        """Whether nobody waits for something to be through."""
        return self.pending is None and not self._passed and not self.told

    def is_known_at(self, domain: str) -> bool:
        """Return whether messages go straight to a container, and the agent is known to be there."""
        return self.domain == domain == self._known and self.pending is None

    # -- where the agent is ---------------------------------------------------------------------------------

    def depart(self, domain: str) -> None:
        """Called when the agent has left for another container, and what it did not receive is on its way."""
        self.domain = self._known = domain
        self.pending = self._also = None
        self._has_left = True

    def arrive(self, source: str = "", *, is_used: bool, also: str | None = None) -> None:
        """Called when the agent lives here.

        Args:
            source: the container that it has come from, and all that was under way here with it.
            is_used: whether messages may be under way that went from here to where it was.
            also: the container to which something has gone from here by another way than the others.
        """
        way, self.domain = self.domain, None
        self._also = also
        self.told.discard(source)
        self._has_left = False
        self._next = self._known = None
        if self.pending is None and way is not None and (is_used or self.told or self._passed):
            self._mark(way)
        elif self.pending is None and also is not None:
            self._also = None
            self._mark(also)
        elif self.pending is None:
            self.instructions.append(Open())

    def set(self, domain: str, *, is_used: bool) -> None:
        """Called when it is known for certain where the agent is, which is not here.

        Args:
            domain: the container.
            is_used: as of `arrive`.
        """
        self._known = domain
        if self.pending is not None:
            self._next = domain
        elif self.domain is not None and self.domain != domain:
            if is_used or self.told or self._passed:
                self._next = domain
                self._mark(self.domain)
            else:
                self.domain = domain

    def leads_to(self, domain: str) -> bool:
        """Tell whether messages go to a container, or will when nothing is under way any more."""
        return domain in {self.domain, self._next}

    def give_up(self, domain: str, *, is_used: bool) -> None:
        """Called when a container that messages go to, or were to, is none of the platform's any more.

        Its link may live on, and with it what has gone there: the home's way would be sooner.

        Args:
            domain: the container.
            is_used: as of `arrive`.
        """
        if self._next == domain:
            self._next = None
        if self.pending is not None or self.domain != domain or domain == self.home:
            return
        if is_used or self.told or self._passed:
            self._next = self.home
            self._mark(domain)
        else:
            self.domain = self.home

    # -- what happens ---------------------------------------------------------------------------------------

    def pass_on_for(self, origin: str) -> None:
        """Called when a message of another container comes, and the agent is not here or has just come."""
        if origin not in self.told:
            self.told.add(origin)
            self.instructions.append(Tell(origin, Moved(self.address, self.domain or self.own)))

    def moved(self, origin: str, domain: str) -> None:
        """Called when another container says that the agent is not there."""
        if origin == self.domain and self.pending is None:
            self._next = domain
            self._mark(origin)
        elif origin != self._way or self.pending is None:  # it means what went there long ago: nothing will
            marker = Marker(self.address, next(self.numbers), (self.own,))
            self.instructions.append(Tell(origin, marker))

    def marker(self, origin: str, number: int, path: tuple[str, ...], first: int = 0) -> None:
        """Called with a marker of another container, when what it has sent before was passed on.

        Arguments as of `Marker`.
        """
        if len(path) == 1:  # else there may be more to come of what goes by way of that container
            self.told.discard(origin)
            if origin == self.home:
                self._has_left = False
        if self.is_here:
            self.instructions.append(Tell(origin, Through(self.address, number, self.own)))
            if path[0] == self.own and first == self.pending:
                self._resolve(self.own)  # it is back, and all that went before it
        elif self.own in path or self.domain is None:
            self.instructions.append(Tell(origin, Through(self.address, number, "")))
            if path[0] == self.own and first == self.pending:
                self.instructions.append(Drop())
                self._resolve("")
        else:
            self._pass_on(_Passed(origin, number, path, self.domain, first or number))

    def _pass_on(self, passed: _Passed) -> None:
        number = next(self.numbers)
        self._passed[number] = passed
        marker = Marker(self.address, number, (*passed.path, self.own), passed.first)
        self.instructions.append(Tell(passed.way, marker))

    def through(self, origin: str, number: int, domain: str) -> None:
        """Called when another container says that what was before a marker has got to the agent."""
        passed = self._passed.get(number)
        if number == self.pending and origin == self._way:
            if self.is_here and not self._is_since and domain not in {"", self.own}:
                self._mark(domain)  # where the agent was then: what was before is on its way here from there
            else:
                self._resolve(domain)
        elif passed is not None and passed.way == origin:
            del self._passed[number]
            if passed.path != (domain,):  # else who has sent it first has the agent, and the marker was back
                self.instructions.append(Tell(passed.origin, Through(self.address, passed.number, domain)))

    def takes_another_without(self, domain: str) -> bool:
        """Return whether messages go another way when the link to a container ends."""
        if self.pending is not None:
            return self._way == domain
        return self.domain == domain and self._known not in {None, domain}

    def ended(self, domain: str) -> None:
        """Called when the link to another container has ended: what was under way failed or is there."""
        self.told.discard(domain)
        if domain == self.home:
            self._has_left = False
        if domain == self._also:
            self._also = None
        lost = []
        for number, passed in tuple(self._passed.items()):
            if domain in {passed.origin, passed.way}:
                del self._passed[number]
            if passed.origin != domain and passed.way == domain:
                lost.append(passed)
        takes_another = self.takes_another_without(domain)
        if self.pending is not None and takes_another:
            self._resolve(self.own if self.is_here else self._next or self.home)
        elif takes_another:
            self.domain = self._known
            self.instructions.append(Open())
        for passed in lost:  # from here on is another way, of which nobody needs to know
            self.instructions.append(Tell(passed.origin, Through(self.address, passed.number, self.own)))

    def forget(self) -> list[Tell]:
        """Return what to tell when nothing is known of the agent any more: nobody is to wait for a marker."""
        passed, self._passed = self._passed, {}
        return [Tell(each.origin, Through(self.address, each.number, "")) for each in passed.values()]

    def _mark(self, way: str) -> None:
        self._way = way
        self._is_since = self.is_here
        self.pending = next(self.numbers)
        self.instructions.append(Tell(way, Marker(self.address, self.pending, (self.own,))))

    def _resolve(self, domain: str) -> None:
        """Go on: nothing is under way by the old way any more."""
        self.pending = None
        also, self._also = self._also, None
        if self.is_here and also is not None:
            self._mark(also)
            return
        if self.is_here:
            self.told.clear()
        elif domain not in {"", self.own}:
            self.domain = domain
        elif self.home != self.own:
            self.domain = self.home
        elif self._known not in {None, self._way}:  # it lives there, whoever does not know
            self.domain = self._known
        else:
            self.instructions.append(Fail())
            return
        self.instructions.append(Open())
