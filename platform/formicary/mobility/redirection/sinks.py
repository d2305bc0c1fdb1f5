"""Where messages to an agent that has moved wait: until its way is clear, or for room on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message
    from formicary.mobility.redirection.detour import Detour


async def all_room(full: Sequence[MessageSink]) -> None:
    """Wait for room in several sinks, one after the other."""
    for sink in full:
        await sink.room()


class Waiting:
    """The sink of a message that waits until its way to an agent that has moved is clear.

    Args:
        detour: the way.
    """

    def __init__(self, detour: Detour) -> None:
        self._detour = detour
        self._ahead: Sequence[MessageSink] = ()  # what had no room where messages go now
        self.address: str | None = detour.address

    def put(self, message: Message) -> bool:
        """Take a message; return False if it has to wait on."""
        if not self._detour.is_over:
            return self._detour.put(message)
        self._ahead = self._detour.send_anew(message) or ()  # the agent may have left again by now
        return not self._ahead

    async def room(self) -> None:
        """Wait until the way is clear."""
        if not self._detour.is_over:
            await self._detour.room()
        for sink in self._ahead:
            await sink.room()

    def is_done(self) -> bool:
        """Return False: the message goes on, or fails."""
        return False

    def __str__(self) -> str:
        return f"the way to {self._detour.address}, which has moved,"


class PassingOn:
    """The sink of a message that waits for room on the way to the next container.

    Args:
        detour: the way.
        full: what had no room.
    """

    def __init__(self, detour: Detour, full: Sequence[MessageSink]) -> None:
        self._detour = detour
        self._full = full
        self.address: str | None = detour.address

    def put(self, message: Message) -> bool:
        """Take a message; return False if there is no room yet."""
        detour = self._detour
        if detour.is_over:
            self._full = detour.bring(message) or ()
        elif detour.is_held or detour.domain is None:
            return not detour.pass_on(message, detour.address)
        else:
            self._full = detour.give(message) or ()
        return not self._full

    async def room(self) -> None:
        """Wait for room."""
        if self._detour.is_over or self._detour.domain is None:
            for sink in self._full:  # at once: who begins to wait for a mailbox later is not woken
                await sink.room()
        else:
            await self._detour.wait_for_room(self._full)

    def is_done(self) -> bool:
        """Return False: the message goes on, or fails."""
        return False

    def __str__(self) -> str:
        return ", ".join(map(str, self._full)) or f"the way to {self._detour.address}"
