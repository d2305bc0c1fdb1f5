"""What agents said to each other in a scenario: who, to whom, when, and whether it arrived."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary import Message

_BODY = 10_000  # characters
_KEPT = 10_000  # arrows: a program in an endless conversation must not fill the memory


class Arrow(msgspec.Struct):
    """A message to one receiver, as an arrow of a sequence picture.

    Attributes:
        sent: when it was sent, in seconds of virtual time.
        sender: the short name of who has sent it; with the container where names would be the same.
        receiver: that of who should get it.
        performative: its performative; empty if it has none.
        body: what it says.
        conversation: its conversation; empty if it has none.
        arrived: when it was handed over; None as long as it is on its way, or if it never arrived.
        lost: why it could not be delivered; empty if it could.
    """

    sent: float
    sender: str
    receiver: str
    performative: str
    body: str
    conversation: str
    arrived: float | None = None
    lost: str = ""

    @property
    def label(self) -> str:
        """What is written at the arrow."""
        return f"{self.performative} {self.body}".strip() or "(empty)"


class Recorder:
    """Keeps what goes from one container to another in a scenario, in the order in which it was sent."""

    def __init__(self) -> None:
        self.arrows: list[Arrow] = []

    def sent(self, message: Message, receiver: str) -> Arrow:
        """Keep a message that was sent, and return its arrow, to note there what becomes of it."""
        arrow = Arrow(
            _now(),
            _short(message.sender),
            _short(receiver),
            message.performative or "",
            str(message.body)[:_BODY],
            message.conversation_id or "",
        )
        if len(self.arrows) < _KEPT:
            self.arrows.append(arrow)
        return arrow


def about(arrows: Iterable[Arrow], names: Iterable[str], conversation: str = "") -> list[Arrow]:
    """Return the messages from or to agents of these names, and of this conversation where it is given."""
    wanted = set(names)
    return [
        arrow
        for arrow in arrows
        if (not wanted or arrow.sender in wanted or arrow.receiver in wanted)
        and (not conversation or arrow.conversation == conversation)
    ]


def _now() -> float:
    return asyncio.get_running_loop().time()


def _short(name: str | None) -> str:
    return (name or "?").partition("@")[0]
