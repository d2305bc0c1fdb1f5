"""Finds classes by name in modules that may be imported."""

from __future__ import annotations

import importlib
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from formicary.core.errors import FormicaryError, ManagementRequestError

if TYPE_CHECKING:
    from collections.abc import Sequence

SCRIPT = "formicary_script"
"""The `__name__` of a script that `formicary run` runs."""

_LONGEST_REASON = 300  # characters of an exception's text


def is_allowed(module: str, allowed: Sequence[str]) -> bool:
    """Return whether a module is one of those that are allowed, or below one."""
    return any(module == each or module.startswith(f"{each}.") for each in allowed)


@lru_cache(maxsize=1000)
def split_class_name(class_name: str) -> tuple[str, str] | None:
    """Return the module and the name of `package.module:Class`; None for any other form."""
    module, _, name = class_name.partition(":")
    is_written_so = name.isidentifier() and all(part.isidentifier() for part in module.split("."))
    return (module, name) if is_written_so else None


def load(module: str, name: str) -> Any:
    """Return a module's attribute of a name; import the module if necessary.

    Raises:
        ManagementRequestError: the module cannot be imported, or has no such attribute.
    """
    try:
        contents = vars(sys.modules.get(module) or importlib.import_module(module))
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module}.".startswith(f"{error.name}."):
            raise ManagementRequestError(
                f"no module named {error.name!r} where this container runs; install it there"
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
    """Return the text of an exception as part of a sentence, on one line."""
    text = " ".join(str(error).split())
    text = text if len(text) <= _LONGEST_REASON else f"{text[:_LONGEST_REASON]}..."
    if isinstance(error, FormicaryError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
