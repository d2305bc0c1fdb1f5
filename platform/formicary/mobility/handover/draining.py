"""Wait until what a container has sent has arrived, by asking its receivers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.mobility.handover.exchange import Flush

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from formicary.mobility.handover.cluster_view import ClusterView


class Draining:
    """Waits until others have got what was sent before an agent leaves: what it sends later shall come later.

    Args:
        cluster_view: the container's.
        drained: called with the full name of an agent when all has arrived that was sent before.
    """

    def __init__(self, cluster_view: ClusterView, drained: Callable[[str], None]) -> None:
        self._cluster_view = cluster_view
        self._drained = drained
        self._number = 0
        self._waiting: dict[str, set[int]] = {}  # for which flushes an agent waits
        self._under_way: dict[int, tuple[str, list[str]]] = {}  # to which container, for which agents
        self._not_gone: dict[str, int] = {}  # flushes by domain that wait for the end of the turn

    def begin(self, address: str, domains: Collection[str]) -> bool:
        """Begin to wait for an agent's sake; return whether there is nothing to wait for.

        Args:
            address: the agent.
            domains: of the containers to which something is under way.
        """
        if not domains:
            return True
        numbers = {self._flush(domain, address) for domain in domains if domain in self._cluster_view.members}
        if numbers:
            self._waiting[address] = numbers
        return not numbers

    def _flush(self, domain: str, address: str) -> int:
        number = self._not_gone.get(domain)
        if number is None:
            self._number = number = self._number + 1
            self._not_gone[domain] = number
            self._under_way[number] = domain, []
            self._cluster_view.tell(domain, Flush(number))
        self._under_way[number][1].append(address)
        return number

    def sent(self, domain: str) -> None:
        """Called when what is to be told a container goes out: what is sent later needs another flush."""
        self._not_gone.pop(domain, None)

    def say_again(self, domain: str) -> None:
        """Ask another container again, which may not have known this one when it was asked."""
        for number, (where, _) in self._under_way.items():
            if where == domain:
                self._cluster_view.tell(domain, Flush(number))

    def forget(self, address: str) -> None:
        """Wait no longer for an agent's sake."""
        self._waiting.pop(address, None)

    def flushed(self, origin: str, event: Flush) -> None:
        """Handle the answer of another container."""
        if self._under_way.get(event.number, ("", ()))[0] == origin:
            self._end(event.number)

    def session_ended(self, domain: str) -> None:
        """Called when a link has ended: what was under way there has arrived, or has failed."""
        self._not_gone.pop(domain, None)
        for number in [it for it, (where, _) in self._under_way.items() if where == domain]:
            self._end(number)

    def _end(self, number: int) -> None:
        for address in self._under_way.pop(number)[1]:
            numbers = self._waiting.get(address)
            if numbers is not None:
                numbers.discard(number)
                if not numbers:
                    del self._waiting[address]
                    self._drained(address)
