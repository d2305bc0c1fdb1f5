"""The barrier between two cycles of the containers of a local platform, as one of them sees it.

A state machine: what happens goes in, what is to be said to all others is in `notes`. There is no leader:
each says that it has ended a cycle, behind all that its agents have sent in it, and begins the next one when
all others have said so, too. So whoever begins a cycle has all messages of the one before, after one message
to each, where a leader would take two.

Where nobody had anything to do in a cycle, and nothing has been sent, no other one begins until one of them
has something to do: that begins, and the others follow when it says that it has ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

_NEVER = -1


class Note(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """What one container tells all others: that it has ended a cycle.

    Args:
        cycle: the cycle's number.
        is_busy: whether it did anything in that cycle, or has something to do.
    """

    cycle: int
    is_busy: bool


class Barrier:
    """How far one container and the others are; it begins in cycle 0, in which nothing is done."""

    def __init__(self) -> None:
        self.cycle = 0
        """The cycle that goes on, or has ended last."""
        self.is_between = False
        """Whether that has ended here."""
        self.others: frozenset[str] = frozenset()
        """The domains of those that are waited for."""
        self.notes: list[Note] = []
        """What is to be said to all others."""
        self._is_met = False
        self._last_ended: dict[str, int] = {}
        self._awake_after = _NEVER  # the last cycle after which somebody has something to do

    def meet(self, others: Iterable[str]) -> None:
        """Wait for these from now on; called once."""
        self.others = frozenset(others)
        self._is_met = True

    def ended_by(self, domain: str) -> int:
        """Return which cycle another one has ended last, for all that it has said."""
        return self._last_ended.get(domain, _NEVER)

    # -- what happens here ----------------------------------------------------------------------------------

    def end(self, *, is_busy: bool) -> None:
        """End the cycle: all its messages are under way."""
        self.is_between = True
        if is_busy:
            self._awake_after = self.cycle
        self.notes.append(Note(self.cycle, is_busy))

    def wake(self) -> None:
        """Called when there is something to do, perhaps more than once."""
        if self.is_between:
            self._awake_after = self.cycle

    @property
    def may_begin(self) -> bool:
        """Whether the next cycle is to begin here."""
        return (
            self._is_met
            and self.is_between
            and not self.late()
            and (
                self._awake_after >= self.cycle
                or any(self.ended_by(other) > self.cycle for other in self.others)
            )
        )

    def late(self) -> list[str]:
        """Return the domains of those that have not ended the cycle."""
        return sorted(other for other in self.others if self.ended_by(other) < self.cycle)

    def begin(self) -> None:
        """Begin the next cycle."""
        self.cycle += 1
        self.is_between = False

    # -- what others say, and whether they are there --------------------------------------------------------

    def receive(self, domain: str, note: Note) -> None:
        """Handle a control message."""
        if note.is_busy:
            self._awake_after = max(self._awake_after, note.cycle)
        self._last_ended[domain] = max(self.ended_by(domain), note.cycle)

    def lose(self, domain: str) -> None:
        """Wait for another container no more: it is gone."""
        self.others -= {domain}
        self._last_ended.pop(domain, None)
