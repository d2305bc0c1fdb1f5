"""The directory for guests of the platform, which asks the platform's container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary.core.errors import DirectoryError
from formicary.core.names import MANAGEMENT
from formicary.directory.central.client import CentralDirectory
from formicary.directory.language import ENQUIRIES, Search

if TYPE_CHECKING:
    from formicary.container.container import Container
    from formicary.directory.model.description import ServiceDescription
    from formicary.directory.model.query import Query
    from formicary.fipa.management_agent import ManagementAgent


class DirectoryProxy(CentralDirectory):
    """A `Backend` that only searches and watches."""

    def __init__(self, container: Container, agent: ManagementAgent) -> None:
        super().__init__(container, agent)
        self._address = f"{MANAGEMENT}@{container.main_domain}"
        self._ontology = ENQUIRIES

    async def put(self, agent: str, service: ServiceDescription, *, is_new: bool) -> None:
        """Refuse: guests cannot register services."""
        del service, is_new
        raise self._no(agent)

    async def remove(self, agent: str, name: str | None) -> None:
        """Refuse: guests cannot register services."""
        del name
        raise self._no(agent)

    def _no(self, agent: str) -> DirectoryError:
        return DirectoryError(
            f"{agent} lives in a guest of the platform, and guests cannot register services; start "
            "it in one of the platform's containers"
        )

    async def search(self, query: Query) -> tuple[ServiceDescription, ...]:
        """Return the matches of a query, with as many requests as that takes."""
        found: list[ServiceDescription] = []
        while len(found) < query.max_results:
            left = query.max_results - len(found)
            result = await self.ask(
                Search(replace(query, max_results=left, offset=query.offset + len(found)))
            )
            found += result.services
            if not (result.more and result.services):
                break
        return tuple(found)
