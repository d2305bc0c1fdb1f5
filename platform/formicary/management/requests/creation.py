"""From a class's name to an agent of it: only what the container allows, or one sentence about why not."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from formicary.core.agent import Agent
from formicary.core.errors import ManagementRequestError, UnauthorisedError
from formicary.core.importing import describe_error, is_allowed, load, split_class_name
from formicary.core.micro import MicroAgent
from formicary.core.quoting import shorten

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def check_allowed(class_name: str, creatable: Sequence[str]) -> tuple[str, str]:
    """Return the module and the class that are meant, if agents of that module may be created.

    Args:
        class_name: `package.module:Class`.
        creatable: the packages and modules that are allowed, each with all below it.

    Raises:
        ManagementRequestError: it is not written so.
        UnauthorisedError: the module is not allowed.
    """
    names = split_class_name(class_name)
    if names is None:
        raise ManagementRequestError(
            f"{shorten(class_name)} is not a class name; write 'package.module:Class', for a class "
            "at the top level of a module"
        )
    module, name = names
    if not is_allowed(module, creatable):
        raise UnauthorisedError(
            f"agents of module {module!r} may not be created in this container; open it with "
            f"creatable=[{module!r}], or with a package that contains it"
        )
    return module, name


class AgentFactory:
    """Makes agents of one class, with the same arguments. Nothing is imported unless it is allowed.

    Args:
        class_name: `package.module:Class`.
        arguments: what the class is given beside a name.
        creatable: as of `check_allowed`.

    Raises:
        ManagementRequestError: there is no such class, or it is none of agents.
        UnauthorisedError: its module is not allowed, or has it from one that is not.
    """

    def __init__(self, class_name: str, arguments: Mapping[str, Any], creatable: Sequence[str]) -> None:
        self._class_name = class_name
        self._arguments = arguments
        module, name = check_allowed(class_name, creatable)
        kind = load(module, name)
        if not (isinstance(kind, type) and issubclass(kind, Agent | MicroAgent)):
            raise ManagementRequestError(f"{class_name} is not an agent class but {shorten(kind)}")
        if not is_allowed(kind.__module__, creatable):
            raise UnauthorisedError(
                f"{class_name} is defined in module {kind.__module__!r}, whose agents may not be "
                "created in this container"
            )
        self._kind: type[Agent | MicroAgent] = kind

    def make(self, name: str) -> Agent | MicroAgent:
        """Return a new agent.

        Args:
            name: its own name.

        Raises:
            ManagementRequestError: it cannot be made.
        """
        try:
            return self._kind(name, **self._arguments)
        except (Exception, SystemExit) as error:
            self.check(name)  # only now, as it takes longer than all the rest
            raise self._not_made(describe_error(error)) from error

    def check(self, name: str) -> None:
        """Make sure that the class takes such arguments.

        Raises:
            ManagementRequestError: it does not.
        """
        try:
            inspect.signature(self._kind).bind(name, **self._arguments)
        except (TypeError, ValueError) as error:
            raise self._not_made(str(error)) from error

    def _not_made(self, reason: str) -> ManagementRequestError:
        return ManagementRequestError(f"{self._class_name} cannot be created with these arguments: {reason}")
