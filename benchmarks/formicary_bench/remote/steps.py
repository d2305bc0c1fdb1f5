"""What is shown of work on several hosts while it goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable


class Steps(Protocol):
    """Shows how far the work on each host is."""

    def begin(self, hosts: Iterable[str]) -> None:
        """Called with the names of all hosts, before anything is done."""

    def at(self, host: str, what: str) -> None:
        """Called when something new is done on a host."""

    def done(self, host: str, what: str = "done") -> None:
        """Called when nothing more is done on a host."""
