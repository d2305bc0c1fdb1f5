"""Another container's entries of the directory, as far as they are known here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary.directory.model.description import ServiceDescription
    from formicary.directory.replicated.exchange import Key, Part, Updates


@dataclass(slots=True)
class PeerReplica:
    """The entries of another container."""

    incarnation: int
    entries: dict[Key, ServiceDescription] = field(default_factory=dict)
    number: int = 0
    """That of the latest update that is in it."""
    latest: int = 0
    """The highest number that the owner is known to have reached."""
    has_told: bool = False
    """Whether the owner has said how far it has come."""
    ask: int = 0
    """The question to the owner that is not answered in full; 0: none."""
    has_news: bool = False
    """Whether anything has come since that was last looked at."""
    moves: dict[str, int] = field(default_factory=dict)
    """How often its agents have moved, of those that have."""
    _parts: int = 0  # of the present snapshot that have come
    _unconfirmed: set[Key] | None = None  # keys of before the present snapshot that it has not named yet
    _named: dict[str, int] = field(default_factory=dict)  # as `moves`, those named since the snapshot began

    @property
    def is_whole(self) -> bool:
        """Whether this is what the owner had at the time of update `number`; not so within a snapshot."""
        return self._unconfirmed is None

    @property
    def is_behind(self) -> bool:
        """Whether the owner is known to have something that is not here."""
        return self.number < self.latest or self._unconfirmed is not None

    def begin(self, ask: int) -> int | None:
        """Ask the owner; return the number to ask with: None for a snapshot."""
        self.ask = ask
        self._parts = 0
        return self.number if self.is_whole else None

    def expects(self, part: Part) -> bool:
        """Tell whether a part of a snapshot is the one that comes next."""
        return part.ask == self.ask and part.index == self._parts

    def update(self, message: Updates) -> list[Key]:
        """Take the next update; return the keys of the entries that were removed."""
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
        """Take the next part of a snapshot.

        Returns:
            The entries that are new or changed; those that are removed; and the agents that are not there any
            more, of those that had moved.
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
        """Take note of which agents have moved here, and which have moved on."""
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
