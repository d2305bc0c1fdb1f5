"""Stand in for an agent that has moved away, and raise an error if it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Never

from formicary.core.errors import AgentStateError
from formicary.core.logs import get_logger

if TYPE_CHECKING:
    import asyncio

    from formicary.core.mailbox import Deadline
    from formicary.core.strand import Strand

logger = get_logger("formicary")

_WITHIN: Final = 10.0  # s until a strand that does not end is logged


class Tombstone:
    """Takes the place of the container of an agent that has moved, and of its behaviours' scheduler.

    Whatever the old object tries to do, such as to send or to receive, raises AgentStateError.

    Args:
        address: the full name of the agent.
        place: the full domain of the container where it continues.
    """

    def __init__(self, address: str, place: str) -> None:
        self.address = address
        self.place = place

    def error(self) -> AgentStateError:
        """Return the error for whoever still uses the old object."""
        return AgentStateError(
            f"agent {self.address} has moved to {self.place}, and this object was left behind; send "
            "to the agent by its name, and stop it with container.management.kill()"
        )

    def __getattr__(self, name: str) -> Never:
        if name.startswith("__"):  # Python asks for many
            raise AttributeError(name)
        raise self.error()

    def __repr__(self) -> str:
        return f"<where {self.address} was before it moved to {self.place}>"


class OrphanedStrand:
    """Owns the strand of a behaviour that is cancelled where its agent has left, for its `finally`, say.

    Args:
        strand: the strand.
        place: the full domain of the container where the agent continues.
        deadline: the timer of its waits, if it has one.
    """

    __slots__ = ("_deadline", "_owner", "_place", "_timer")

    def __init__(self, strand: Strand, place: str, deadline: Deadline | None) -> None:
        self._owner = strand.owner
        self._place = place
        self._deadline = deadline
        self._timer: asyncio.TimerHandle | None = None
        strand.owner = self

    def watch(self, strand: Strand) -> None:
        """Log an error if the strand, which was cancelled, does not end in time."""
        if not strand.done():
            self._timer = strand.get_loop().call_later(_WITHIN, self._still_runs)

    def give_back(self, message: Any) -> None:
        """Do nothing: all messages have been forwarded."""

    def strand_name(self) -> str:
        """Return a name for logs and debuggers."""
        return self._owner.strand_name()

    def strand_ended(self, strand: Strand) -> None:
        """Called when the strand has ended; what it failed with is only logged."""
        if self._timer is not None:
            self._timer.cancel()
        if self._deadline is not None:
            self._deadline.cancel()
        if (error := strand.failure()) is not None:
            logger.error(
                "%s, whose agent has moved to %s, failed", strand.get_name(), self._place, exc_info=error
            )

    def _still_runs(self) -> None:
        logger.error(
            "%s, whose agent has moved to %s, did not end within %g s and was abandoned",
            self.strand_name(),
            self._place,
            _WITHIN,
        )
