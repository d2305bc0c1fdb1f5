"""Wait until what a container has sent has arrived, by asking its receivers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.mobility.handover.exchange import Flush
from formicary.mobility.handover.instructions import Drained

if TYPE_CHECKING:
    from collections.abc import Collection

    from formicary.mobility.handover.shared_state import SharedState
    from formicary.mobility.handover.source import Departure


class Draining:
    """Waits until others have what was sent before an agent leaves: what it sends later must come later.

    Args:
        shared: the container's.
    """

    def __init__(self, shared: SharedState) -> None:
        self._shared = shared
        self._number = 0
        self._under_way: dict[int, tuple[str, list[Departure]]] = {}  # to which container, for which agents
        self._unsent: dict[str, int] = {}  # flushes by domain that wait for the end of the turn

    def begin(self, departure: Departure, domains: Collection[str]) -> None:
        """Have an agent wait for the containers to which something is under way; then it is `Drained`."""
        departure.flushes.update(
            self._flush(domain, departure) for domain in domains if domain in self._shared.members
        )
        if not departure.flushes:
            self._shared.instructions.append(Drained(departure))

    def _flush(self, domain: str, departure: Departure) -> int:
        number = self._unsent.get(domain)
        if number is None:
            self._number = number = self._number + 1
            self._unsent[domain] = number
            self._under_way[number] = domain, []
            self._shared.tell(domain, Flush(number))
        self._under_way[number][1].append(departure)
        return number

    def sent(self, domain: str) -> None:
        """Called when the events for a container are sent: what is sent later needs another flush."""
        self._unsent.pop(domain, None)

    def say_again(self, domain: str) -> None:
        """Ask another container again, which may not have known this one when it was asked."""
        for number, (where, _) in self._under_way.items():
            if where == domain:
                self._shared.tell(domain, Flush(number))

    def flushed(self, origin: str, event: Flush) -> None:
        """Handle the answer of another container."""
        if self._under_way.get(event.number, ("", ()))[0] == origin:
            self._end(event.number)

    def session_ended(self, domain: str) -> None:
        """Called when a link has ended: what was under way there has arrived, or has failed."""
        self._unsent.pop(domain, None)
        for number in [it for it, (where, _) in self._under_way.items() if where == domain]:
            self._end(number)

    def _end(self, number: int) -> None:
        for departure in self._under_way.pop(number)[1]:
            if number in departure.flushes:  # otherwise it is over
                departure.flushes.remove(number)
                if not departure.flushes:
                    self._shared.instructions.append(Drained(departure))
