"""Messages of other containers that a link has to bring on: not taken until its other end says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from formicary.core.message import Message
    from formicary.transport.link.outbox import Letter
    from formicary.transport.link.unconsumed import Unconsumed

_MANY: Final = 1000  # messages in custody when to look for the first time whether they are still


class Custody:
    """What was passed on over one link, and is neither taken nor failed.

    As with receipts, nothing that a message passes knows of it, but what passes it on, and each batch of a
    link by which something is: who wants to know looks what the other end has said.

    Args:
        unconsumed: what has arrived there, and is not taken, of the link's session.
        is_failing: returns whether something of the link is still to be failed to its sender.
    """

    def __init__(self, unconsumed: Unconsumed, is_failing: Callable[[], bool]) -> None:
        self._unconsumed = unconsumed
        self._is_failing = is_failing
        self._waiting: dict[int, Message] = {}  # by id: what has not gone out
        self._sent: dict[int, Message] = {}  # by the number in the session
        self._failing: list[Message] = []
        self._is_told = True
        self._look_at = _MANY

    def start(self, *, is_told: bool) -> None:
        """Begin a session: what has gone out in the one before, and was not taken, fails.

        If the other end does not say what is taken (`is_told`), nothing that has gone out is in custody.
        """
        self._is_told = is_told
        self._failing += self._sent.values()
        self._sent.clear()

    def add(self, message: Message) -> None:
        """Keep a message that is about to be given to the link."""
        self._waiting[id(message)] = message

    def drop(self, message: Message) -> None:
        """Keep a message no longer: it has not gone out, and will not."""
        self._waiting.pop(id(message), None)

    def sent(self, letters: Sequence[Letter], first: int) -> None:
        """Number a batch that goes out; `first` is the number in the session of its first message."""
        waiting = self._waiting
        if waiting:
            for number, (message, _) in enumerate(letters, first):
                if waiting.pop(id(message), None) is not None and self._is_told:
                    self._sent[number] = message
            if len(self._sent) >= self._look_at:  # nobody may have looked for long
                self.messages()
                self._look_at = max(_MANY, 2 * len(self._sent))

    def messages(self) -> Collection[Message]:
        """Return what is in custody now."""
        if self._failing and not self._is_failing():
            self._failing.clear()
        is_open = self._unconsumed.is_open
        for number in [number for number in self._sent if not is_open(number)]:
            del self._sent[number]
        return [*self._waiting.values(), *self._sent.values(), *self._failing]
