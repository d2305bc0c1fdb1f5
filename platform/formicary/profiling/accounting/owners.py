"""The groups of classes and callbacks, by the same rules as in sampled profiles."""

from __future__ import annotations

import asyncio
import sys
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from formicary.core.mailbox import Mailbox
from formicary.profiling.accounting.ledger import AGENTS, GROUPS, RUNTIME, Callback
from formicary.profiling.model.declarations import with_group
from formicary.profiling.model.groups import Rules
from formicary.profiling.model.profile import Frame

if TYPE_CHECKING:
    from types import CodeType

    from formicary.core.strand import Strand

_RULES = Rules()


@cache
def group_of_file(name: str) -> int:
    """Return the group of code in a file; the runtime if the rules leave it to the caller."""
    group = _RULES.group_of(with_group(Frame("", name)))
    return RUNTIME if group is None else GROUPS.index(group)


def group_of_class(kind: type) -> int:
    """Return the group of a class's methods; the agents unless a rule says otherwise."""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return (file and group_of_file(file)) or AGENTS


def group_of_callback(callback: Any) -> int:
    """Return the group of a loop's callback; the runtime if unknown."""
    if isinstance(callback, Callback):
        return RUNTIME  # it is charged already
    owner = getattr(callback, "__self__", None)
    if isinstance(owner, asyncio.Task):
        coroutine = owner.get_coro()
        code = getattr(coroutine, "cr_code", None) or getattr(coroutine, "gi_code", None)
        # Code of the standard library or uvloop, such as `asyncio.wait_for(own())` or the program of
        # `uvloop.run`, may wrap users' code.
        return _group_of_code(code) or AGENTS
    while isinstance(callback, partial):
        callback = callback.func
    return _group_of_code(getattr(callback, "__code__", None))  # a method has its function's code


def _group_of_code(code: CodeType | None) -> int:
    return RUNTIME if code is None else group_of_file(code.co_filename)


def group_of_strand(strand: Strand) -> int:
    """Return the group of a strand's code: a behaviour, or an asynchronous `handle`."""
    owner = strand.owner
    return group_of_class(type(owner.owner if isinstance(owner, Mailbox) else owner))
