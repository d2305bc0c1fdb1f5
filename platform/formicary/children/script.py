"""Loads the agents of a Python script, or explains in one sentence why it cannot."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import sys
import traceback
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import msgspec

from formicary.core.agent import Agent
from formicary.core.errors import FormicaryError, UsageError
from formicary.core.importing import SCRIPT, describe_error
from formicary.core.micro import MicroAgent

if TYPE_CHECKING:
    from collections.abc import Iterator

MODULE = SCRIPT
"""The script's `__name__`; not `__main__`, so its own main program does not run."""


class Script(msgspec.Struct, frozen=True):
    """A program for `formicary run`: a file, or a module as for `python -m`.

    Args:
        file: the path of the file.
        module: the module's name, or None; a package's is that of its `__main__`.
    """

    file: str
    module: str | None = None

    @classmethod
    def of_module(cls, name: str) -> Script:
        """Find a module in the working folder or on Python's search path.

        Raises:
            UsageError: it is not found, or its package cannot be imported.
        """
        look_first_in(Path.cwd())
        try:
            spec = importlib.util.find_spec(name)
            if spec is not None and spec.submodule_search_locations is not None:
                name = f"{name}.__main__"
                spec = importlib.util.find_spec(name)
        except ModuleNotFoundError:
            spec = None
        except Exception as error:  # raised by its package
            raise UsageError(f"module {name} cannot be imported: {describe_error(error)}") from error
        if spec is None or spec.origin is None or not spec.has_location:
            raise UsageError(f"no module named {name}: choose one in this folder, or one that is installed")
        return cls(spec.origin, name)

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.file)

    @property
    def package(self) -> str:
        """The module's package; empty if it has none."""
        return (self.module or "").rpartition(".")[0]

    def has_own_main(self) -> bool:
        """Return whether it has a main program, which only `python` would run."""
        try:
            tree = ast.parse(self.path.read_bytes())
        except (OSError, SyntaxError, ValueError):  # reported when it is run
            return False
        return any(isinstance(each, ast.If) and "__name__" in ast.unparse(each.test) for each in tree.body)


def look_first_in(folder: Path) -> None:
    """Put a folder first in Python's module search path, as for a program's own."""
    if sys.path[:1] != [str(folder)]:
        sys.path.insert(0, str(folder))


def load_agents(script: Script, *, needs_some: bool = True) -> list[Agent | MicroAgent]:
    """Run a script and return its agents in the order of definition.

    Args:
        script: the script. A file's folder comes first for imports, as in Python.
        needs_some: whether a script without agents is refused.

    Raises:
        UsageError: it cannot be read or run, has no agents, or has two of one name.
    """
    path = script.path
    names = {name: value for name, value in vars(_load(script)).items() if not name.startswith("_")}
    agents = list(_objects(names)) or _from_classes(path, names, needs_some=needs_some)
    for name, count in Counter(agent.name for agent in agents).items():
        if count > 1:
            raise UsageError(f"{path} has {count} agents named {name!r}; give each a different name")
    return agents


def _load(script: Script) -> ModuleType:
    path = script.path
    try:
        tree = ast.parse(path.read_bytes(), str(path))
        if (line := find_own_loop(tree)) is not None:
            raise UsageError(
                f"{path}, line {line}, runs the script's own program, which opens containers "
                "itself: start it with `python`, or put that line under `if __name__ == "
                '"__main__":`'
            )
        code = compile(tree, str(path), "exec", dont_inherit=True)
    except OSError as error:
        raise UsageError(f"the script {path} cannot be read ({error.strerror})") from error
    except SyntaxError as error:
        raise UsageError(f"{path}, line {error.lineno or 1}, is not Python: {error.msg}") from error
    except ValueError as error:  # a null byte, before Python 3.12
        raise UsageError(f"{path} is not Python: {error}") from error
    module = ModuleType(MODULE)
    module.__file__ = str(path)
    sys.modules[MODULE] = module  # dataclasses, for example, look up their module
    if script.module is None:
        look_first_in(path.resolve().parent)
    else:
        module.__package__ = script.package
    try:
        exec(code, vars(module))  # noqa: S102 -- to run a script is what the command is for
    except (Exception, SystemExit) as error:
        raise UsageError(_what_failed(path, error)) from error
    return module


def find_own_loop(tree: ast.Module) -> int | None:
    """Return the line in which importing a script runs its own event loop; None if there is none."""
    for statement in tree.body:
        match statement:
            case ast.Expr(ast.Call(ast.Attribute(ast.Name("asyncio" | "uvloop"), "run"))):
                return statement.lineno
    return None


def _what_failed(path: Path, error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    line = next((frame.lineno for frame in reversed(frames) if frame.filename == str(path)), 1)
    where = f"{path}, line {line}"
    if isinstance(error, SystemExit):
        return f'{where}, ends the process; put that under `if __name__ == "__main__":`'
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] == "spade":
        return f"{where}: {error}; if this is a program for SPADE, run it with --spade"
    if isinstance(error, ModuleNotFoundError):
        return f"{where}: {error}; install it, or correct the import"
    kind = "" if isinstance(error, FormicaryError) else f"{type(error).__name__}: "
    return f"{where}: {kind}{error}"


def _objects(names: dict[str, Any]) -> Iterator[Agent | MicroAgent]:
    seen: set[int] = set()
    for value in names.values():
        for found in value if isinstance(value, list | tuple) else (value,):
            if isinstance(found, Agent | MicroAgent) and id(found) not in seen:
                seen.add(id(found))
                yield found


def _from_classes(path: Path, names: dict[str, Any], *, needs_some: bool) -> list[Agent | MicroAgent]:
    kinds = [value for value in names.values() if _is_own_kind(value)]
    if not kinds and needs_some:
        raise UsageError(
            f"{path} has no agents; create one at its top level, such as: alice = Agent('alice')"
        )
    ready = [kind for kind in dict.fromkeys(kinds) if _needs_only_a_name(kind)]
    if not ready and needs_some:
        raise UsageError(
            f"{path} has no agents, and {kinds[0].__name__} needs more than a name; create one at "
            "its top level"
        )
    try:
        return [kind(kind.__name__.lower()) for kind in ready]
    except Exception as error:
        raise UsageError(_what_failed(path, error)) from error


def _is_own_kind(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Agent | MicroAgent) and value.__module__ == MODULE


def _needs_only_a_name(kind: type) -> bool:
    try:
        inspect.signature(kind).bind("name")
    except TypeError:
        return False
    return True
