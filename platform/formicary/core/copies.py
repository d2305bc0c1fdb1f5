"""Messages that several behaviours of an agent get, where one of these has never received anything.

A behaviour without a template gets all that comes to its agent, also where it only sends. What another
behaviour gets as well is not lost where such a one does not receive it, and is to hold up nobody for long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.core.stalled import expect_receiving

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.core.mailbox import Mailbox
    from formicary.core.message import Message


class Copies:
    """The way into the mailbox of a behaviour that has never received anything, for what another gets, too.

    Args:
        mailbox: the mailbox.
    """

    __slots__ = ("_ids", "_is_watched", "_mailbox", "is_closed", "owner")

    def __init__(self, mailbox: Mailbox) -> None:
        self.owner = mailbox.owner
        """The behaviour."""
        self._mailbox = mailbox
        self._ids: set[int] = set()  # of messages in the mailbox, which stay there as long as this counts
        self._is_watched = False
        self.is_closed = False
        """Whether nothing more goes in: it was full for too long."""

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
        """Return False: what comes later than its end was taken by another behaviour."""
        return False

    def others(self, messages: Sequence[Message]) -> Sequence[Message]:
        """Return those of the messages in the mailbox that nobody else has got."""
        return [message for message in messages if id(message) not in self._ids]

    def __str__(self) -> str:
        return str(self._mailbox)


def put_into_idle(message: Message, idle: Sequence[Mailbox], *, is_taken: bool) -> list[Mailbox | Copies]:
    """Hand a message to behaviours that have never received anything; return the mailboxes that are full.

    Args:
        message: the message.
        idle: their mailboxes.
        is_taken: whether one that does receive gets it as well.
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
