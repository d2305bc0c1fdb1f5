"""Whose code something is: the group of a class, and of what an event loop is to call back."""

from __future__ import annotations

import asyncio
import sysconfig
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import formicary
from formicary.profiling.ledger import AGENTS, COMMUNICATION, DIRECTORY, PLATFORM, RUNTIME, Callback

if TYPE_CHECKING:
    from types import CodeType

    from formicary.strand import Strand

_OWN = f"{Path(formicary.__file__).parent}/"
_STANDARD = tuple(f"{sysconfig.get_path(name)}/" for name in ("stdlib", "platstdlib"))
_INSTALLED = tuple(f"{sysconfig.get_path(name)}/" for name in ("purelib", "platlib"))
_PARTS = {
    "transport": COMMUNICATION,
    "accounts": COMMUNICATION,
    "directory": DIRECTORY,
    "profiling": RUNTIME,  # its borders speak for what is behind them
}
_LIBRARIES = {
    "aioxmpp": COMMUNICATION,
    "aiosasl": COMMUNICATION,
    "aioopenssl": COMMUNICATION,
    "slixmpp": COMMUNICATION,
    "uvloop": RUNTIME,
}


def group_of_class(kind: type) -> int:
    """Return the group that the methods of a class belong to."""
    package, _, rest = kind.__module__.partition(".")
    if package == "formicary":
        return _PARTS.get(rest.partition(".")[0], PLATFORM)
    return AGENTS


@cache
def group_of_file(name: str) -> int:
    """Return the group of what is defined in a file."""
    if name.startswith(_OWN):
        return _PARTS.get(name.removeprefix(_OWN).partition("/")[0], PLATFORM)
    for folder in _INSTALLED:  # it may be within the standard library's
        if name.startswith(folder):
            return _LIBRARIES.get(name.removeprefix(folder).partition("/")[0], AGENTS)
    return RUNTIME if name.startswith((*_STANDARD, "<frozen ")) else AGENTS


def group_of_callback(callback: Any) -> int:
    """Return whose code a loop's callback is; the runtime's where that cannot be told."""
    if isinstance(callback, Callback):
        return RUNTIME  # it is charged already
    owner = getattr(callback, "__self__", None)
    if isinstance(owner, asyncio.Task):
        coroutine = owner.get_coro()
        code = getattr(coroutine, "cr_code", None) or getattr(coroutine, "gi_code", None)
        # What is the standard library's or uvloop's on the outside, such as `asyncio.wait_for(own())` or the
        # program of `uvloop.run`, has the users' code within.
        return _group_of_code(code) or AGENTS
    while isinstance(callback, partial):
        callback = callback.func
    return _group_of_code(getattr(callback, "__code__", None))  # a method has its function's


def _group_of_code(code: CodeType | None) -> int:
    return RUNTIME if code is None else group_of_file(code.co_filename)


def group_of_strand(strand: Strand) -> int:
    """Return whose code a strand runs: a behaviour's, or that of an asynchronous `handle`."""
    owner: Any = strand._owner
    return group_of_class(type(getattr(owner, "_owner", owner)))
