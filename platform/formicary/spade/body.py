"""The body of a SPADE agent: a platform agent whose behaviours run those of SPADE."""

from __future__ import annotations

from collections.abc import Coroutine, Generator
from typing import TYPE_CHECKING, Any, Final, Never, cast

from formicary import Agent as PlatformAgent
from formicary import AgentState
from formicary.errors import UsageError
from formicary.extending import get_logger

if TYPE_CHECKING:
    from types import TracebackType

    from formicary import Message as PlatformMessage
    from formicary.extending import Deliver
    from formicary.spade.agent import Agent

logger = get_logger("formicary.spade")

_AWAIT_IT: Final = "write `await agent.start()` in a coroutine, and pass it to spade.run()"


class Starting(Coroutine[Any, Any, None]):
    """A coroutine that warns when it is never awaited."""

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


class Body(PlatformAgent):
    """Receives messages for a SPADE agent.

    Args:
        name: its name in the container.
        owner: the SPADE agent.
        no_account: why it has no account, as a sentence; None if there are no accounts.
    """

    __slots__ = ("no_account", "owner")

    def __init__(self, name: str, owner: Agent, no_account: str | None = None) -> None:
        super().__init__(name)
        self.owner = owner
        self.no_account = no_account

    def bring_presence(self) -> None:
        """Connect the agent's presence to its account, or to the reason for having none."""
        if self.no_account is not None:
            self.owner.presence.no_account = self.no_account

    async def log_out(self) -> None:
        """Log out and wait for it, if the agent has an account."""

    def message_entrance(self) -> Deliver:
        """Return the shortest entrance: past `dispatch`, unless the program replaced it."""
        owner = self.owner
        if not owner.our_has_own_dispatch():
            return super().message_entrance()

        def deliver(message: PlatformMessage) -> None:
            owner.dispatch(owner.our_message_of(message))

        return cast("Deliver", deliver)

    def rewire(self) -> None:
        """Rebuild the entrance, because the program replaced `dispatch`."""
        self._rewire()

    def add_unwanted(self, message: PlatformMessage) -> None:
        """Handle a message that no behaviour matches."""
        self.owner.our_unwanted(message)

    def add_dead_letter(self, message: PlatformMessage) -> None:
        """Make a dead letter of a message that no behaviour matches."""
        super().add_unwanted(message)

    async def stop(self) -> None:
        """Stop by way of the program's own `stop`."""
        await self.owner.stop()
        if self.state is not AgentState.GONE:  # the program's `stop` does not call ours
            self.owner.our_end()
