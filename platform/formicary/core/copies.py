"""Messages for several behaviours of an agent, of which some have never received anything.

A behaviour without a template gets all messages to its agent, even if it only sends. If it never receives,
messages that another behaviour gets as well are not lost, and must not hold up their senders.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.core.stalled import expect_receiving

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.core.mailbox import Mailbox
    from formicary.core.message import Message


class Copies:
    """Delivers messages that another behaviour gets as well to one that has never received anything.

    Args:
        mailbox: the mailbox.
    """

    __slots__ = ("_ids", "_is_watched", "_mailbox", "is_closed", "owner")

    def __init__(self, mailbox: Mailbox) -> None:
        self.owner = mailbox.owner
        """The behaviour."""
        self._mailbox = mailbox
        self._ids: set[int] = set()  # of messages in the mailbox, which stay there while this is used
        self._is_watched = False
        self.is_closed = False
        """Whether it accepts no more messages, as it was full for too long."""

    @property
    def address(self) -> str | None:
        """The agent's full name."""
        return self._mailbox.address

    def put(self, message: Message) -> bool:
        """Accept a message, or drop it if nobody waits for it here; return False if there is no room."""
        mailbox = self._mailbox
        if self.is_closed or mailbox.is_done():
            return True
        if mailbox.put(message):
            self._ids.add(id(message))
            return True
        if not self._is_watched:
            self._is_watched = True
            expect_receiving(mailbox)
        return False

    async def room(self) -> None:
        """Wait for room; it may be taken again by the time the caller runs."""
        await self._mailbox.room()

    def is_done(self) -> bool:
        """Return False: another behaviour gets the messages after its end."""
        return False

    def others(self, messages: Sequence[Message]) -> Sequence[Message]:
        """Return the messages in the mailbox that no other behaviour got."""
        return [message for message in messages if id(message) not in self._ids]

    def __str__(self) -> str:
        return str(self._mailbox)


def put_into_idle(message: Message, idle: Sequence[Mailbox], *, is_taken: bool) -> list[Mailbox | Copies]:
    """Deliver a message to behaviours that have never received anything; return the mailboxes that are full.

    Args:
        message: the message.
        idle: their mailboxes.
        is_taken: whether a behaviour that does receive gets it as well.
    """
    if not is_taken:
        return [mailbox for mailbox in idle if not mailbox.put(message)]
    full: list[Mailbox | Copies] = []
    for mailbox in idle:
        if mailbox.copies is None:
            mailbox.copies = Copies(mailbox)
        if not mailbox.copies.put(message):
            full.append(mailbox.copies)
    return full
