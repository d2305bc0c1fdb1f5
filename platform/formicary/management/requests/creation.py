"""From a class's name to an agent of it: only what the container allows, or one sentence about why not."""

from __future__ import annotations

import importlib
import inspect
from typing import TYPE_CHECKING, Any

from formicary.core.agent import Agent
from formicary.core.errors import FormicaryError, ManagementRequestError, UnauthorisedError
from formicary.core.micro import MicroAgent
from formicary.core.quoting import shorten

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LONGEST_REASON = 300  # characters of an exception's text


def check_allowed(class_name: str, creatable: Sequence[str]) -> tuple[str, str]:
    """Return the module and the class that are meant, if agents of that module may be created.

    Args:
        class_name: `package.module:Class`.
        creatable: the packages and modules that are allowed, each with all below it.

    Raises:
        ManagementRequestError: it is not written so.
        UnauthorisedError: the module is not allowed.
    """
    module, _, name = class_name.partition(":")
    if not name.isidentifier() or not all(part.isidentifier() for part in module.split(".")):
        raise ManagementRequestError(
            f"{shorten(class_name)} is no name of a class; write 'package.module:Class', for one that is "
            "defined at the top level of a module"
        )
    if not is_allowed(module, creatable):
        raise UnauthorisedError(
            f"agents of module {module!r} may not be created in this container; it would have to be opened "
            f"with creatable=[{module!r}], or a package that it is in"
        )
    return module, name


def is_allowed(module: str, creatable: Sequence[str]) -> bool:
    """Tell whether a module is one of those that are allowed, or below one."""
    return any(module == allowed or module.startswith(f"{allowed}.") for allowed in creatable)


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
        kind = _find_class(module, name)
        if not (isinstance(kind, type) and issubclass(kind, Agent | MicroAgent)):
            raise ManagementRequestError(f"{class_name} is no class of agents, but {shorten(kind)}")
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
        return ManagementRequestError(f"{self._class_name} cannot be made with these arguments: {reason}")


def _find_class(module: str, name: str) -> Any:
    try:
        contents = vars(importlib.import_module(module))
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module}.".startswith(f"{error.name}."):
            raise ManagementRequestError(
                f"there is no module {error.name!r} where this container runs; install it there"
            ) from error
        raise _not_importable(module, error) from error
    except (Exception, SystemExit) as error:
        raise _not_importable(module, error) from error
    if name not in contents:
        raise ManagementRequestError(f"module {module!r} has no class {name!r}")
    return contents[name]


def _not_importable(module: str, error: BaseException) -> ManagementRequestError:
    return ManagementRequestError(f"module {module!r} cannot be imported: {describe_error(error)}")


def describe_error(error: BaseException) -> str:
    """Return the text of any exception as a part of a sentence, in one line."""
    text = " ".join(str(error).split())
    text = text if len(text) <= _LONGEST_REASON else f"{text[:_LONGEST_REASON]}..."
    if isinstance(error, FormicaryError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
