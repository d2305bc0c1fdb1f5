"""Whose code something is, by the same rules as in sampled profiles: a class, and what a loop calls back."""

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
    """Return the group of what is defined in a file; the runtime's where the rules leave it to its caller."""
    group = _RULES.group_of(with_group(Frame("", name)))
    return RUNTIME if group is None else GROUPS.index(group)


def group_of_class(kind: type) -> int:
    """Return the group that the methods of a class belong to; where no rule says otherwise, the agents."""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return (file and group_of_file(file)) or AGENTS


def group_of_callback(callback: Any) -> int:
    """Return whose code a loop's callback is; the runtime's where that is not known."""
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
    owner = strand.owner
    return group_of_class(type(owner.owner if isinstance(owner, Mailbox) else owner))
