"""The white pages of one container: who lives here, and what the container is like."""

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
from formicary.management.descriptions import AgentDescription, ContainerDescription, LinkDescription

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.container.container import Container
    from formicary.core.base_agent import BaseAgent
    from formicary.management.requests.actions import Search

_LINK = LinkDescription.__struct_fields__


class WhitePages:
    """What can be looked up about one container, without asking anybody.

    Args:
        container: the container.
    """

    def __init__(self, container: Container) -> None:
        self._container = container
        self._started = now()

    def search(self, search: Search) -> tuple[AgentDescription, ...]:
        """Return the agents in this container that match, in the order in which they started here."""
        matches = matcher(search.name, self._container.platform)
        found = (
            agent
            for agent in self._container.agents
            if (search.state is None or agent.state is search.state) and matches(agent)
        )
        return tuple(
            map(self.describe_agent, islice(found, search.offset, search.offset + search.max_results))
        )

    def describe(self) -> ContainerDescription:
        """Return what the container is like now."""
        container = self._container
        return ContainerDescription(
            name=container.name,
            domain=container.domain,
            is_main=container.platform_options.main == container.domain,
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
            failures=container.failures.total,
            last_failure=container.failures.latest,
        )

    def describe_agent(self, agent: BaseAgent) -> AgentDescription:
        """Return what one agent in this container is like now."""
        kind = type(agent)
        transit = None
        if agent.state is AgentState.TRANSIT:
            transit = self._container.platform_services.mobility.status(agent.address or "")
        return AgentDescription(
            name=agent.address or agent.name,
            state=agent.state,
            container=self._container.domain,
            class_name=f"{kind.__module__}:{kind.__qualname__}",
            behaviours=len(agent.behaviours) if isinstance(agent, Agent) else None,
            failures=agent.failures,
            last_failure=agent.last_failure,
            transit=transit,
        )


def matcher(pattern: str, platform: str) -> Callable[[BaseAgent], object]:
    """Return what tells whether an agent of a platform matches a pattern.

    Args:
        pattern: as of `Search`.
        platform: the platform's domain.
    """
    if pattern == "*":
        return lambda _: True
    # fnmatch's expressions do not backtrack, whoever wrote the pattern; its brackets are none of ours.
    match = re.compile(fnmatch.translate(pattern.replace("[", "[[]"))).match
    if "@" not in pattern:
        return lambda agent: match(agent.name)
    end = f".{platform}"

    def matches(agent: BaseAgent) -> object:
        address = agent.address or ""
        return match(address) or match(address.removesuffix(end))

    return matches
