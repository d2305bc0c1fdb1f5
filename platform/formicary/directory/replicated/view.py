"""The view that readers have of the directory: all entries, each once.

While an agent moves, two containers have its entries for a moment, and others learn of it in any order. The
view shows all of an agent's entries as the container has them to which it has moved last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formicary.directory.model.entries import Entries
from formicary.directory.replicated.exchange import Added, Arrived, Ended, Removed, Renewed

if TYPE_CHECKING:
    from formicary.directory.model.description import ServiceDescription
    from formicary.directory.replicated.exchange import Key

_AT_HOME: Final = 0  # moves of an agent that lives at home
_EXPECTED: Final = (
    -1
)  # moves, while a container has sent an agent's entries but not yet that the agent arrived


class _Stay:
    """One container's entries of an agent that moves."""

    __slots__ = ("is_over", "moves", "services")

    def __init__(self, moves: int) -> None:
        self.moves = moves  # how often the agent had moved when it arrived there
        self.services: dict[str, ServiceDescription] = {}
        self.is_over = False  # whether it ends when the last of these is removed


class _Traveller:
    """An agent that moves: its entries by container, and the container whose entries are shown."""

    __slots__ = ("seen_at", "stays")

    def __init__(self) -> None:
        self.stays: dict[str, _Stay] = {}
        self.seen_at: str | None = None


class View:
    """The entries that readers see, with the subscribers to changes."""

    def __init__(self, domain: str) -> None:
        self._domain = domain
        self._renewing: set[str] = set()  # containers whose snapshots are incomplete
        self.index: Entries[Key] = Entries()
        self._travellers: dict[str, _Traveller] = {}  # agents with entries of other containers than home

    def follow(self, instruction: Added | Removed | Arrived | Ended | Renewed) -> None:
        """Apply an instruction of the replica."""
        owner = instruction.owner
        match instruction:
            case Added():
                for service in instruction.descriptions:
                    self.put(owner, service)
            case Removed():
                for key in instruction.keys:
                    self.remove(owner, key)
            case Arrived():
                for agent, moves in instruction.moves.items():
                    self.arrive(owner, agent, moves)
            case Ended():
                for agent in instruction.agents:
                    self.end(owner, agent)
            case Renewed():
                self.renew(owner, is_over=instruction.is_over)

    def put(self, owner: str, service: ServiceDescription) -> None:
        """Add or change an entry of a container."""
        agent = service.agent
        if not self._travellers and agent.endswith(owner):
            self._show(service)
            return
        traveller = self._travellers.get(agent)
        if traveller is None:
            if _home(agent) == owner:
                self._show(service)
                return
            traveller = self._begin(agent)
        stay = traveller.stays.get(owner)
        if stay is None:
            stay = traveller.stays[owner] = _Stay(_AT_HOME if _home(agent) == owner else _EXPECTED)
        stay.services[service.name] = service
        self._choose(agent, traveller)
        if traveller.seen_at == owner:
            self._show(service)

    def remove(self, owner: str, key: Key) -> None:
        """Remove an entry of a container."""
        agent, name = key
        traveller = self._travellers.get(agent) if self._travellers else None
        if traveller is None:
            self.index.remove(key)
            return
        stay = traveller.stays.get(owner)
        if stay is not None and stay.services.pop(name, None) is not None:
            if traveller.seen_at == owner:
                self.index.remove(key)
            self._tidy(agent, traveller)

    def arrive(self, owner: str, agent: str, moves: int) -> None:
        """Record that an agent lives in a container, all of whose entries of it are here.

        Args:
            owner: the container.
            agent: the full name of the agent.
            moves: how often it had moved when it arrived there, at least once.
        """
        traveller = self._travellers.get(agent) or self._begin(agent)
        stay = traveller.stays.setdefault(owner, _Stay(moves))
        stay.moves, stay.is_over = moves, False
        self._choose(agent, traveller)

    def end(self, owner: str, agent: str) -> None:
        """Record that an agent that may have moved no longer lives in a container.

        Its entries there are shown until they are removed; but at its home, it may have started anew.
        """
        traveller = self._travellers.get(agent)
        stay = None if traveller is None else traveller.stays.get(owner)
        if traveller is not None and stay is not None:
            if _home(agent) == owner:
                stay.moves = _AT_HOME
            stay.is_over = True
            self._tidy(agent, traveller)

    def renew(self, owner: str, *, is_over: bool) -> None:
        """Record that a snapshot of a container's entries has begun or ended."""
        if not is_over:
            self._renewing.add(owner)
            return
        self._renewing.discard(owner)
        for agent, traveller in self._travellers.items():
            if traveller.seen_at == owner:
                self._choose(agent, traveller)

    # -- agents that move -----------------------------------------------------------------------------------

    def _begin(self, agent: str) -> _Traveller:
        """Follow an agent known from its home only, if at all."""
        traveller = self._travellers[agent] = _Traveller()
        if keys := self.index.keys_of(agent):
            home = _home(agent)
            traveller.seen_at = home
            stay = traveller.stays[home] = _Stay(_AT_HOME)
            for key in keys:
                service = self.index.get(key)
                assert service is not None
                stay.services[key[1]] = service
        return traveller

    def _choose(self, agent: str, traveller: _Traveller) -> None:
        """Show an agent's entries as the container has them to which it has moved last."""
        best, best_moves = None, _EXPECTED
        for owner, stay in traveller.stays.items():
            if stay.moves > best_moves or (stay.moves == best_moves and owner == traveller.seen_at):
                best, best_moves = owner, stay.moves
        best = None if best_moves == _EXPECTED else best
        if best == traveller.seen_at or (best != self._domain and self._may_be_home(traveller)):
            return
        traveller.seen_at = best
        services = {} if best is None else traveller.stays[best].services
        gone = [key for key in self.index.keys_of(agent) if key[1] not in services]
        for service in services.values():
            if self.index.get((agent, service.name)) != service:  # an equal one keeps its age
                self._show(service)
        for key in gone:
            self.index.remove(key)

    def _may_be_home(self, traveller: _Traveller) -> bool:
        """Return whether the agent is shown at its home and the home's snapshot is still incomplete."""
        home = traveller.seen_at
        stay = traveller.stays.get(home) if home in self._renewing else None
        return stay is not None and stay.moves == _AT_HOME and not stay.is_over

    def _tidy(self, agent: str, traveller: _Traveller) -> None:
        """Forget containers without entries, and the agent, if only its home knows it."""
        stays = traveller.stays
        for owner in [each for each, stay in stays.items() if not stay.services]:
            if stays[owner].is_over or stays[owner].moves <= _AT_HOME:
                del stays[owner]
        self._choose(agent, traveller)
        if not stays or (len(stays) == 1 and stays.get(_home(agent), _Stay(1)).moves == _AT_HOME):
            del self._travellers[agent]

    def _show(self, service: ServiceDescription) -> None:
        self.index.put((service.agent, service.name), service)


def _home(agent: str) -> str:
    return agent.partition("@")[2]
