"""Failures for agents whose home may have started another agent of the same name."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from formicary.delivery.dead_letters import is_failure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.core.message import Message
    from formicary.delivery.dispatcher import Dispatcher
    from formicary.delivery.overflow import Source

_MOST: Final = 10_000  # failures that wait for one home


class NameConflicts:
    """Keeps failures until it is known whose messages have failed.

    A home that was away may have started another agent with the name of one that lives here; a message that
    fails may be of either. So when a link to the home begins, such failures wait until the home has checked
    which of its agents live here, and has ended those that are no longer its own.

    Args:
        dispatcher: the container's.
    """

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        # By home: messages, and the calls that deliver the failures.
        self._kept: dict[str, list[tuple[Message, Callable[[], None]]]] = {}
        dispatcher.unacked_holders.add(self)

    def doubt(self, home: str) -> None:
        """Called when a link begins to a home whose agents live here."""
        self._kept.setdefault(home, [])
        overflow, agents = self._dispatcher.overflow, self._dispatcher.agents
        for address in self._dispatcher.visitors.values():
            # An agent's forwarder asks by itself.
            if _home(address) == home and address in agents and address not in overflow.takers:
                overflow.divert(address, self)

    def keep(self, message: Message, receiver: str, reason: str) -> bool:
        """Keep a failure for the sender of a message; return False if it can be told now.

        Args:
            message: the message; its sender has the name of an agent that lives here.
            receiver: the intended receiver.
            reason: why it has failed.
        """
        tell = partial(self._dispatcher.tell_sender, message, receiver, reason)
        return self._keep(message.sender or "", message, tell)

    def keep_arrival(self, message: Message, receiver: str, source: Source) -> bool:
        """Keep a failure from elsewhere for an agent that lives here; return False if it can be told now.

        Args:
            message: a message for the agent; only failures are kept.
            receiver: the agent's full name.
            source: the link by which it has arrived.
        """
        return is_failure(message) and self._keep(
            receiver, message, partial(self._tell, message, receiver, source)
        )

    def _keep(self, address: str, message: Message, tell: Callable[[], None]) -> bool:
        kept = self._kept.get(_home(address))
        if kept is None or len(kept) >= _MOST:
            return False
        kept.append((message, tell))
        return True

    def know(self, home: str) -> None:
        """Deliver what was kept: the home has ended agents that are not its own, or its link has ended."""
        kept = self._kept.pop(home, ())
        overflow = self._dispatcher.overflow
        for address in [each for each, taker in overflow.takers.items() if taker is self]:
            if _home(address) == home:
                overflow.end_diversion(address)
        for _, tell in kept:
            tell()

    def _tell(self, failure: Message, address: str, source: Source) -> None:
        dispatcher = self._dispatcher
        if address in dispatcher.agents and address not in dispatcher.forwarders:
            dispatcher.overflow.deliver(failure, address, source)
        else:
            dispatcher.take_stray(failure, address, source)

    def messages(self) -> Sequence[Message]:
        """Return the failed messages, which are not consumed yet."""
        return [message for kept in self._kept.values() for message, _ in kept]

    # -- as a taker of what comes for agents that are in doubt ----------------------------------------------

    def take(self, message: Message, receiver: str, source: Source) -> None:
        """Handle a message from another container; failures wait."""
        if not self.keep_arrival(message, receiver, source):
            self._dispatcher.overflow.deliver(message, receiver, source)

    def forget(self, source: Source) -> None:
        """Do nothing: no source is paused."""


def _home(address: str) -> str:
    return address.partition("@")[2]
