"""The initiator's side of conversations with several agents by one protocol."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from formicary.protocols.dialogue import Dialogue, Inbox
from formicary.protocols.questions import is_from

if TYPE_CHECKING:
    from formicary.core.errors import FormicaryError
    from formicary.core.message import Message
    from formicary.protocols.conversations import Conversations
    from formicary.protocols.table import Protocol


class Several:
    """A dialogue with each of several partners, all with one inbox."""

    def __init__(self, conversations: Conversations, protocol: Protocol) -> None:
        self._conversations = conversations
        self._protocol = protocol
        self._inbox = Inbox(conversations.scheduler)
        self._name = conversations.new_name()
        self._dialogues: dict[str, Dialogue] = {}  # by full name

    def _open(self, name: str) -> Dialogue:
        """Return the dialogue with a partner, whose messages are received from now on."""
        expected, dialogue = self._conversations.expected, self._dialogues.get(name)
        if dialogue is None:
            if not self._dialogues:
                expected[self._name] = self
            dialogue = self._dialogues[name] = Dialogue(
                self._conversations, self._protocol, True,
                name, f"{self._name}/{len(self._dialogues)}", self._name, self._inbox,
            )  # fmt: skip
        expected[dialogue.name] = dialogue
        return dialogue

    async def _hear(self, seconds: float) -> list[tuple[Dialogue, Message | FormicaryError]]:
        """Return the next messages, or none when the time is over."""
        if not self._inbox.come:
            try:
                async with asyncio.timeout(seconds):
                    await self._inbox.wait()
            except TimeoutError:
                return []
        heard = list(self._inbox.come)
        self._inbox.come.clear()
        return heard

    def _in_state(self, *states: str) -> list[Dialogue]:
        return [dialogue for dialogue in self._dialogues.values() if dialogue.state in states]

    @staticmethod
    def _some_are(waiting: list[Dialogue], state: str) -> bool:
        """Return whether some are still in a state; remove those that are not, so each is checked once."""
        while waiting and waiting[-1].stage.name != state:
            waiting.pop()
        return bool(waiting)

    def _close(self) -> None:
        expected = self._conversations.expected
        expected.pop(self._name, None)
        for dialogue in self._dialogues.values():
            expected.pop(dialogue.name, None)
            if dialogue.is_late or not dialogue.stage.is_end:
                dialogue.close()

    # -- messages with the conversation's name only ---------------------------------------------------------

    def offer(self, message: Message) -> bool:
        """Take a message that has only the conversation's name; return False if its sender is no partner."""
        for name, dialogue in self._dialogues.items():
            if is_from(message, name):
                return dialogue.offer(message)
        return False

    def under_way(self) -> str | None:
        """Return None: each dialogue is asked."""

    def partner_ended(self, *_: object) -> None:
        """Do nothing: each dialogue is notified."""

    def asker_ended(self, *_: object) -> None:
        """Do nothing: each dialogue is notified."""
