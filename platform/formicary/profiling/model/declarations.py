"""The groups that packages declare for their code: `CPU_GROUP = "communication"` in its `__init__.py`.

A package inherits the group of its parent unless it declares its own, and a module that of its package. So
code keeps its group when it is renamed or moved within its package.

A declaration is read from the source at a frame's path, on the host that was measured, while the code is
there. Nothing is imported: the profiler needs no code of the program, and stays small. The profile stores the
group, so it reads the same later, elsewhere, and after the code has moved.
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
    """Return a frame with the group declared for its code."""
    return replace(frame, group=declared_group(frame.file))


@cache
def declared_group(file: str) -> str:
    """Return the group declared by a file or its nearest enclosing package; empty if none."""
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
    """Return the declarations of the platform's packages as rules, for display."""
    packages = sorted(Path(__file__).parents[2].glob("*/__init__.py"))
    return [
        Rule(group, "module", f"formicary.{package.parent.name}.*", f"its {MARKER}")
        for package in packages
        if (group := declared_in(package))
    ]
