"""The interface of a task, as asyncio and debuggers expect it, for strands."""

from __future__ import annotations

import asyncio
from asyncio import _register_task
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import contextvars
    from collections.abc import Callable, Coroutine

    from formicary.core.strand import Strand


class Runner(Protocol):
    """Runs the steps of a coroutine: its context, or an accountant of their cost."""

    def run(self, resume: Callable[[Any, Any], Any], coroutine: Any, value: object, /) -> Any:
        """Return what `resume` returns."""


class Owner(Protocol):
    """The owner of the coroutine that a strand runs."""

    def give_back(self, message: Any) -> None:
        """Put back the oldest message: it was not received after all."""

    def strand_name(self) -> str:
        """Return a name for logs and debuggers."""

    def strand_ended(self, strand: Strand) -> None:
        """Called when the coroutine has ended; the strand holds its result or exception."""


class TaskLike:
    """A coroutine with its owner, context and name.

    `Strand`, its only subclass, resumes, cancels and ends the coroutine. That is a future first, so that
    lookups of a future's methods are fast.
    """

    _context: contextvars.Context
    _name: str | None  # None: the owner's
    coroutine: Coroutine[Any, Any, Any]
    owner: Owner
    runner: Runner

    def adopt(self, coroutine: Coroutine[Any, Any, Any], context: contextvars.Context, owner: Owner) -> None:
        """Start to run a coroutine in a context; for a strand that has none yet."""
        self.coroutine = coroutine
        self._context = self.runner = context
        self.owner = owner
        _register_task(self)  # type: ignore[arg-type]  # it is meant for third-party tasks

    def stand_for(
        self, coroutine: Coroutine[Any, Any, Any], context: contextvars.Context, owner: Owner
    ) -> None:
        """Represent a coroutine that somebody else runs, as its current task."""
        self.coroutine = coroutine
        self._context = context
        self.owner = owner

    def wake_up(self, future: asyncio.Future[Any]) -> None:
        """Called when the future that the coroutine awaits is done."""
        raise NotImplementedError

    def get_coro(self) -> Coroutine[Any, Any, Any]:
        """Return the coroutine."""
        return self.coroutine

    def get_context(self) -> contextvars.Context:
        """Return the coroutine's context."""
        return self._context

    def get_name(self) -> str:
        """Return the name."""
        return self.owner.strand_name() if self._name is None else self._name

    def set_name(self, value: object) -> None:
        """Change the name."""
        self._name = str(value)
