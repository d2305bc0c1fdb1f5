"""Find the classes that may arrive: those that a container accepts, and a few of the platform's own.

An agent may return to its home, whatever that accepts from others: its class was there before, and so were
the modules of its behaviours. Nothing is imported for it.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from formicary.core.agent import Agent
from formicary.core.errors import ManagementRequestError, MoveError
from formicary.core.fsm import FSMBehaviour
from formicary.core.importing import is_allowed, load, split_class_name
from formicary.core.quoting import shorten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary.container.container import Container
    from formicary.core.micro import MicroAgent

K = TypeVar("K")

_OWN: Final = frozenset({"formicary.core.agent:Agent", "formicary.core.fsm:FSMBehaviour"})
"""The platform's own classes that agents use without a subclass."""


ANY: Final = ("*",)
"""Accepts all classes, for agents that have slept in their own container."""


class Entrance(NamedTuple):
    """The classes that may arrive in a container.

    Args:
        name: the container's.
        accepts: packages and modules, including all below them.
        modules: further modules, without those below; they were there before.
    """

    name: str
    accepts: tuple[str, ...]
    modules: frozenset[str] = frozenset()

    @classmethod
    def of(cls, container: Container) -> Entrance:
        """Return the classes that may arrive with any agent."""
        return cls(container.name, container.accepts)

    def has(self, module: str) -> bool:
        """Return whether classes of a module may arrive."""
        return self.accepts is ANY or module in self.modules or is_allowed(module, self.accepts)


def name_of(kind: type) -> str:
    """Return the name by which a class is found where its agent arrives.

    Raises:
        MoveError: it would not be found, as it is not defined at the top level of a module.
    """
    module, name, full = _names_of(kind)
    if _top(module).get(name) is not kind:
        raise MoveError(
            f"its class {name} could not be found at the destination: define it at the top level of "
            f"module {module}"
        )
    return full


@lru_cache(maxsize=1000)  # the same classes go again and again
def _names_of(kind: type) -> tuple[str, str, str]:
    """Return the module of a class, its name there, and both together."""
    return kind.__module__, kind.__qualname__, f"{kind.__module__}:{kind.__qualname__}"


def _top(module: str) -> dict[str, Any]:
    """Return the definitions at the top level of a module; none if it is not loaded."""
    return sys.modules[module].__dict__ if module in sys.modules else {}


def find(class_name: str, base: type[K], entrance: Entrance) -> type[K]:
    """Return a class that may arrive; nothing else is imported.

    Args:
        class_name: as of `name_of`.
        base: its base class.
        entrance: the classes that may arrive.

    Raises:
        MoveError: it may not arrive, or does not exist.
    """
    kind: type[K] = _find(class_name, base, entrance)  # type: ignore[arg-type]  # a class has a hash
    module, name, _ = _names_of(kind)  # type: ignore[arg-type]  # as above
    if _top(module).get(name) is not kind:  # replaced by another one, as by importlib.reload()
        kind = _find.__wrapped__(class_name, base, entrance)
    return kind


@lru_cache(maxsize=1000)  # the same classes come again and again
def _find(class_name: str, base: type[K], entrance: Entrance) -> type[K]:
    names = split_class_name(class_name)
    if names is None:
        raise MoveError(f"{shorten(class_name)} is not a class name")
    module, name = names
    is_own = class_name in _OWN and bool(entrance.accepts or entrance.modules)
    if not is_own:
        _check_accepted(module, class_name, entrance)
    try:
        kind: Any = load(module, name)
    except ManagementRequestError as error:
        raise MoveError(f"its class is not in container {entrance.name}: {error}") from error
    if not (isinstance(kind, type) and issubclass(kind, base)):
        raise MoveError(f"{class_name} is not a class of {base.__name__} in container {entrance.name}")
    if not is_own and kind.__module__ != module:  # it was only imported there
        _check_accepted(kind.__module__, class_name, entrance)
    return kind


def _check_accepted(module: str, class_name: str, entrance: Entrance) -> None:
    if not entrance.has(module):
        accepted = f"accepts {', '.join(entrance.accepts)}" if entrance.accepts else "accepts no agents"
        raise MoveError(
            f"container {entrance.name} {accepted}, but the agent has {class_name}: open the "
            f"container with accepts=[{module!r}], or with a package that contains it"
        )


class HomeClasses:
    """The classes of the agents of one home that are elsewhere.

    Args:
        container: the home.
    """

    def __init__(self, container: Container) -> None:
        self._others = Entrance.of(container)
        # By full name: the class of an agent, and the classes that may arrive with it.
        self._away: dict[str, tuple[str, Entrance]] = {}

    def left(self, agent: Agent | MicroAgent) -> None:
        """Note an agent of this home that leaves."""
        modules = frozenset(kind.__module__ for kind in _kinds(agent))
        entrance = _shared(self._others._replace(modules=modules))
        self._away[agent.address or ""] = _names_of(type(agent))[2], entrance  # type: ignore[arg-type]  # as above

    def forget(self, address: str) -> None:
        """Forget an agent, which has ended."""
        self._away.pop(address, None)

    def entrance(self, address: str, class_name: str) -> Entrance:
        """Return the classes that may arrive with an agent; one of another class is like any other.

        Args:
            address: its full name.
            class_name: its class, as of `name_of`.
        """
        known = self._away.get(address)
        return known[1] if known is not None and known[0] == class_name else self._others


@lru_cache(maxsize=1000)
def _shared(entrance: Entrance) -> Entrance:
    """Return the same object for equal ones, as most agents are alike."""
    return entrance


def _kinds(agent: Agent | MicroAgent) -> Iterator[type]:
    """Iterate over the classes of an agent and its behaviours."""
    yield type(agent)
    for behaviour in agent.behaviours if isinstance(agent, Agent) else ():
        yield type(behaviour)
        if isinstance(behaviour, FSMBehaviour):
            yield from map(type, behaviour.carry_machine().states.values())
