"""Our directory, as an agent uses it: `replica`, `central` and `lookup` have the same parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.subjects.ours import churn, operations, propagation

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager
    from types import ModuleType

    from formicary_bench.worker.workload import PreparedRole, Workload

_PARTS: dict[str, ModuleType] = {"directory/propagation": propagation, "directory/churn": churn}


def both(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Have the agent and the directory in one container."""
    return operations.both(work)


def echo(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Have the platform's container, with the directory where there is one that answers."""
    part: AbstractAsyncContextManager[PreparedRole] = _part(work).echo(work)
    return part


def ask(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Have the agents that measure."""
    part: AbstractAsyncContextManager[PreparedRole] = _part(work).ask(work)
    return part


def member(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Have one of many containers, in which agents register, or one measures."""
    return operations.member(work)


def _part(work: Workload) -> ModuleType:
    return _PARTS.get(work.configuration.experiment, operations)
