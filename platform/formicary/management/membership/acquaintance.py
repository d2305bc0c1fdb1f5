"""Waits until an opening container knows the platform, so that its agents find what is there."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from formicary.core.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.management.membership.members import Members

logger = get_logger("formicary.management")

_WITHIN: Final = 10.0  # s that the other containers have


class Acquaintance:
    """Waits for the list of containers, and for the directory entries and groups of each.

    It does not wait for containers that cannot be reached, or that are listed later.

    Args:
        members: the containers, as they are known here.
        has_told: returns whether everything from another container, by its domain, has arrived.
    """

    def __init__(self, members: Members, has_told: Callable[[str], bool]) -> None:
        self._members = members
        self._has_told = has_told
        self._awaited: set[str] | None = None  # None until the list has arrived
        self._done = asyncio.get_running_loop().create_future()

    async def wait(self) -> None:
        """Wait until everything is known; after 10 s, warn about what is missing."""
        self.look()
        await asyncio.wait([self._done], timeout=_WITHIN)
        if missing := self._missing():
            own, names = self._members.domain, ", ".join(domain.partition(".")[0] for domain in missing)
            logger.warning(
                "container %s is open but does not know the whole platform yet: the services and "
                "groups of %s did not arrive within %g s; they will be found here once they do",
                own.partition(".")[0],
                names,
                _WITHIN,
            )

    def look(self) -> None:
        """Check whether everything is known; call this when something has arrived."""
        if self._awaited is None and self._members.has_list:
            self._awaited = {*self._members.all} - {self._members.domain}
        if not self._done.done() and not self._missing():
            self._done.set_result(None)

    def ended(self, domain: str) -> None:
        """Stop waiting for a container that cannot be reached."""
        if self._awaited is not None:
            self._awaited.discard(domain)
        elif domain == self._members.leader:
            self._awaited = set()
        self.look()

    def _missing(self) -> list[str]:
        """Return the domains of the containers that it still waits for."""
        members = self._members
        if self._awaited is None:
            return [members.leader]
        return sorted(
            domain
            for domain in self._awaited & members.all.keys()
            if not (members.is_linked(domain) and self._has_told(domain))
        )
