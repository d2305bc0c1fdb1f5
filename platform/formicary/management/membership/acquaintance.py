"""That a container which opens gets to know the platform first: what runs there then finds what is there."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from formicary.core.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.management.membership.members import Members

logger = get_logger("formicary.management")

_WITHIN: Final = 10.0  # s that the others get


class Acquaintance:
    """Waits for the list of containers, and for what each of those that are on it tells.

    A container that cannot be reached is not waited for, nor is one that is listed later.

    Args:
        members: the containers, as they are known here.
        has_told: tells whether all is here that another container, by its domain, has to tell.
    """

    def __init__(self, members: Members, has_told: Callable[[str], bool]) -> None:
        self._members = members
        self._has_told = has_told
        self._awaited: set[str] | None = None  # as long as the list is not there
        self._done = asyncio.get_running_loop().create_future()

    async def wait(self) -> None:
        """Wait until all is known, or for so long that it is said what is not."""
        self.look()
        await asyncio.wait([self._done], timeout=_WITHIN)
        if missing := self._missing():
            own, names = self._members.domain, ", ".join(domain.partition(".")[0] for domain in missing)
            logger.warning(
                "container %s is open, and does not know all of the platform yet: within %g s not all has "
                "come from %s, whose services and groups are found here when it has",
                own.partition(".")[0],
                _WITHIN,
                names,
            )

    def look(self) -> None:
        """See whether all is known; to be called when something has come."""
        if self._awaited is None and self._members.has_list:
            self._awaited = {*self._members.all} - {self._members.domain}
        if not self._done.done() and not self._missing():
            self._done.set_result(None)

    def ended(self, domain: str) -> None:
        """Wait no longer for a container that cannot be reached."""
        if self._awaited is not None:
            self._awaited.discard(domain)
        elif domain == self._members.leader:
            self._awaited = set()
        self.look()

    def _missing(self) -> list[str]:
        """Return the domains of the containers that are waited for."""
        members = self._members
        if self._awaited is None:
            return [members.leader]
        return sorted(
            domain
            for domain in self._awaited & members.all.keys()
            if not (members.is_linked(domain) and self._has_told(domain))
        )
