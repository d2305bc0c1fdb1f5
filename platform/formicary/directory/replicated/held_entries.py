"""Former entries of agents that have moved on, shown until those of their new containers are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from formicary.directory.replicated.exchange import Departure, Key

_PATIENCE: Final = 2  # reminders during which an agent's new container may be unknown


@dataclass(slots=True)
class Held:
    """Entries of one agent that has moved on.

    Attributes:
        owner: the container that no longer has them.
        agent: the full name of the agent.
        keys: the keys of the entries.
        departure: where the agent has gone.
        reminders: number of reminders while the agent's new container was unknown.
    """

    owner: str
    agent: str
    keys: list[Key]
    departure: Departure
    reminders: int = 0


class HeldEntries:
    """Held entries, by the containers to which their agents have gone."""

    def __init__(self) -> None:
        self._waiting: dict[str, dict[tuple[str, str], Held]] = {}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def hold(self, held: Held) -> None:
        """Hold entries; none of the same owner and agent may be held yet."""
        self._waiting.setdefault(held.departure.domain, {})[held.owner, held.agent] = held

    def take(self, owner: str, agent: str) -> list[Key]:
        """Return and forget the entries held of an owner and an agent."""
        for domain, waiting in self._waiting.items():
            found = waiting.pop((owner, agent), None)
            if found is not None:
                if not waiting:
                    del self._waiting[domain]
                return found.keys
        return []

    def departure(self, owner: str, agent: str) -> Departure | None:
        """Return where an agent has gone from a container, if entries of it are held."""
        for waiting in self._waiting.values():
            if found := waiting.get((owner, agent)):
                return found.departure
        return None

    def due(self, domain: str, is_due: Callable[[Departure], bool]) -> list[Held]:
        """Return and forget the entries waiting for a container that are due."""
        return self._forget(
            [each for each in self._waiting.get(domain, {}).values() if is_due(each.departure)]
        )

    def remind(self, known: Container[str]) -> list[Held]:
        """Return and forget entries waiting for unknown containers too long; call this with each reminder."""
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
