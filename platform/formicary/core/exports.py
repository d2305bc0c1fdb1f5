"""The names that a room exports, each imported when it is first used: its own modules need few of them."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def exporter(room: str, names: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a room.

    Args:
        room: its full name.
        names: what it exports, by module below `formicary`.
    """
    modules = {name: module for module, exported in names.items() for name in exported}

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        found = getattr(import_module(f"formicary.{modules[name]}"), name)
        setattr(sys.modules[room], name, found)
        return found

    return load
