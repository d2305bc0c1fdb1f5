"""Which classes may arrive, by name: those that a container accepts, and a few of the platform's own."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final, TypeVar

from formicary.core.errors import ManagementRequestError, MoveError
from formicary.core.importing import is_allowed, load, split_class_name
from formicary.core.quoting import shorten

if TYPE_CHECKING:
    from formicary.container.container import Container

K = TypeVar("K")

_OWN: Final = frozenset({"formicary.core.agent:Agent", "formicary.core.fsm:FSMBehaviour"})
"""The platform's own classes of which there can be objects without a subclass."""


ANY: Final = ("*",)
"""What accepts all classes: that of an agent's own container, where it has slept."""


def name_of(kind: type) -> str:
    """Return a class's name, by which it is found where its agent arrives.

    Raises:
        MoveError: it would not be found: it is not defined at the top level of a module.
    """
    name = kind.__qualname__
    found = vars(sys.modules[kind.__module__]).get(name) if kind.__module__ in sys.modules else None
    if found is not kind:
        raise MoveError(
            f"its class {name} would not be found where it arrives: define it at the top level of module "
            f"{kind.__module__}"
        )
    return f"{kind.__module__}:{name}"


def find(class_name: str, base: type[K], container: Container) -> type[K]:
    """Return a class that may arrive. Nothing is imported unless the container accepts it.

    Args:
        class_name: as of `name_of`.
        base: of which it has to be.
        container: where it arrives.

    Raises:
        MoveError: it may not, or there is none.
    """
    names = split_class_name(class_name)
    if names is None:
        raise MoveError(f"{shorten(class_name)} is no name of a class")
    module, name = names
    is_own = class_name in _OWN and bool(container.accepts)
    if not is_own:
        _check_accepted(module, class_name, container)
    try:
        kind: Any = load(module, name)
    except ManagementRequestError as error:
        raise MoveError(f"its class is not in container {container.name}: {error}") from error
    if not (isinstance(kind, type) and issubclass(kind, base)):
        raise MoveError(f"{class_name} is no class of {base.__name__} in container {container.name}")
    if not is_own:
        _check_accepted(kind.__module__, class_name, container)
    return kind


def _check_accepted(module: str, class_name: str, container: Container) -> None:
    if container.accepts is not ANY and not is_allowed(module, container.accepts):
        accepted = f"accepts {', '.join(container.accepts)}" if container.accepts else "accepts no agents"
        raise MoveError(
            f"container {container.name} {accepted}, and the agent has {class_name}: it would have to be "
            f"opened with accepts=[{module!r}], or a package that it is in"
        )
