"""Placement of agents in the containers of a local platform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from formicary.core.errors import NameTakenError, UsageError
from formicary.core.names import check_local

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Rule = Literal["round-robin", "least-loaded"]
RULES: Final = ("round-robin", "least-loaded")


class Placement:
    """Chooses containers for agents, and records them by the agents' names.

    Args:
        containers: the containers' names.
        rule: `round-robin`: containers in turn; `least-loaded`: the one with the fewest live agents placed
            there.

    Raises:
        UsageError: there is no such rule.
    """

    def __init__(self, containers: Iterable[str], rule: Rule = "round-robin") -> None:
        if rule not in RULES:
            raise UsageError(f"agents must be placed {' or '.join(RULES)}, not {rule!r}")
        self._rule = rule
        self._names: dict[str, dict[str, None]] = {container: {} for container in containers}
        self._places: dict[str, str] = {}  # container by agent
        self._groups: dict[str, str] = {}
        self._next = 0

    def place(self, name: str, *, on: str | None = None, group: str | None = None) -> str:
        """Return the container for an agent, and record that it lives there.

        Args:
            name: the agent's own name.
            on: the container, if already chosen.
            group: agents of the same group share a container, as long as it exists.

        Raises:
            InvalidNameError: the name is invalid.
            NameTakenError: a live agent of this name was placed before.
            UsageError: there is no such container, or none at all.
        """
        check_local(name)
        if (place := self._places.get(name)) is not None:
            raise NameTakenError(
                f"an agent named {name!r} already lives in container {place} of this local "
                "platform; choose another name"
            )
        container = self._choose(on, group)
        self._places[name] = container
        self._names[container][name] = None
        return container

    def _choose(self, on: str | None, group: str | None) -> str:
        if not self._names:
            raise UsageError("all containers of this local platform have ended; start another platform")
        if on is not None:
            if on not in self._names:
                raise UsageError(
                    f"this local platform has no container {on!r} to place agents in; it has {self._listed()}"
                )
            chosen = on
        elif group is not None and group in self._groups:
            return self._groups[group]
        else:
            chosen = self._by_rule()
        if group is not None:
            self._groups.setdefault(group, chosen)
        return chosen

    def _by_rule(self) -> str:
        if self._rule == "least-loaded":
            return min(self._names, key=lambda container: len(self._names[container]))
        containers: Sequence[str] = tuple(self._names)
        chosen = containers[self._next % len(containers)]
        self._next = (self._next + 1) % len(containers)
        return chosen

    def _listed(self) -> str:
        *others, last = self._names
        return f"{', '.join(others)} and {last}" if others else last

    def forget(self, name: str) -> None:
        """Forget an agent that has ended or was not started."""
        container = self._places.pop(name, None)
        if container is not None:
            self._names[container].pop(name, None)

    def lose(self, container: str) -> tuple[str, ...]:
        """Stop placing agents in a container; return the names of the agents that lived there."""
        names = tuple(self._names.pop(container, ()))
        for name in names:
            del self._places[name]
        self._groups = {group: place for group, place in self._groups.items() if place != container}
        return names

    def names_in(self, container: str) -> tuple[str, ...]:
        """Return the names of agents placed in a container and not known to have ended."""
        return tuple(self._names.get(container, ()))
