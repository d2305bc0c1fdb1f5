"""Mistakes planted into the platform, which the simulation must find."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from formicary.directory.replicated.directory import ReplicatedDirectory
from formicary.mobility.forwarding.table import LocationTable
from formicary.transport.link.arrivals import Arrivals
from formicary.transport.link.failing import Failures
from formicary.transport.link.session import Session

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


def acknowledge_without_delivering() -> AbstractContextManager[Any]:
    """Lose one of fifty batches that were acknowledged."""
    count, hand_over = itertools.count(1), Arrivals.hand_over

    def lose(self: Arrivals, batch: Any) -> None:
        if next(count) % 50:
            hand_over(self, batch)

    return patch.object(Arrivals, "hand_over", lose)


def take_again_after_a_change_of_path() -> AbstractContextManager[Any]:
    """Forget, when the path changes, that the latest frame was taken."""
    use_path = Session.use_path

    def forget(self: Session, now: float, *, there_is_one: bool = True) -> None:
        self.receiving.received = max(0, self.receiving.received - 1)
        use_path(self, now, there_is_one=there_is_one)

    return patch.object(Session, "use_path", forget)


def forget_a_failure() -> AbstractContextManager[Any]:
    """Report no failure for every fifth undeliverable message."""
    count, undeliverable = itertools.count(1), Failures.undeliverable

    def forget(self: Failures, *letter: Any) -> None:
        if next(count) % 5:
            undeliverable(self, *letter)

    return patch.object(Failures, "undeliverable", forget)


def keep_the_entries_of_the_dead() -> AbstractContextManager[Any]:
    """Keep directory entries of containers that are no longer members."""
    return patch.object(ReplicatedDirectory, "lost", lambda *_: None)


def go_on_with_the_old_after_a_restart() -> AbstractContextManager[Any]:
    """Keep the numbers of the last session when the other end is new."""
    opens = Session._open

    def keep(self: Session, *details: Any) -> None:
        received = self.receiving.received
        opens(self, *details)
        self.receiving.received = received

    return patch.object(Session, "_open", keep)


def leave_unread_messages_behind() -> AbstractContextManager[Any]:
    """Do not forward unread messages to an agent that has moved."""
    left = LocationTable.left
    return patch.object(LocationTable, "left", lambda self, address, place, _: left(self, address, place, ()))


QUICK = (
    acknowledge_without_delivering,
    take_again_after_a_change_of_path,
    forget_a_failure,
    leave_unread_messages_behind,
)
"""Those that a few seeds find."""

BUGS = (
    acknowledge_without_delivering,
    take_again_after_a_change_of_path,
    forget_a_failure,
    keep_the_entries_of_the_dead,
    go_on_with_the_old_after_a_restart,
    leave_unread_messages_behind,
)
