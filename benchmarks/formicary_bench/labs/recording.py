"""What agents said to each other in a scenario: who, to whom, when, and whether it arrived.

`formicary.observe` notes messages where they arrive, as they pass; here they are also those that never did.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

from formicary import Instrument
from formicary.core.names import MANAGEMENT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary import Container, Message
    from formicary.container.dead_letters import DeadLetter

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
    """Keeps the messages of all containers of a scenario, in the order in which they were sent.

    Attributes:
        left_out: how many messages there were after the first ten thousand.
    """

    def __init__(self) -> None:
        self.arrows: list[Arrow] = []
        self.left_out = 0
        self._under_way: dict[tuple[object, ...], list[Arrow]] = {}

    def watch(self, container: Container) -> None:
        """Keep the messages of a container, too."""
        container.add_instrument(_Ear(self))

    def sent(self, message: Message) -> None:
        """Keep a message that was sent, as an arrow to each receiver."""
        receivers = (message.to,) if isinstance(message.to, str) else message.to or ()
        for receiver in receivers:
            if len(self.arrows) >= _KEPT:
                self.left_out += 1
                continue
            arrow = Arrow(
                _now(),
                _short(message.sender),
                _short(receiver),
                message.performative or "",
                str(message.body),
                message.conversation_id or "",
            )
            self.arrows.append(arrow)
            self._under_way.setdefault(_key(message, arrow.receiver), []).append(arrow)

    def arrived(self, message: Message, receiver: str, lost: str = "") -> None:
        """Say of a message that it was handed over, or why it never will be."""
        waiting = self._under_way.get(_key(message, _short(receiver)))
        if waiting:
            arrow = waiting.pop(0)
        elif lost or not _is_management(message.sender):
            return
        else:  # what a container tells its agents is not sent by anybody
            self.sent(message.replace(to=receiver))
            self.arrived(message, receiver)
            return
        arrow.lost = lost
        arrow.arrived = None if lost else _now()


class _Ear(Instrument):
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def message_sent(self, message: Message) -> None:
        self._recorder.sent(message)

    def message_delivered(self, message: Message, receiver: str) -> None:
        self._recorder.arrived(message, receiver)

    def message_dead(self, letter: DeadLetter) -> None:
        self._recorder.arrived(letter.message, letter.receiver, letter.reason)


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


def _is_management(name: str | None) -> bool:
    return _short(name) == MANAGEMENT


def _key(message: Message, receiver: str) -> tuple[object, ...]:
    return (
        _short(message.sender),
        receiver,
        message.performative,
        message.body,
        message.conversation_id,
        message.reply_with,
        message.in_reply_to,
    )
