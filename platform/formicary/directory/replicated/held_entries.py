"""Entries of agents that have moved on, which readers see until they see those where the agents have gone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from formicary.directory.replicated.exchange import Departure, Key

_PATIENCE: Final = 2  # reminders for which a container may not be known that an agent has gone to


@dataclass(slots=True)
class Held:
    """Entries of one agent that has moved on.

    Attributes:
        owner: the container that has them no more.
        agent: the full name of the agent.
        keys: the entries.
        departure: where the agent has gone.
        reminders: how many there were while nothing was known of where the agent has gone.
    """

    owner: str
    agent: str
    keys: list[Key]
    departure: Departure
    reminders: int = 0


class HeldEntries:
    """All such entries, by the containers to which their agents have gone."""

    def __init__(self) -> None:
        self._waiting: dict[str, dict[tuple[str, str], Held]] = {}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def hold(self, held: Held) -> None:
        """Keep entries; of the same owner and agent, nothing is kept yet."""
        self._waiting.setdefault(held.departure.domain, {})[held.owner, held.agent] = held

    def take(self, owner: str, agent: str) -> list[Key]:
        """Return what is kept of an owner and an agent, and forget it."""
        for domain, waiting in self._waiting.items():
            found = waiting.pop((owner, agent), None)
            if found is not None:
                if not waiting:
                    del self._waiting[domain]
                return found.keys
        return []

    def departure(self, owner: str, agent: str) -> Departure | None:
        """Return where an agent has gone from a container, if something is kept of that."""
        for waiting in self._waiting.values():
            if found := waiting.get((owner, agent)):
                return found.departure
        return None

    def due(self, domain: str, is_due: Callable[[Departure], bool]) -> list[Held]:
        """Return what need not be kept any more of those that wait for a container, and forget it."""
        return self._forget(
            [each for each in self._waiting.get(domain, {}).values() if is_due(each.departure)]
        )

    def remind(self, known: Container[str]) -> list[Held]:
        """Return and forget what waits for containers that are not heard of; call it with each reminder."""
        unknown = [
            each
            for domain, waiting in self._waiting.items()
            if domain not in known
            for each in waiting.values()
        ]
        for each in unknown:
            each.reminders += 1
        return self._forget([each for each in unknown if each.reminders >= _PATIENCE])

    def _forget(self, found: list[Held]) -> list[Held]:
        for each in found:
            self.take(each.owner, each.agent)
        return found
