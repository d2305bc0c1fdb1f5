"""What comes for agents that may soon arrive: kept until they have, or will not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.container.dispatcher import Dispatcher
    from formicary.container.overflow import Source
    from formicary.core.message import Message
    from formicary.mobility.redirection.language import Marker

_EARLY: Final = 10_000  # messages that are kept for one agent


class _Expected(msgspec.Struct):
    """An agent that may soon arrive.

    Attributes:
        source: the domain of the container that it comes from.
        take: takes the messages that it brings along.
        starts: whether it has left there.
    """

    source: str
    take: Callable[[Message, str], bool]
    starts: bool = False


class Expecting:
    """The agents that may soon arrive in one container; it takes what comes for them from others.

    Args:
        dispatcher: the container's.
        take_stray: takes what comes, where these are not among the agents.
    """

    def __init__(self, dispatcher: Dispatcher, take_stray: Callable[[Message, str, Source], None]) -> None:
        self._dispatcher = dispatcher
        self._overflow = dispatcher.overflow
        self._own = dispatcher.domain
        self._expected: dict[str, _Expected] = {}
        self._markers: dict[str, list[tuple[str, Marker]]] = {}  # that came before these
        self._early: dict[str, list[tuple[Message, Source]]] = {}  # what has come for these
        self.take = take_stray

    def forget(self, source: Source) -> None:
        """Called when the other end of a link has forgotten what it was told; it was told nothing."""

    def __contains__(self, address: object) -> bool:
        return address in self._expected

    def begin(self, address: str, source: str, take: Callable[[Message, str], bool]) -> None:
        """Expect an agent; arguments as of `Places.expect`."""
        self._expected[address] = _Expected(source, take)
        if address not in self._overflow.takers:  # else a way of this container's agents takes it
            self._overflow.divert(address, self)

    def starts(self, address: str) -> None:
        """Have an agent take what it brings along: it has left, and arrives soon."""
        if (expected := self._expected.get(address)) is not None:
            expected.starts = True

    def end(self, address: str) -> str:
        """Expect an agent no more; return the container that it was to come from, or nothing."""
        if self._overflow.takers.get(address) is self:
            self._overflow.end_diversion(address)
        expected = self._expected.pop(address, None)
        return "" if expected is None else expected.source

    # -- messages -------------------------------------------------------------------------------------------

    def take_brought(self, message: Message, receiver: str, source: Source) -> bool:
        """Take a message that an agent brings along which arrives; return whether it is one."""
        expected = self._expected.get(receiver)
        return expected is not None and expected.starts and expected.take(message, source.domain)

    def keep(self, message: Message, receiver: str, source: Source) -> bool:
        """Keep a message until its receiver has arrived; return whether it may be for one that does."""
        expected, home = self._expected.get(receiver), receiver.partition("@")[2]
        if expected is None or not (expected.starts or home in {source.domain, self._own}):
            return False
        early = self._early.setdefault(receiver, [])
        if len(early) >= _EARLY:
            reason = (
                f"too many messages are waiting for {receiver} to arrive in container {self._dispatcher.name}"
            )
            self._dispatcher.add_dead_letter(message, reason, receiver)
        else:
            early.append((message, source))
            self._dispatcher.unacked_holders.add(self)
        return True

    def pop_early(self, address: str) -> Sequence[tuple[Message, Source]]:
        """Take out and return what has come for an agent, and over which links."""
        return self._early.pop(address, ())

    def messages(self) -> Sequence[Message]:
        """Return what is kept."""
        if not self._early:
            self._dispatcher.unacked_holders.discard(self)
        return [message for early in self._early.values() for message, _ in early]

    def close(self, reason: str) -> None:
        """Fail what is kept."""
        for address, early in self._early.items():
            for message, _ in early:
                self._dispatcher.add_dead_letter(message, reason, address)
        self._early.clear()

    # -- markers --------------------------------------------------------------------------------------------

    def follows_what_was_brought(self, origin: str, marker: Marker) -> bool:
        """Return whether a marker of another container comes from where an agent has left: all is here."""
        expected = self._expected.get(marker.address)
        is_own = marker.path[0] == self._own
        return expected is not None and expected.starts and origin == expected.source and not is_own

    def keep_marker(self, origin: str, marker: Marker, *, has_way: bool) -> bool:
        """Keep a marker until an agent is there; return whether it is for one that soon arrives.

        Args:
            origin: the container that it comes from.
            marker: the marker.
            has_way: whether this container knows a way to the agent, by which the marker can go on.
        """
        expected, home = self._expected.get(marker.address), marker.address.partition("@")[2]
        if expected is None:
            return False
        soon = not has_way and (expected.starts or origin == home)
        if marker.path[0] == self._own or soon:
            self._markers.setdefault(marker.address, []).append((origin, marker))
            return True
        return False

    def pop_markers(self, address: str) -> Sequence[tuple[str, Marker]]:
        """Take out and return the markers that were kept for an agent, and from where they came."""
        return self._markers.pop(address, ()) if self._markers else ()
