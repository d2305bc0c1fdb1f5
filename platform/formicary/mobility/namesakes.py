"""What agents of other homes are to be told here, where the home may have another one of that name by now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.container.dispatcher import Dispatcher
    from formicary.core.message import Message

_MOST: Final = 10_000  # failures that wait for one home


class Namesakes:
    """Keeps failures of messages until it is known whose they are.

    Where a home was away, it may have started another agent with the name of one that lives here, and that
    may have sent what fails here. So when a link to the home begins, such failures wait until the home has
    seen which of its agents live here, and has had those ended that are not its own any more.

    Args:
        dispatcher: the container's.
    """

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._kept: dict[str, list[tuple[Message, str, str]]] = {}  # by home

    def doubt(self, home: str) -> None:
        """Called when a link to a home begins of which agents live here."""
        self._kept.setdefault(home, [])
        self._dispatcher.namesakes = self

    def keep(self, message: Message, receiver: str, reason: str) -> bool:
        """Keep what the sender of a message is to be told; return False if it can be told now.

        Args:
            message: the message, of an agent that has the name of one that lives here.
            receiver: who should have got it.
            reason: why it has failed.
        """
        kept = self._kept.get((message.sender or "").partition("@")[2])
        if kept is None or len(kept) >= _MOST:
            return False
        kept.append((message, receiver, reason))
        self._dispatcher.custodians.add(self)
        return True

    def know(self, home: str) -> None:
        """Tell what was kept: the home has ended here who is not its agent, or the link to it has ended."""
        kept = self._kept.pop(home, ())
        if not self._kept:
            self._dispatcher.namesakes = None
        for message, receiver, reason in kept:
            self._dispatcher.tell_sender(message, receiver, reason)

    def messages(self) -> Sequence[Message]:
        """Return the messages that have failed, as they are not done with."""
        messages = [message for kept in self._kept.values() for message, *_ in kept]
        if not messages:
            self._dispatcher.custodians.discard(self)
        return messages
