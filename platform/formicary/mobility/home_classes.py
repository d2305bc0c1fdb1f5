"""Remember the classes of a container's own agents that are elsewhere, so that they can come home.

An agent may return to its home, whatever that accepts from others: its class was there before, and so were
the modules of its behaviours. Nothing is imported for it. An agent that comes under its name with another
class is an agent like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.core.agent import Agent
from formicary.core.fsm import FSMBehaviour
from formicary.mobility.kinds import Entrance, name_of

if TYPE_CHECKING:
    from formicary.container.container import Container
    from formicary.core.micro import MicroAgent

_Classes = tuple[str, Entrance]  # the class of an agent, and the classes that may arrive with it


class HomeClasses:
    """The classes of the agents of one home that are elsewhere.

    Args:
        container: the home.
    """

    def __init__(self, container: Container) -> None:
        self._container = container
        self._entrance: Entrance | None = None  # of agents of other homes
        self._away: dict[str, _Classes] = {}  # by full name
        self._shared: dict[tuple[type, ...], _Classes] = {}  # by the classes of agents, as most are alike

    def left(self, agent: Agent | MicroAgent) -> None:
        """Note an agent of this home that leaves."""
        kinds = _kinds(agent)
        known = self._shared.get(kinds)
        if known is None:
            modules = frozenset(kind.__module__ for kind in kinds)
            entrance = Entrance(self._container.name, self._container.accepts, modules)
            known = self._shared[kinds] = name_of(type(agent)), entrance
        self._away[agent.address or ""] = known

    def forget(self, address: str) -> None:
        """Forget an agent, which has ended."""
        if self._away.pop(address, None) is not None and not self._away:
            self._shared.clear()

    def entrance(self, address: str, class_name: str) -> Entrance:
        """Return the classes that may arrive with an agent.

        Args:
            address: its full name.
            class_name: its class, as of `kinds.name_of`.
        """
        known = self._away.get(address)
        if known is not None and known[0] == class_name:
            return known[1]
        if self._entrance is None:
            self._entrance = Entrance.of(self._container)
        return self._entrance


def _kinds(agent: Agent | MicroAgent) -> tuple[type, ...]:
    """Return the classes of an agent and its behaviours."""
    kinds: list[type] = [type(agent)]
    for behaviour in agent.behaviours if isinstance(agent, Agent) else ():
        kinds.append(type(behaviour))
        if isinstance(behaviour, FSMBehaviour):
            kinds += map(type, behaviour.carry_machine().states.values())
    return tuple(kinds)
