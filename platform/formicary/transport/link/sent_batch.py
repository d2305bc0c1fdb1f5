"""A batch that was sent, for as long as it may still fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from formicary.transport.link.frames import decode, from_entry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary.transport.link.outbox import Letter
    from formicary.transport.link.wire_names import Names


class SentBatch:
    """The messages of a batch that was sent, as the bytes that went out; a sequence of letters.

    Until its receivers have taken it, a thousand others follow. As objects they would be ten times as large,
    and what is made meanwhile would lie in memory that the processor's caches do not hold. So they are made
    again from the bytes where they fail, which is rare.

    Args:
        data: the batch.
        count: how many messages it holds.
        receivers: the names of the other container.
        senders: the names of this one.
    """

    __slots__ = ("_count", "_data", "_receivers", "_senders")

    def __init__(self, data: bytes, count: int, receivers: Names, senders: Names) -> None:
        self._data = data
        self._count = count
        self._receivers = receivers
        self._senders = senders

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Letter]:
        return iter(self.letters())

    @overload
    def __getitem__(self, index: int) -> Letter: ...
    @overload
    def __getitem__(self, index: slice) -> list[Letter]: ...
    def __getitem__(self, index: int | slice) -> Letter | list[Letter]:
        return self.letters()[index]

    def letters(self) -> list[Letter]:
        """Return the messages, each with its receiver."""
        return [from_entry(entry, self._receivers, self._senders) for entry in decode(self._data)]
