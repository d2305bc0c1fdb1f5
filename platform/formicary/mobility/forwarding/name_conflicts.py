"""What agents of other homes are to be told here, where the home may have another one of that name by now."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from formicary.container.dead_letters import is_failure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.container.dispatcher import Dispatcher
    from formicary.container.overflow import Source
    from formicary.core.message import Message

_MOST: Final = 10_000  # failures that wait for one home


class NameConflicts:
    """Keeps failures of messages until it is known whose they are.

    Where a home was away, it may have started another agent with the name of one that lives here, and that
    may have sent what fails here, or was sent on from here and has failed elsewhere. So when a link to the
    home begins, such failures wait until the home has seen which of its agents live here, and has had those
    ended that are not its own any more.

    Args:
        dispatcher: the container's.
    """

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        # By home: messages, and what tells their senders, or them.
        self._kept: dict[str, list[tuple[Message, Callable[[], None]]]] = {}

    def doubt(self, home: str) -> None:
        """Called when a link to a home begins of which agents live here."""
        self._kept.setdefault(home, [])
        overflow, agents = self._dispatcher.overflow, self._dispatcher.agents
        for address in self._dispatcher.visitors.values():
            # Where there is a way to an agent, that asks for what comes for it.
            if _home(address) == home and address in agents and address not in overflow.takers:
                overflow.divert(address, self)

    def keep(self, message: Message, receiver: str, reason: str) -> bool:
        """Keep what the sender of a message is to be told; return False if it can be told now.

        Args:
            message: the message, of an agent that has the name of one that lives here.
            receiver: who should have got it.
            reason: why it has failed.
        """
        tell = partial(self._dispatcher.tell_sender, message, receiver, reason)
        return self._keep(message.sender or "", message, tell)

    def keep_arrival(self, message: Message, receiver: str, source: Source) -> bool:
        """Keep what others tell an agent that lives here; return False if that can be told now.

        Args:
            message: what has come for the agent: something is kept only if it says that a message has failed.
            receiver: its full name.
            source: the link that it has come by.
        """
        return is_failure(message) and self._keep(
            receiver, message, partial(self._tell, message, receiver, source)
        )

    def _keep(self, address: str, message: Message, tell: Callable[[], None]) -> bool:
        kept = self._kept.get(_home(address))
        if kept is None or len(kept) >= _MOST:
            return False
        kept.append((message, tell))
        self._dispatcher.unacked_holders.add(self)
        return True

    def know(self, home: str) -> None:
        """Tell what was kept: the home has ended here who is not its agent, or the link to it has ended."""
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
        """Return the messages that have failed, as they are not done with."""
        messages = [message for kept in self._kept.values() for message, _ in kept]
        if not messages:
            self._dispatcher.unacked_holders.discard(self)
        return messages

    # -- as a taker of what comes for agents that are in doubt ----------------------------------------------

    def take(self, message: Message, receiver: str, source: Source) -> None:
        """Take a message of another container: what has failed waits."""
        if not self.keep_arrival(message, receiver, source):
            self._dispatcher.overflow.deliver(message, receiver, source)

    def forget(self, source: Source) -> None:
        """Do nothing: nobody is told to send less."""


def _home(address: str) -> str:
    return address.partition("@")[2]
