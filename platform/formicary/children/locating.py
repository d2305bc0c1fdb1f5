"""Where other processes import an agent class from, including one of the `__main__` script."""

from __future__ import annotations

import ast
import importlib.machinery
import importlib.util
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from formicary.children.script import find_own_loop
from formicary.core.errors import ManagementRequestError
from formicary.core.importing import describe_error, split_class_name

if TYPE_CHECKING:
    from types import ModuleType

    from formicary.core.agent import Agent
    from formicary.core.micro import MicroAgent

_MAIN: Final = "__main__"


class Location(msgspec.Struct, frozen=True):
    """How to import a class elsewhere.

    Args:
        class_name: `package.module:Class`.
        module: the module's name.
        file: the module's file, if it cannot be imported by name.
    """

    class_name: str
    module: str
    file: str | None = None


def locate(cls: str | type[Agent | MicroAgent]) -> Location:
    """Return where other processes find a class.

    They import a script that runs as `__main__` under its file's name, so code under `if __name__ ==
    "__main__":` does not run there.

    Raises:
        ManagementRequestError: they cannot import it.
    """
    class_name = cls if isinstance(cls, str) else f"{cls.__module__}:{cls.__qualname__}"
    names = split_class_name(class_name)
    if names is None:
        raise ManagementRequestError(
            f"{class_name} cannot be imported by another process: define it at the top level of a module"
        )
    module, name = names
    known: Any = sys.modules.get(module)
    if known is None or (module != _MAIN and getattr(known, "__spec__", None) is not None):
        return Location(class_name, module)
    if (spec := getattr(known, "__spec__", None)) is not None:  # python -m
        return Location(f"{spec.name}:{name}", spec.name)
    file = getattr(known, "__file__", None)
    if file is None or not Path(file).is_file():
        raise ManagementRequestError(
            f"class {name} is defined at a prompt or in a notebook, where no other process can "
            "import it: move it to a module"
        )
    _refuse_unguarded(Path(file))
    module = _module_name(Path(file)) if module == _MAIN else module
    return Location(f"{module}:{name}", module, str(Path(file).resolve()))


def _module_name(file: Path) -> str:
    """Return the name under which a script is imported."""
    if file.suffix == ".py" and file.stem.isidentifier() and file.stem not in sys.stdlib_module_names:
        return file.stem
    return re.sub(r"\W", "_", f"script_{file.stem}")


def _refuse_unguarded(file: Path) -> None:
    """Refuse a script that would start the program again when imported.

    Raises:
        ManagementRequestError: it would do so.
    """
    try:
        line = find_own_loop(ast.parse(file.read_bytes(), str(file)))
    except (OSError, SyntaxError, ValueError):  # it runs, so its syntax is not the problem
        return
    if line is not None:
        raise ManagementRequestError(
            f"{file}, line {line}, starts the program when other processes import its agents: put "
            'that line under `if __name__ == "__main__":`'
        )


def import_file(module: str, file: str) -> ModuleType:
    """Import a file under a name, once.

    Raises:
        ManagementRequestError: it cannot be imported.
    """
    if (known := sys.modules.get(module)) is not None and getattr(known, "__file__", None) == file:
        return known
    loader = importlib.machinery.SourceFileLoader(module, file)
    spec = importlib.util.spec_from_file_location(module, file, loader=loader)
    assert spec is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[module] = made
    try:
        loader.exec_module(made)
    except (Exception, SystemExit) as error:
        del sys.modules[module]
        raise ManagementRequestError(
            f"{file} cannot be imported by another process: {describe_error(error)}"
        ) from error
    return made
