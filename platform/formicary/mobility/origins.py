"""What a container knows of its own agents that are elsewhere: so that they can come home.

An agent that has left its home may come back to it, whatever that accepts from others: its class was there
before, and so were the modules that its behaviours are from. Nothing is imported for it; one that comes under
its name with another class is an agent like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.core.agent import Agent
from formicary.core.fsm import FSMBehaviour
from formicary.mobility.kinds import Entrance, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary.container.container import Container
    from formicary.core.micro import MicroAgent

_Origin = tuple[str, frozenset[str]]  # the class of an agent, and the modules that it had classes of


class Origins:
    """What is known of the agents of one home that are elsewhere.

    Args:
        container: the home.
    """

    def __init__(self, container: Container) -> None:
        self._container = container
        self._origins: dict[str, _Origin] = {}  # by full name
        self._shared: dict[_Origin, _Origin] = {}  # as most are alike

    def left(self, agent: Agent | MicroAgent) -> None:
        """Take note of an agent of this home that leaves."""
        origin = name_of(type(agent)), frozenset(kind.__module__ for kind in _kinds(agent))
        self._origins[agent.address or ""] = self._shared.setdefault(origin, origin)

    def forget(self, address: str) -> None:
        """Forget an agent, which has ended."""
        if self._origins.pop(address, None) is not None and not self._origins:
            self._shared.clear()

    def entrance(self, address: str, class_name: str) -> Entrance:
        """Return what may arrive with an agent.

        Args:
            address: its full name.
            class_name: its class, as of `kinds.name_of`.
        """
        known, modules = self._origins.get(address, ("", frozenset[str]()))
        if known != class_name:
            return Entrance.of(self._container)
        return Entrance(self._container.name, self._container.accepts, modules)


def _kinds(agent: Agent | MicroAgent) -> Iterator[type]:
    """Iterate over the classes that an agent takes along."""
    yield type(agent)
    if not isinstance(agent, Agent):
        return
    for behaviour in agent.behaviours:
        yield type(behaviour)
        if isinstance(behaviour, FSMBehaviour):
            yield from map(type, behaviour.carry_machine().states.values())
