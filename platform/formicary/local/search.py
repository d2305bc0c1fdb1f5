"""The search for an agent by its short name, which asks all other containers at once when first needed.

A state machine: events go in, and instructions and notes come out. Containers report only agents that others
ask for. A container that was told of an agent is also told when it is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Kind = Literal["where", "here", "absent", "gone"]


class Note(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """A note of one container to another about agents' own names.

    Args:
        kind: `where` asks for them, `here` and `absent` answer, `gone` reports agents that ended here.
        names: the names.
    """

    kind: Kind
    names: tuple[str, ...]


class Found(msgspec.Struct, frozen=True):
    """An agent was found: it is `name@domain`."""

    name: str
    domain: str


class Missed(msgspec.Struct, frozen=True):
    """No container has an agent of this name."""

    name: str


class Forgotten(msgspec.Struct, frozen=True):
    """What was known of a name is no longer valid."""

    name: str


Instruction = Found | Missed | Forgotten


class NameSearch:
    """One container's knowledge of names in the others, and theirs of its own."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}
        """The domains of agents' containers, by agent name."""
        self.peers: set[str] = set()
        """The domains of containers that can be asked."""
        self.waiting: dict[str, set[str]] = {}
        """The domains that have yet to answer, by the name searched for."""
        self.instructions: list[Instruction] = []
        self._unsent: dict[str, list[tuple[Kind, list[str]]]] = {}  # by domain, in order
        self._told: dict[str, tuple[str, ...]] = {}  # domains that know of an agent here, by its name

    # -- asking ---------------------------------------------------------------------------------------------

    def ask(self, name: str) -> None:
        """Search for an agent, unless a search is already running."""
        if name in self.waiting:
            return
        if not self.peers:
            self.instructions.append(Missed(name))
            return
        self.waiting[name] = set(self.peers)
        for domain in sorted(self.peers):
            self._tell(domain, "where", (name,))

    def joined(self, domain: str) -> None:
        """Record that a container can be asked; notes on an earlier link may be lost."""
        self._unsent.pop(domain, None)
        self._forget_those_at(domain)
        self.peers.add(domain)
        for left in self.waiting.values():
            left.add(domain)
        if self.waiting:
            self._tell(domain, "where", self.waiting)

    def lost(self, domain: str) -> None:
        """Record that a container is gone."""
        self._unsent.pop(domain, None)
        self.peers.discard(domain)
        self._forget_those_at(domain)
        self._not_at(domain, tuple(self.waiting))

    def _forget_those_at(self, domain: str) -> None:
        for name in [name for name, at in self.known.items() if at == domain]:
            self._forget(name)

    def _forget(self, name: str) -> None:
        del self.known[name]
        self.instructions.append(Forgotten(name))

    def _not_at(self, domain: str, names: Iterable[str]) -> None:
        for name in names:
            left = self.waiting.get(name)
            if left is None:
                continue
            left.discard(domain)
            if not left:
                del self.waiting[name]
                self.instructions.append(Missed(name))

    # -- from others ----------------------------------------------------------------------------------------

    def receive(self, domain: str, note: Note, is_here: Callable[[str], bool]) -> None:
        """Handle a note from another container.

        Args:
            domain: that container.
            note: the note.
            is_here: whether an agent of a name has its home here.
        """
        match note.kind:
            case "where":
                self._answer(domain, note.names, is_here)
            case "here":
                for name in note.names:
                    if self.waiting.pop(name, None) is not None:
                        self.known[name] = domain
                        self.instructions.append(Found(name, domain))
            case "absent":
                self._not_at(domain, note.names)
            case "gone":
                for name in note.names:
                    if self.known.get(name) == domain:
                        self._forget(name)

    def _answer(self, domain: str, names: tuple[str, ...], is_here: Callable[[str], bool]) -> None:
        for name in names:
            if is_here(name):
                told = self._told.get(name, ())
                if domain not in told:
                    self._told[name] = (*told, domain)
                self._tell(domain, "here", (name,))
            else:
                self._tell(domain, "absent", (name,))

    # -- to others ------------------------------------------------------------------------------------------

    def ended(self, name: str) -> None:
        """Record that an agent that lived here is gone."""
        for domain in self._told.pop(name, ()):
            self._tell(domain, "gone", (name,))

    def _tell(self, domain: str, kind: Kind, names: Iterable[str]) -> None:
        notes = self._unsent.setdefault(domain, [])
        if not notes or notes[-1][0] != kind:
            notes.append((kind, []))
        notes[-1][1].extend(names)

    @property
    def receivers(self) -> tuple[str, ...]:
        """The domains with notes to send."""
        return tuple(self._unsent)

    def take_notes(self, domain: str) -> list[Note]:
        """Return the notes for a container in order, and consider them sent."""
        return [Note(kind, tuple(names)) for kind, names in self._unsent.pop(domain, ())]
