"""What an agent of SPADE is in its container: an agent of the platform, whose behaviours run SPADE's."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from formicary import Agent as PlatformAgent
from formicary import AgentState

if TYPE_CHECKING:
    from formicary import Message as PlatformMessage
    from formicary.extending import Deliver
    from formicary.spade.agent import Agent


class Body(PlatformAgent):
    """Takes messages for an agent of SPADE.

    Args:
        name: its name in the container.
        owner: SPADE's agent.
        no_account: why it has no account, as a sentence; None where nobody can have one.
    """

    __slots__ = ("no_account", "owner")

    def __init__(self, name: str, owner: Agent, no_account: str | None = None) -> None:
        super().__init__(name)
        self.owner = owner
        self.no_account = no_account

    def bring_presence(self) -> None:
        """Connect the agent's presence with its account, or with the reason why there is none."""
        if self.no_account is not None:
            self.owner.presence.no_account = self.no_account

    async def log_out(self) -> None:
        """Log out, and wait for that, where the agent has an account."""

    def message_entrance(self) -> Deliver:
        """Return the shortest way in: past `dispatch`, unless the program has one of its own."""
        owner = self.owner
        if not owner.our_has_own_dispatch():
            return super().message_entrance()

        def deliver(message: PlatformMessage) -> None:
            owner.dispatch(owner.our_message_of(message))

        return cast("Deliver", deliver)

    def rewire(self) -> None:
        """Make the way in anew: the program has set a `dispatch` of its own."""
        self._rewire()

    def add_unwanted(self, message: PlatformMessage) -> None:
        """Handle a message that no behaviour wants."""
        self.owner.our_unwanted(message)

    def add_dead_letter(self, message: PlatformMessage) -> None:
        """Make a message that no behaviour wants a dead letter."""
        super().add_unwanted(message)

    async def stop(self) -> None:
        """End as the program's own `stop` does."""
        await self.owner.stop()
        if self.state is not AgentState.GONE:  # the program has a `stop` that leaves this out
            self.owner.our_end()
