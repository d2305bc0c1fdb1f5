"""Which group a package declares for its code: `CPU_GROUP = "communication"` in its `__init__.py`.

A package has the group of the package around it until it declares another, and a module that of its package.
So code keeps its group when it is renamed or moved within its room, and what its path is called says nothing.

A declaration is read from the source at the path that a frame has, on the host where it was measured, while
that code is there. Nothing is imported for it: the profiler needs no code of the program, and stays small.
The profile keeps what was found, and so says the same later, elsewhere, and after the code has moved.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary.profiling.model.groups import Group, Rule

if TYPE_CHECKING:
    from formicary.profiling.model.profile import Frame

MARKER = "CPU_GROUP"

_GROUPS = set(Group) - {Group.SERVER}  # a server is a process, not code


def with_group(frame: Frame) -> Frame:
    """Return a frame with the group that its code declares."""
    return replace(frame, group=declared_group(frame.file))


@cache
def declared_group(file: str) -> str:
    """Return the group that a file declares, or the nearest package around it; empty if none does."""
    path = Path(file)
    if path.suffix != ".py":
        return ""
    group = declared_in(path)
    for folder in path.parents:
        package = folder / "__init__.py"
        if group or not package.is_file():
            break
        group = declared_in(package)
    return group


@cache
def declared_in(source: Path) -> str:
    """Return the group that a module declares itself; empty if it declares none."""
    try:
        text = source.read_bytes()
        statements = ast.parse(text).body if MARKER.encode() in text else []
    except (OSError, SyntaxError, ValueError):
        return ""
    for statement in statements:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(group))):
                if name == MARKER and group in _GROUPS:
                    return group
    return ""


def declared_rules() -> list[Rule]:
    """Return what the platform's packages declare, as rules to be read."""
    packages = sorted(Path(__file__).parents[2].glob("*/__init__.py"))
    return [
        Rule(group, "module", f"formicary.{package.parent.name}.*", f"its {MARKER}")
        for package in packages
        if (group := declared_in(package))
    ]
