"""Messages that came in over a link and are not taken yet, of which the other end is told.

`docs/link-protocol.md` specifies receipts.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

import msgspec

from formicary.core.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from formicary.delivery.waiting import WaitingMessages

_ENOUGH: Final = 1024  # messages after which to look at once
_RANGES: Final = 2000  # in one receipt
LONGEST_RECEIPT: Final = 1 << 16
"""Bytes of the longest receipt that is accepted."""


class Receipt(msgspec.Struct, array_like=True, frozen=True):
    """Tells which messages of a session were taken; they are numbered from 1.

    Args:
        upto: messages up to this number are taken, except open ones.
        opened: the open ones since the last receipt: the first number and the count of each range, ascending.
        settled: the ones that were open and are taken now, in the same form.
    """

    upto: int
    opened: list[int]
    settled: list[int]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Receipt)


def read_receipt(payload: bytes) -> Receipt:
    """Return a decoded receipt; ValueError if it is invalid."""
    if len(payload) > LONGEST_RECEIPT:
        raise ValueError(f"a receipt of {len(payload)} bytes")
    try:
        return _decoder.decode(payload)
    except msgspec.DecodeError as error:
        raise ValueError(f"not a receipt: {error}") from error


def ranges(numbers: Iterable[int]) -> list[int]:
    """Return ascending numbers as ranges: the first number and the count of each."""
    found: list[int] = []
    follows = None
    for number in numbers:
        if number == follows:
            found[-1] += 1
        else:
            found += (number, 1)
        follows = number + 1
    return found


class Receipts:
    """The messages from one other container until they are taken.

    Only the ids of messages are kept, so that their memory is reused if they are taken at once. A waiting
    message may have the id of an earlier one that was taken: then this counts as not taken, too, until the
    other is.

    Args:
        waiting: knows which messages wait.
        send: sends a receipt; returns False if it cannot go now.
        names: agents' names in batches for this container, by their full names.

    Attributes:
        arrived: the ids of the messages that came since the last look, in order.
        receivers: the names in batches of the receivers whose messages may wait.
        due_at: the number of ids at which to call `note`.
        is_wanted: whether both ends give receipts.
    """

    def __init__(
        self, waiting: WaitingMessages, send: Callable[[bytes], bool], names: Mapping[str, str]
    ) -> None:
        self._waiting = waiting
        self._send = send
        self._names = names
        self.is_wanted = False
        self.start(is_wanted=False)

    def start(self, *, is_wanted: bool) -> None:
        """Begin a session: nothing has come yet."""
        self._waiting.forget(self)
        self.is_wanted = is_wanted
        self.arrived = array("Q")
        self.receivers: set[str] = set()
        self.due_at = 1
        self._looked = 0  # up to which number the waiting ones are known
        self._open: dict[int, object] = {}  # what waits, by number
        self._told = 0  # up to which number the other end has been told
        self._told_open: set[int] = set()  # the open ones as far as the other end knows

    def note(self) -> None:
        """Watch a batch that has been handed over."""
        if not self.is_wanted:
            del self.arrived[:]
            self.receivers.clear()
        elif self.due_at == 1 and len(self.arrived) < _ENOUGH:
            self.due_at = _ENOUGH
            self._waiting.watch(self)
        else:
            self.due_at = len(self.arrived) + _ENOUGH // 4
            self._waiting.watch(self, in_haste=True)

    def finish(self) -> None:
        """Send the last receipts."""
        if self.is_wanted:
            self._waiting.look_at_once(self)

    # -- for the watch --------------------------------------------------------------------------------------

    def look(self, waiting: Mapping[int, object]) -> int:
        """Drop what no longer waits, and send receipts; return how many messages are left to tell of."""
        if self._open:
            self._open = {number: each for number, each in self._open.items() if id(each) in waiting}
        arrived, self.arrived, self.due_at = self.arrived, array("Q"), 1
        if waiting and not waiting.keys().isdisjoint(arrived):
            # If an id came twice, the earlier message was gone by then.
            numbers = {each: number for number, each in enumerate(arrived, self._looked + 1)}
            for number in sorted(numbers[each] for each in waiting.keys() & numbers.keys()):
                self._open[number] = waiting[arrived[number - self._looked - 1]]
        self._looked += len(arrived)
        self._tell()
        self.receivers = {
            self._names[name]
            for message in self._open.values()
            if isinstance(message, Message)
            for name in message.receivers
        }
        if not self._open and not self._told_open:
            return self._looked - self._told
        return len(self._open) + len(self._told_open - self._open.keys()) + self._looked - self._told

    def _tell(self) -> None:
        settled = ranges(sorted(self._told_open - self._open.keys()))
        opened = ranges(number for number in self._open if number > self._told)
        while settled or self._told < self._looked:
            cut = opened[: 2 * _RANGES]
            upto = cut[-2] + cut[-1] - 1 if len(cut) < len(opened) else self._looked
            if not self._send(_encoder.encode(Receipt(upto, cut, settled[: 2 * _RANGES]))):
                return
            self._told = upto
            for first, count in zip(cut[::2], cut[1::2], strict=True):
                self._told_open.update(range(first, first + count))
            for first, count in zip(settled[: 2 * _RANGES : 2], settled[1 : 2 * _RANGES : 2], strict=True):
                self._told_open.difference_update(range(first, first + count))
            opened, settled = opened[2 * _RANGES :], settled[2 * _RANGES :]
