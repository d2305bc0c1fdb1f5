"""Another container's entries of the directory, as known here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable

    from formicary.directory.model.description import ServiceDescription
    from formicary.directory.replicated.exchange import Departure, Key, Part, Updates

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


@dataclass(slots=True)
class PeerReplica:
    """The entries of another container."""

    incarnation: int
    entries: dict[Key, ServiceDescription] = field(default_factory=dict)
    number: int = 0
    """The number of the latest update in it."""
    latest: int = 0
    """The highest number known of the owner's updates."""
    has_told: bool = False
    """Whether the owner has sent the number of its latest update."""
    ask: int = 0
    """The number of the request to the owner that is not fully answered; 0 for none."""
    has_news: bool = False
    """Whether anything has arrived since this was last reset."""
    moves: dict[str, int] = field(default_factory=dict)
    """The number of moves of each of its agents that has moved."""
    _parts: int = 0  # received of the present snapshot
    _unconfirmed: set[Key] | None = None  # older keys not yet in the present snapshot
    _named: dict[str, int] = field(default_factory=dict)  # as `moves`, since the snapshot began

    @property
    def is_whole(self) -> bool:
        """Whether these are the owner's entries as of update `number`; false during a snapshot."""
        return self._unconfirmed is None

    @property
    def is_behind(self) -> bool:
        """Whether the owner is known to have later updates."""
        return self.number < self.latest or self._unconfirmed is not None

    def begin(self, ask: int) -> int | None:
        """Record a request to the owner; return its `number`: None for a snapshot."""
        self.ask = ask
        self._parts = 0
        return self.number if self.is_whole else None

    def expects(self, part: Part) -> bool:
        """Return whether a part of a snapshot is the next one."""
        return part.ask == self.ask and part.index == self._parts

    def update(self, message: Updates) -> list[Key]:
        """Apply the next update; return the keys of removed entries."""
        self._put(message.put)
        entries = self.entries
        removed = [key for key in message.removed if entries.pop(key, None) is not None]
        if self._unconfirmed:
            self._unconfirmed.difference_update(message.removed)
        self._note(message)
        self.number = message.number
        self._settle()
        return removed

    def add(self, part: Part) -> tuple[list[ServiceDescription], list[Key], list[str]]:
        """Apply the next part of a snapshot.

        Returns:
            New or changed entries, the keys of removed ones, and agents that had moved and are gone.
        """
        if self._unconfirmed is None or part.index == 0:
            self._unconfirmed = set(self.entries)
            self._named = {}
            self.number = self.latest = part.number
        self._parts = part.index + 1
        self.has_news = True
        known = self.entries.get
        added = [it for it in part.put if known((it.agent, it.name)) != it]
        self._put(part.put)
        self._note(part)
        if not part.is_last:
            return added, [], []
        removed = list(self._unconfirmed)
        for key in removed:
            del self.entries[key]
        ended = [agent for agent in self.moves if agent not in self._named]
        for agent in ended:
            del self.moves[agent]
        self._unconfirmed = None
        self._named = {}
        self.ask = 0
        return added, removed, ended

    def _note(self, message: Updates | Part) -> None:
        """Record which agents have moved there, and which have moved on."""
        self.moves.update(message.moves)
        if self._unconfirmed is not None:
            self._named.update(message.moves)
        for agent in message.left:
            if agent not in message.moves:
                self.moves.pop(agent, None)
                self._named.pop(agent, None)

    def _put(self, descriptions: Iterable[ServiceDescription]) -> None:
        put = {(it.agent, it.name): it for it in descriptions}
        self.entries.update(put)
        if self._unconfirmed:
            self._unconfirmed.difference_update(put)

    def _settle(self) -> None:
        self.has_news = True
        if not self.is_behind:
            self.ask = 0
