"""The state of a platform at one moment, from the events up to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary.observe.events import AgentFigures, AgentSeen, Figures

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary.observe.events import ContainerFigures, Entry, Event, LinkFigures, RolePlayed

_MOST = 20_000  # agents


class State:
    """Accumulates the state after events; of too many agents it keeps the first."""

    def __init__(self) -> None:
        self._containers: dict[str, ContainerFigures] = {}
        self._agents: dict[str, AgentFigures] = {}
        self._links: dict[tuple[str, str], LinkFigures] = {}
        self._directory: tuple[Entry, ...] | None = None
        self._groups: tuple[RolePlayed, ...] | None = None
        self._missing: dict[str, str] = {}

    def take(self, events: Iterable[Event]) -> None:
        """Apply events, in the order in which they were reported."""
        for event in events:
            if isinstance(event, Figures):
                self._take_figures(event)
            elif isinstance(event, AgentSeen):
                self._take_agent(event)

    def _take_figures(self, figures: Figures) -> None:
        self._containers = {each.name: each for each in figures.containers}
        for agent in figures.agents:
            if agent.name in self._agents or len(self._agents) < _MOST:
                self._agents[agent.name] = agent
        for name in figures.gone:
            self._agents.pop(name, None)
        self._links = {(each.container, each.peer): each for each in figures.links}
        if figures.directory is not None:
            self._directory = figures.directory
        if figures.groups is not None:
            self._groups = figures.groups
        self._missing = figures.missing

    def _take_agent(self, seen: AgentSeen) -> None:
        known = self._agents.get(seen.name)
        if seen.state in {"ended", "failed"}:
            if known is not None and known.container == seen.container:  # it may have moved elsewhere
                del self._agents[seen.name]
            return
        if known is None and len(self._agents) >= _MOST:
            return
        if known is None:
            known = AgentFigures(seen.name, seen.container, seen.kind, seen.state)
        self._agents[seen.name] = replace(known, container=seen.container, state=seen.state)

    def figures(self, at: float) -> Figures:
        """Return the whole state as figures of the time `at`."""
        return Figures(
            at,
            containers=tuple(self._containers.values()),
            agents=tuple(self._agents.values()),
            links=tuple(self._links.values()),
            directory=self._directory or (),
            groups=self._groups or (),
            missing=self._missing,
        )
