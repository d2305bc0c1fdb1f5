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
    from collections.abc import Sequence

    from formicary.management.requests.actions import Create

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


def make_agent(request: Create, creatable: Sequence[str]) -> Agent | MicroAgent:
    """Return a new agent of the class that is asked for. Nothing is imported unless it is allowed.

    Raises:
        ManagementRequestError: there is no such class, it is none of agents, or cannot be made so.
        UnauthorisedError: its module is not allowed, or has it from one that is not.
    """
    module, name = check_allowed(request.class_name, creatable)
    kind = _find_class(module, name)
    if not (isinstance(kind, type) and issubclass(kind, Agent | MicroAgent)):
        raise ManagementRequestError(f"{request.class_name} is no class of agents, but {shorten(kind)}")
    if not is_allowed(kind.__module__, creatable):
        raise UnauthorisedError(
            f"{request.class_name} is defined in module {kind.__module__!r}, whose agents may not be "
            "created in this container"
        )
    return _instantiate(kind, request)


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


def _instantiate(kind: type[Agent | MicroAgent], request: Create) -> Agent | MicroAgent:
    try:
        inspect.signature(kind).bind(request.name, **request.arguments)
    except (TypeError, ValueError) as error:
        raise ManagementRequestError(
            f"{request.class_name} cannot be made with these arguments: {error}"
        ) from error
    try:
        return kind(request.name, **request.arguments)
    except (Exception, SystemExit) as error:
        raise ManagementRequestError(
            f"{request.class_name} cannot be made with these arguments: {describe_error(error)}"
        ) from error


def describe_error(error: BaseException) -> str:
    """Return the text of any exception as a part of a sentence, in one line."""
    text = " ".join(str(error).split())
    text = text if len(text) <= _LONGEST_REASON else f"{text[:_LONGEST_REASON]}..."
    if isinstance(error, FormicaryError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
