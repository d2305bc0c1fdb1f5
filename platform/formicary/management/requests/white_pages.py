"""The white pages of one container: its agents and its description."""

from __future__ import annotations

import fnmatch
import os
import re
import socket
import sys
from itertools import islice
from typing import TYPE_CHECKING

from formicary.core.agent import Agent
from formicary.core.base_agent import AgentState
from formicary.core.clock import now
from formicary.management.descriptions import (
    AgentDescription,
    AgentPlace,
    ContainerDescription,
    LinkDescription,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from formicary.container.container import Container
    from formicary.core.base_agent import BaseAgent
    from formicary.management.requests.looking_up import Search
    from formicary.mobility.transit import Transit

_LINK = LinkDescription.__struct_fields__


class WhitePages:
    """Looks up agents and the description of one container, locally."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._started = now()

    def search(self, search: Search) -> tuple[AgentDescription, ...]:
        """Return the agents in this container that match, in the order in which they started here."""
        matches = matcher(search.name, self._container.platform)
        found = (
            agent
            for agent in (*self._container.agents, *self._container.lifecycle.arriving.values())
            if (search.state is None or self._state(agent) is search.state) and matches(agent)
        )
        end = search.offset + search.max_results
        sleepers = self._container.dispatcher.sleepers
        if sleepers is None or search.state not in {None, AgentState.DEACTIVATED}:
            return tuple(map(self.describe_agent, islice(found, search.offset, end)))
        here = [*islice(found, end)]
        descriptions = [*map(self.describe_agent, here[search.offset :])]
        if len(here) < end:  # sleeping ones come last
            most, offset = end - max(len(here), search.offset), max(0, search.offset - len(here))
            descriptions += self._describe_asleep(patterns(search.name, self._container), most, offset)
        return tuple(descriptions)

    def find_asleep(self, name: str) -> AgentDescription | None:
        """Return the description of an agent that sleeps here; None if there is none of this full name."""
        sleepers = self._container.dispatcher.sleepers
        if sleepers is None or not sleepers.is_asleep(name):
            return None
        exactly = re.sub(r"([*?[])", r"[\1]", name.partition("@")[0])
        found = self._describe_asleep([exactly], 1, 0)
        return found[0] if found else None

    def locate(self, names: Iterable[str]) -> tuple[AgentPlace, ...]:
        """Return which of these agents live here, and where those with this home are.

        The state of the latter is unknown here; others are left out.
        """
        return tuple(place for name in names if (place := self._place(name)) is not None)

    def _place(self, name: str) -> AgentPlace | None:
        dispatcher, domain = self._container.dispatcher, self._container.domain
        agent = dispatcher.agents.get(name) or dispatcher.system_agents.get(name)
        agent = agent or self._container.lifecycle.arriving.get(name)
        if agent is not None:
            return AgentPlace(name, domain, self._state(agent), self._transit(agent))
        if name.partition("@")[2] != domain:
            return None
        if (place := dispatcher.domain_of(name)) is not None:
            return AgentPlace(name, place)
        sleepers = dispatcher.sleepers
        if sleepers is not None and (sleepers.is_asleep(name) or name in dispatcher.held):  # as it wakes
            return AgentPlace(name, domain, AgentState.DEACTIVATED)
        if self._container.lifecycle.is_starting(name):
            return AgentPlace(name, domain, AgentState.INITIATED)
        return None

    def _describe_asleep(self, globs: Sequence[str], most: int, offset: int) -> list[AgentDescription]:
        domain = self._container.domain
        return [
            AgentDescription(
                name=f"{sleeper.name}@{domain}",
                state=AgentState.DEACTIVATED,
                container=domain,
                class_name=sleeper.kind,
                behaviours=sleeper.behaviours,
                failures=sleeper.failures,
            )
            for sleeper in self._container.platform_services.sleeping.find(globs, most, offset)
        ]

    def describe(self) -> ContainerDescription:
        """Return the container's current description."""
        container = self._container
        return ContainerDescription(
            name=container.name,
            domain=container.domain,
            is_main=container.main_domain == container.domain,
            incarnation=container.members[container.domain],
            host=socket.gethostname(),
            pid=os.getpid(),
            python=sys.version.partition(" ")[0],
            started=self._started,
            agents=len(container.agents),
            dead_letters=container.dead_letters.total,
            links=tuple(
                LinkDescription(*(getattr(link, each) for each in _LINK)) for link in container.links
            ),
            failures=container.failure_log.total,
            last_failure=container.failure_log.latest,
        )

    def describe_agent(self, agent: BaseAgent) -> AgentDescription:
        """Return the current description of an agent in this container."""
        kind = type(agent)
        return AgentDescription(
            name=agent.address or agent.name,
            state=self._state(agent),
            container=self._container.domain,
            class_name=f"{kind.__module__}:{kind.__qualname__}",
            behaviours=len(agent.behaviours) if isinstance(agent, Agent) else None,
            failures=agent.failures,
            last_failure=agent.last_failure,
            transit=self._transit(agent),
        )

    def _state(self, agent: BaseAgent) -> AgentState:
        return AgentState.TRANSIT if agent.address in self._container.lifecycle.arriving else agent.state

    def _transit(self, agent: BaseAgent) -> Transit | None:
        if self._state(agent) is not AgentState.TRANSIT:
            return None
        return self._container.platform_services.mobility.transit(agent.address or "")


def matcher(pattern: str, platform: str) -> Callable[[BaseAgent], object]:
    """Return a function that tells whether an agent matches a pattern."""
    if pattern == "*":
        return lambda _: True
    # fnmatch's expressions do not backtrack, whatever the pattern; its brackets have no meaning here.
    match = re.compile(fnmatch.translate(pattern.replace("[", "[[]"))).match
    if "@" not in pattern:
        return lambda agent: match(agent.name)
    end = f".{platform}"

    def matches(agent: BaseAgent) -> object:
        address = agent.address or ""
        return match(address) or match(address.removesuffix(end))

    return matches


def patterns(pattern: str, container: Container) -> list[str]:
    """Return the patterns of own agents' names that match as `matcher` does, for SQLite's GLOB."""
    name, at, place = pattern.replace("[", "[[]").rpartition("@")
    if not at:
        return [place]
    is_here = re.compile(fnmatch.translate(place)).match
    return [name] if is_here(container.name) or is_here(container.domain) else []
