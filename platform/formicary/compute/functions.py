"""Checks which functions can run outside the event loop, and explains why others cannot."""

from __future__ import annotations

import functools
import inspect
import sys
from typing import Any

from formicary.core.base_agent import BaseAgent
from formicary.core.behaviour import Behaviour
from formicary.core.errors import ComputeError
from formicary.core.quoting import shorten


def name_of(function: Any) -> str:
    """Return a function's name for error messages: `solve()`."""
    function = _innermost(function)
    name = getattr(function, "__qualname__", None)
    return f"{name.replace('.<locals>', '')}()" if name else shorten(function)


def check_function(function: Any) -> None:
    """Refuse what cannot run outside the event loop at all.

    Raises:
        ComputeError: it is not a function, or an asynchronous one.
    """
    if not callable(function):
        raise ComputeError(
            "compute() takes a function and its arguments, such as compute(solve, 3), not "
            f"{shorten(function)}"
        )
    if inspect.iscoroutinefunction(_innermost(function)):
        raise ComputeError(
            f"{name_of(function)} is asynchronous: await it, or pass compute() a plain function"
        )


def check_can_be_sent(function: Any) -> None:
    """Refuse a function that another process could not find.

    Raises:
        ComputeError: it is one.
    """
    inner = _innermost(function)
    name, module = getattr(inner, "__qualname__", ""), getattr(inner, "__module__", None)
    owner = getattr(inner, "__self__", None)
    if isinstance(owner, Behaviour | BaseAgent):
        kind = "behaviour" if isinstance(owner, Behaviour) else "agent"
        raise ComputeError(
            f"{name_of(function)} belongs to the {kind} {type(owner).__name__}, which stays in its "
            "container: make it a module-level function, and pass what it needs as arguments"
        )
    if name.rpartition(".")[2] == "<lambda>":
        raise ComputeError(
            f"a lambda of {_module(module)} cannot be sent to a worker process: define it with "
            "`def` at the top level of the module"
        )
    if "<locals>" in name:
        raise ComputeError(
            f"{name_of(function)} is defined inside another function, so it cannot be sent to a worker "
            "process: define it at the top level of its module"
        )
    main = sys.modules["__main__"]
    if module == "__main__" and getattr(main, "__file__", None) is None and main.__spec__ is None:
        raise ComputeError(
            f"{name_of(function)} is defined where no worker process can find it, because this "
            "program is not in a file: define it in a module, and import it from there"
        )


def cannot_be_sent(function: Any, reason: str) -> ComputeError:
    """Return the error for a function that, with its arguments, cannot be sent to another process."""
    return ComputeError(
        f"{name_of(function)} cannot be sent to a worker process with its arguments ({reason}): "
        "pass plain data, and objects whose classes are at the top level of a module"
    )


def _innermost(function: Any) -> Any:
    while isinstance(function, functools.partial):
        function = function.func
    return function


def _module(module: str | None) -> str:
    return "this program" if module in {None, "__main__"} else f"module {module}"
