"""Entries of agents that have moved on, which readers see until they see those where the agents have gone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

    from formicary.directory.replicated.exchange import Departure, Key

_PATIENCE: Final = 2  # reminders for which a container may not be known that an agent has gone to


@dataclass(slots=True)
class Held:
    """Entries of one agent.

    Attributes:
        owner: the container that has them no more.
        agent: the full name of the agent.
        keys: the entries.
    """

    owner: str
    agent: str
    keys: list[Key]


@dataclass(slots=True)
class _Waiting:
    held: Held
    departure: Departure
    reminders: int = 0  # how many there were while nothing was known of where the agent has gone


class HeldEntries:
    """All such entries, by the containers to which their agents have gone."""

    def __init__(self) -> None:
        self._waiting: dict[str, dict[tuple[str, str], _Waiting]] = {}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def hold(self, held: Held, departure: Departure) -> None:
        """Keep entries; of the same owner and agent, nothing is kept yet."""
        self._waiting.setdefault(departure.domain, {})[held.owner, held.agent] = _Waiting(held, departure)

    def take(self, owner: str, agent: str) -> list[Key]:
        """Return what is kept of an owner and an agent, and forget it."""
        for domain, waiting in self._waiting.items():
            found = waiting.pop((owner, agent), None)
            if found is not None:
                if not waiting:
                    del self._waiting[domain]
                return found.held.keys
        return []

    def departure(self, owner: str, agent: str) -> Departure | None:
        """Return where an agent has gone from a container, if something is kept of that."""
        for waiting in self._waiting.values():
            found = waiting.get((owner, agent))
            if found is not None:
                return found.departure
        return None

    def due(self, domain: str, is_due: Callable[[Departure], bool]) -> list[tuple[Held, Departure]]:
        """Return what need not be kept any more of those that wait for a container, and forget it."""
        waiting = self._waiting.get(domain, {})
        found = [(each.held, each.departure) for each in waiting.values() if is_due(each.departure)]
        for held, _ in found:
            self.take(held.owner, held.agent)
        return found

    def remind(self, known: Container[str]) -> list[Held]:
        """Return and forget what waits for containers that are not heard of; call it with each reminder."""
        found = []
        for waiting in [*self._unknown(known)]:
            waiting.reminders += 1
            if waiting.reminders >= _PATIENCE:
                self.take(waiting.held.owner, waiting.held.agent)
                found.append(waiting.held)
        return found

    def _unknown(self, known: Container[str]) -> Iterator[_Waiting]:
        for domain, waiting in self._waiting.items():
            if domain not in known:
                yield from waiting.values()
