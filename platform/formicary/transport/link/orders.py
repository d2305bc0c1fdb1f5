"""Orders: what the two ends of a link say to each other about the link itself, and past their agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formicary.transport.link.frames import encode
from formicary.transport.link.session import State

if TYPE_CHECKING:
    from formicary.transport.link.link import Link

_CONTROL_LIMIT: Final = 2048  # frames without acknowledgement from which on control messages are not taken
_OPEN: Final = State.OPEN  # as a name of this module: to ask the class takes longer

# A batch may also hold orders to the link itself. They look like messages to an agent without a name, which
# there cannot be, so that messages pay nothing for them.
CHOKE, UNCHOKE, CONTROL, TAKEN = "choke", "unchoke", "tell", "taken"


def control_order(channel: str, payload: bytes) -> bytes:
    """Return the batch with a control message for the other container, past its agents."""
    return encode([("", channel, payload, CONTROL, None)])


def receipt_order(receipt: bytes) -> bytes:
    """Return the batch that tells the other end which of its messages were taken."""
    return encode([("", "", receipt, TAKEN, None)])


class Orders:
    """The orders that one end of a link gives, each in a batch of its own."""

    __slots__ = ("_link", "_receipt_at", "_session")

    def __init__(self, link: Link) -> None:
        self._link = link
        self._session = link.session
        self._receipt_at = 0  # how many frames are acknowledged once the latest receipt is

    def send_control(self, channel: str, payload: bytes, *, behind: bool = False) -> bool:
        """Send a control message to the other container; return False where it cannot go now.

        It goes `behind` the messages that wait to go there, or before them.
        """
        if self._session.state is not _OPEN or self._session.unacknowledged >= _CONTROL_LIMIT:
            return False
        if behind:
            self._link.outbox.push()
        self._link.send_batch(control_order(channel, payload), [])
        return True

    @property
    def takes_control(self) -> bool:
        """Whether control messages would be taken now, and more of them in the same turn."""
        return self._session.state is _OPEN and self._session.unacknowledged < _CONTROL_LIMIT // 2

    def pause_sender(self, receiver: str, *, is_paused: bool) -> None:
        """Tell the other end to pause sending to an agent here, or to resume."""
        if self._session.is_open:
            name = self._link.outbox.senders[receiver]
            order = encode([("", name, "", CHOKE if is_paused else UNCHOKE, None)])
            self._link.send_batch(order, [])

    def send_receipt(self, receipt: bytes) -> bool:
        """Tell the other end what was taken; return False if that has to wait."""
        session, sending, outbox = self._session, self._session.sending, self._link.outbox
        if not session.is_open or session.receiving.is_frozen:
            return False  # where acknowledgements are held back, it would not know what this is about
        is_free = sending.has_window and self._link.has_free_path
        if not is_free and sending.acknowledged < self._receipt_at:
            return False  # where messages always fill the window, one receipt at a time waits among them
        if outbox.has_failures:
            outbox.push()  # what they are about is settled only with them
        self._link.send_batch(receipt_order(receipt), [])
        self._receipt_at = sending.acknowledged + sending.unacknowledged
        return True
