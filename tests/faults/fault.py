"""Faults: real events while containers talk over some route."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.faults.scene import Route, Scene


@dataclass(frozen=True, eq=False)
class Fault:
    """One of the faults.

    Attributes:
        name: its name in tests.
        title: what happens, for the table.
        routes: the routes over which it can happen.
        cause: starts the scene and causes the fault.
        shape: further arguments of `Scene`.
        may_fail: whether messages may fail, rather than arrive: everywhere, or over one route.
        is_heavy: whether it loads the processors so much that heavy ones run one at a time.
        comes_last: whether it needs all processors for itself.
        is_long: whether it takes longer than others, and so starts before them.
        in_gate: whether each run of the tests causes it, not only the table.
    """

    name: str
    title: str
    routes: tuple[Route, ...]
    cause: Callable[[Scene], Awaitable[None]]
    shape: dict[str, Any]
    may_fail: bool | Route
    is_heavy: bool
    comes_last: bool
    is_long: bool
    in_gate: bool


FAULTS: list[Fault] = []
"""All faults, once their modules are loaded."""


def fault(
    title: str,
    *routes: Route,
    may_fail: bool | Route = False,
    is_heavy: bool = False,
    comes_last: bool = False,
    is_long: bool = False,
    in_gate: bool = True,
    **shape: Any,
) -> Callable[[Callable[[Scene], Awaitable[None]]], Callable[[Scene], Awaitable[None]]]:
    """Register a function as a fault."""

    def enter(cause: Callable[[Scene], Awaitable[None]]) -> Callable[[Scene], Awaitable[None]]:
        name = cause.__name__
        FAULTS.append(
            Fault(name, title, routes, cause, shape, may_fail, is_heavy, comes_last, is_long, in_gate)
        )
        return cause

    return enter
