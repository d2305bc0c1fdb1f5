"""The barrier between two cycles of a local platform's containers, as one container sees it.

A state machine: events go in, and announcements to all others come out in `notes`. There is no leader: each
container announces the end of its cycle behind all messages its agents sent in it, and begins the next one
when all others have done so. So a container that begins a cycle has all messages of the one before, after one
message to each other container; a leader would need two.

After a cycle in which no container had anything to do or sent anything, the next one begins when a container
has work: it begins, and the others follow when it announces the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

_NEVER = -1


class Note(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """A container's announcement to all others that it has ended a cycle.

    Args:
        cycle: the cycle's number.
        is_busy: whether it did anything in that cycle, or has work left.
    """

    cycle: int
    is_busy: bool


class Barrier:
    """Tracks the cycles of one container and the others, from cycle 0, in which nothing is done."""

    def __init__(self) -> None:
        self.cycle = 0
        """The current cycle, or the last one that ended."""
        self.is_between = False
        """Whether that cycle has ended here."""
        self.others: frozenset[str] = frozenset()
        """The domains of the containers to wait for."""
        self.notes: list[Note] = []
        """Announcements for all others."""
        self._is_met = False
        self._last_ended: dict[str, int] = {}
        self._awake_after = _NEVER  # the last cycle after which a container has work

    def meet(self, others: Iterable[str]) -> None:
        """Wait for these containers from now on; called once."""
        self.others = frozenset(others)
        self._is_met = True

    def ended_by(self, domain: str) -> int:
        """Return the last cycle that another container announced as ended."""
        return self._last_ended.get(domain, _NEVER)

    # -- events here ----------------------------------------------------------------------------------------

    def end(self, *, is_busy: bool) -> None:
        """End the cycle, with all its messages sent."""
        self.is_between = True
        if is_busy:
            self._awake_after = self.cycle
        self.notes.append(Note(self.cycle, is_busy))

    def wake(self) -> None:
        """Record that there is work; may be called repeatedly."""
        if self.is_between:
            self._awake_after = self.cycle

    @property
    def may_begin(self) -> bool:
        """Whether the next cycle can begin here."""
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
        """Return the domains of containers that have not ended the cycle."""
        return sorted(other for other in self.others if self.ended_by(other) < self.cycle)

    def begin(self) -> None:
        """Begin the next cycle."""
        self.cycle += 1
        self.is_between = False

    # -- from other containers ------------------------------------------------------------------------------

    def receive(self, domain: str, note: Note) -> None:
        """Handle a control message."""
        if note.is_busy:
            self._awake_after = max(self._awake_after, note.cycle)
        self._last_ended[domain] = max(self.ended_by(domain), note.cycle)

    def lose(self, domain: str) -> None:
        """Stop waiting for a container that is gone."""
        self.others -= {domain}
        self._last_ended.pop(domain, None)
