"""Orders: messages between the two ends of a link themselves, and control messages of their containers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formicary.transport.link.frames import encode
from formicary.transport.link.session import State

if TYPE_CHECKING:
    from formicary.transport.link.link import Link

_CONTROL_LIMIT: Final = 2048  # unacknowledged frames at which control messages are refused
_OPEN: Final = State.OPEN  # a global is faster than an attribute of the class

# Orders in a batch look like messages to an agent without a name, which there cannot be, so that messages pay
# nothing for them.
CHOKE, UNCHOKE, CONTROL, TAKEN = "choke", "unchoke", "tell", "taken"


def control_order(channel: str, payload: bytes) -> bytes:
    """Return the batch with a control message for the other container."""
    return encode([("", channel, payload, CONTROL, None)])


def receipt_order(receipt: bytes) -> bytes:
    """Return the batch with a receipt."""
    return encode([("", "", receipt, TAKEN, None)])


class Orders:
    """Sends the orders of one end of a link, each in a batch of its own."""

    __slots__ = ("_link", "_receipt_at", "_session")

    def __init__(self, link: Link) -> None:
        self._link = link
        self._session = link.session
        self._receipt_at = 0  # how many frames are acknowledged once the latest receipt is

    def send_control(self, channel: str, payload: bytes, *, behind: bool = False) -> bool:
        """Send a control message to the other container; return False if it cannot go now.

        It goes `behind` waiting messages, or ahead of them.
        """
        if self._session.state is not _OPEN or self._session.unacknowledged >= _CONTROL_LIMIT:
            return False
        if behind:
            self._link.outbox.push()
        self._link.send_batch(control_order(channel, payload), [])
        return True

    @property
    def takes_control(self) -> bool:
        """Whether many control messages would be accepted now."""
        return self._session.state is _OPEN and self._session.unacknowledged < _CONTROL_LIMIT // 2

    def pause_sender(self, receiver: str, *, is_paused: bool) -> None:
        """Tell the other end to pause sending to an agent here, or to resume."""
        if self._session.is_open:
            name = self._link.outbox.senders[receiver]
            order = encode([("", name, "", CHOKE if is_paused else UNCHOKE, None)])
            self._link.send_batch(order, [])

    def send_receipt(self, receipt: bytes) -> bool:
        """Send a receipt; return False if it has to wait."""
        session, sending, outbox = self._session, self._session.sending, self._link.outbox
        if not session.is_open or session.receiving.is_frozen:
            return False  # it would be about messages that are not acknowledged
        is_free = sending.has_window and self._link.has_free_path
        if not is_free and sending.acknowledged < self._receipt_at:
            return False  # if messages always fill the window, one receipt at a time waits among them
        if outbox.has_failures:
            outbox.push()  # the receipt must follow them
        self._link.send_batch(receipt_order(receipt), [])
        self._receipt_at = sending.acknowledged + sending.unacknowledged
        return True
