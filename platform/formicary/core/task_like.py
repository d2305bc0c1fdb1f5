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

    How the coroutine resumes, is cancelled and ends is for `Strand`, the one subclass, which is a future
    first, so that it finds at once what it calls of that.
    """

    _context: contextvars.Context
    _name: str | None  # asked of the owner when somebody wants to know
    coroutine: Coroutine[Any, Any, Any]
    owner: Owner
    runner: Runner

    def adopt(self, coroutine: Coroutine[Any, Any, Any], context: contextvars.Context, owner: Owner) -> None:
        """Run this coroutine from now on, in this context; for a strand that has none yet."""
        self.coroutine = coroutine
        self._context = self.runner = context
        self.owner = owner
        _register_task(self)  # type: ignore[arg-type]  # third-party tasks are what it is for

    def stand_for(
        self, coroutine: Coroutine[Any, Any, Any], context: contextvars.Context, owner: Owner
    ) -> None:
        """Answer for this coroutine as a task would, such as its name, while others run it."""
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
        """Return the context that the coroutine runs in."""
        return self._context

    def get_name(self) -> str:
        """Return the name."""
        return self.owner.strand_name() if self._name is None else self._name

    def set_name(self, value: object) -> None:
        """Change the name."""
        self._name = str(value)
