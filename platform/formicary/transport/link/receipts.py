"""What has come over a link and was not taken yet; the other end is told, so that it knows what to fail.

`docs/link-protocol.md` specifies what is said.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

import msgspec

from formicary.core.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from formicary.delivery.waiting import WaitingMessages

_ENOUGH: Final = 1024  # messages after which to look without waiting for more
_RANGES: Final = 2000  # in one receipt
LONGEST_RECEIPT: Final = 1 << 16
"""Bytes of the longest receipt that is taken."""


class Receipt(msgspec.Struct, array_like=True, frozen=True):
    """What became of the messages that came in a session, each of which has a number: 1, 2, 3 and so on.

    Args:
        upto: the messages up to this number are taken, but for those that receipts have left open.
        opened: of those since the receipt before, the ones that are not: the first number and the count, of
            range after range, in ascending order.
        settled: those that were left open before, and are taken now, in the same way.
    """

    upto: int
    opened: list[int]
    settled: list[int]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Receipt)


def read_receipt(payload: bytes) -> Receipt:
    """Return what a receipt says; ValueError if it is none."""
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
    """What one other container has sent, until it is taken.

    Of a message that has come only the id is kept, so that its memory is used again where it is taken at
    once. An id that something which waits has now may have been another message's, which was taken: that
    counts as not taken, too, until this one is.

    Args:
        waiting: knows which messages wait.
        send: sends a receipt; returns False where it cannot go now.
        names: what agents are called in batches for this container, by their full names.

    Attributes:
        arrived: the ids of the messages that have come and were not looked for yet, in their order.
        receivers: what those are called that something has come for, as far as that may wait.
        due_at: how many ids there are when `note` is to be called.
        is_wanted: whether the other end wants to be told, and tells.
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
        """Begin a session: nothing has come. `is_wanted` is whether the other end wants to be told."""
        self._waiting.forget(self)
        self.is_wanted = is_wanted
        self.arrived = array("Q")
        self.receivers: set[str] = set()
        self.due_at = 1
        self._looked = 0  # up to which number it is known what waits
        self._open: dict[int, object] = {}  # what waits, by number
        self._told = 0  # up to which number the other end has been told
        self._told_open: set[int] = set()  # what it takes to be open

    def note(self) -> None:
        """Watch what becomes of a batch that has been handed over."""
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
        """Drop what no longer waits, and tell the other end; return how much is left to tell."""
        if self._open:
            self._open = {number: each for number, each in self._open.items() if id(each) in waiting}
        arrived, self.arrived, self.due_at = self.arrived, array("Q"), 1
        if waiting and not waiting.keys().isdisjoint(arrived):
            # Where an id came again, that shows that the earlier message was gone by then.
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
