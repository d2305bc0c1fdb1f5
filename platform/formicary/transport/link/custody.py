"""Messages that a link forwards for other containers: not taken until its other end has taken them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formicary.core.errors import FormicaryError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message
    from formicary.transport.link.link import Link
    from formicary.transport.link.outbox import Letter

_MANY: Final = 1000  # forwarded messages at which to look for the first time which of them are taken


class Custody:
    """The messages forwarded over one link that are neither taken nor failed.

    A message that is only sent knows nothing of this, as with receipts: a link whose `forwards` is set passes
    each batch to `sent`, and whoever wants to know looks at what the other end has told.
    """

    def __init__(self, link: Link) -> None:
        self._link = link
        self._dispatcher = link.owner.container.dispatcher
        self._unconsumed = link.session.unconsumed
        self._waiting: dict[int, Message] = {}  # by id: what has not gone out
        self._sent: dict[int, Message] = {}  # by the number in the session
        self._failing: list[Message] = []
        self._is_told = True
        self._look_at = _MANY

    def start(self, *, is_told: bool) -> None:
        """Begin a session: what went out in the one before, and was not taken, fails.

        Unless the other end tells what is taken (`is_told`), nothing that has gone out is kept.
        """
        self._is_told = is_told
        self._failing += self._sent.values()
        self._sent.clear()

    # -- messages -------------------------------------------------------------------------------------------

    def carry_on(self, message: Message, receiver: str) -> None:
        """Accept a message that an agent takes along to the other end, whether there is room or not."""
        self._add(message)  # as forwarded: its sender may have the name of an agent here
        link = self._link
        try:
            full = link.outbox.accept_for(message, receiver)
        except FormicaryError as error:  # it is a dead letter already
            self._dispatcher.tell_sender(message, receiver, str(error))
            return
        if full is not None and not link.outbox.keep(message, receiver):
            link.failures.undeliverable(message, receiver, "too many messages are waiting for it")

    def pass_on(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Forward a message of another container, as `Link.post`."""
        link = self._link
        if link.paused and (paused := link.paused.get(receiver)):
            return (paused,)
        self._add(message)
        full = link.outbox.accept_for(message, receiver)
        if full:
            self.drop(message)
        return full

    def _add(self, message: Message) -> None:
        self._waiting[id(message)] = message
        if not self._link.forwards:
            self._link.forwards = True
            self._dispatcher.unacked_holders.add(self)

    def drop(self, message: Message) -> None:
        """Stop keeping a message that will not go out."""
        self._waiting.pop(id(message), None)

    def withdraw(self, receiver: str) -> Sequence[Message]:
        """Remove and return what waits to go out to an agent, in order."""
        messages = self._link.outbox.withdraw_from(receiver)
        for message in messages:
            self.drop(message)
        return messages

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
        """Return the messages that are neither taken nor failed now."""
        if self._failing and not self._link.failures.is_busy:
            self._failing.clear()
        is_open = self._unconsumed.is_open
        for number in [number for number in self._sent if not is_open(number)]:
            del self._sent[number]
        return [*self._waiting.values(), *self._sent.values(), *self._failing]

    def close(self) -> None:
        """Keep nothing any more."""
        self._dispatcher.unacked_holders.discard(self)
