"""The coroutine that `Agent.start` returns; programs for SPADE before 3.2 expect a future."""

from __future__ import annotations

from collections.abc import Coroutine, Generator
from typing import TYPE_CHECKING, Any, Final, Never

from formicary.errors import UsageError
from formicary.extending import get_logger

if TYPE_CHECKING:
    from types import TracebackType

logger = get_logger("formicary.spade")

_AWAIT_IT: Final = "write `await agent.start()` in a coroutine, and pass it to spade.run()"


class Starting(Coroutine[Any, Any, None]):
    """A coroutine that warns when it is never awaited.

    Args:
        coroutine: starts the agent.
        jid: the agent's address.
    """

    __slots__ = ("_coroutine", "_is_used", "_jid")

    def __init__(self, coroutine: Coroutine[Any, Any, None], jid: str) -> None:
        self._coroutine = coroutine
        self._jid = jid
        self._is_used = False

    def __del__(self) -> None:
        if not self._is_used:
            self.close()
            logger.warning("agent %s did not start: %s", self._jid, _AWAIT_IT)

    def __await__(self) -> Generator[Any, Any, None]:
        self._is_used = True
        return self._coroutine.__await__()

    def send(self, value: Any) -> Any:
        """Resume the coroutine."""
        self._is_used = True
        return self._coroutine.send(value)

    def throw(
        self,
        error: Any,
        value: BaseException | object = None,
        traceback: TracebackType | None = None,
    ) -> Any:
        """Raise an exception in the coroutine."""
        del value, traceback  # parameters of a deprecated signature
        return self._coroutine.throw(error)

    def close(self) -> None:
        """Close the coroutine."""
        self._is_used = True
        self._coroutine.close()

    def result(self, timeout: float | None = None) -> Never:
        """Raise UsageError.

        Raises:
            UsageError: always.
        """
        del timeout
        self.close()
        raise UsageError(f"start().result() is from SPADE before 3.2: {_AWAIT_IT}")
