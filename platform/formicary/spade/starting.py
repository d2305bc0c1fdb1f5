"""What `Agent.start` returns: a coroutine, which programs for SPADE before 3.2 take for a future."""

from __future__ import annotations

from collections.abc import Coroutine, Generator
from typing import TYPE_CHECKING, Any, Never

from formicary.core.errors import UsageError

if TYPE_CHECKING:
    from types import TracebackType


class Starting(Coroutine[Any, Any, None]):
    """A coroutine that says so to who does not await it.

    Args:
        coroutine: starts the agent.
    """

    __slots__ = ("_coroutine",)

    def __init__(self, coroutine: Coroutine[Any, Any, None]) -> None:
        self._coroutine = coroutine

    def __await__(self) -> Generator[Any, Any, None]:
        return self._coroutine.__await__()

    def send(self, value: Any) -> Any:
        """Go on, as of any coroutine."""
        return self._coroutine.send(value)

    def throw(
        self,
        error: Any,
        value: BaseException | object = None,
        traceback: TracebackType | None = None,
    ) -> Any:
        """Raise an exception where it waits, as of any coroutine."""
        del value, traceback  # of a way to call it that Python has given up
        return self._coroutine.throw(error)

    def close(self) -> None:
        """End it, as of any coroutine."""
        self._coroutine.close()

    def result(self, timeout: float | None = None) -> Never:
        """Refuse.

        Raises:
            UsageError: always.
        """
        del timeout
        self.close()
        raise UsageError(
            "start().result() belongs to SPADE before 3.2: write `await agent.start()` in a coroutine, and "
            "give that to spade.run()"
        )
