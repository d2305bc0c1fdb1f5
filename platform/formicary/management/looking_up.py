"""The platform's white pages, from any of its containers, in Python: what can be learnt of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from formicary.core.errors import InvalidNameError
from formicary.management.descriptions import Listing
from formicary.management.requests.actions import MOST_NAMES, Find, Locate, Search, Watch
from formicary.management.requests.language import make_request

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary.core.base_agent import AgentState
    from formicary.management.descriptions import AgentDescription, AgentPlace, ContainerDescription
    from formicary.management.requests.actions import Request
    from formicary.management.requests.language import Result
    from formicary.management.requests.router import RequestRouter
    from formicary.observe.collector import Seen
    from formicary.observe.events import Filters
    from formicary.observe.metrics import Figures

_PAGE: Final = 10_000  # agents of one answer: well below the largest message


class LookingUp:
    """What can be learnt of the platform's containers and agents; a part of `Management`.

    What concerns the own container is learnt without a message.

    Args:
        router: has done what is asked.
    """

    def __init__(self, router: RequestRouter) -> None:
        self._router = router

    async def list_containers(self) -> Listing[ContainerDescription]:
        """Return what the platform's containers are like, by domain; `missing` has those that do not answer.

        Raises:
            ContainerClosedError: the own container is not open.
        """
        result = await self._router.perform(make_request("list-containers"))
        return Listing.of(result.containers, result.missing)

    async def figures(self) -> Listing[Figures]:
        """Return what the platform's containers use and carry; `missing` has those that do not answer.

        Raises:
            ContainerClosedError: the own container is not open.
        """
        result = await self._router.perform(make_request("measure"))
        return Listing.of(result.figures, result.missing)

    async def watch(
        self, container: str, viewer: str, filters: Filters, most: int, *, end: bool = False
    ) -> Seen | None:
        """Return what was seen in a container since a viewer has last asked; it is collected for 5 s more.

        Args:
            container: `c1` or the full domain.
            viewer: names who asks, and nobody else.
            filters: which messages are wanted.
            most: how many messages the next answer may have, 1 to 2000.
            end: whether no more is wanted.

        Raises:
            ManagementRequestError: that cannot be asked.
            ManagementError: too many watch the container, or it does not answer.
        """
        request = Watch(container, viewer, most=most, filters=filters, end=end)
        return (await self._request(request)).seen

    async def describe(self, container: str) -> ContainerDescription:
        """Return what one container of the platform is like.

        Args:
            container: `c1` or the full domain.

        Raises:
            ManagementRequestError: that is no container's name, or none of this platform.
            ManagementError: the container does not answer.
        """
        request = make_request("list-containers", container=container)
        return (await self._request(request)).containers[0]

    async def list_agents(
        self,
        name: str = "*",
        *,
        state: AgentState | str | None = None,
        container: str | None = None,
    ) -> Listing[AgentDescription]:
        """Return all agents that match: by container, and there in the order in which they started.

        More than 10 000 of one container are asked for in several steps. Agents may start and end between
        two of them, so that one is missed.

        Args:
            name: a pattern in which `*` is any number of characters and `?` is one; with an `@` it is for
                full names and those like `alice@c1`, else for agents' own names.
            state: only those in this state, such as `"active"`.
            container: only those who live there, `c1` or the full domain; None for everywhere: `missing`
                then has the containers that do not answer.

        Raises:
            ManagementRequestError: that cannot be searched for.
            ManagementError: the container that is named does not answer.
        """
        state = getattr(state, "value", state)
        search = make_request("search", name=name, state=state, container=container, max_results=_PAGE)
        assert isinstance(search, Search)
        if container is not None:
            return Listing(await self._all_of(self._router.complete(search)))
        found, missing = await self._router.gather(
            lambda domain: self._all_of(replace(search, container=domain))
        )
        return Listing.of((agent for agents in found for agent in agents), missing)

    async def _all_of(self, search: Search) -> tuple[AgentDescription, ...]:
        """Return all that a search in one container finds, page by page."""
        found: dict[str, AgentDescription] = {}  # by name: between two pages agents may start and end
        while True:
            page = (await self._router.perform(search)).agents
            found |= {agent.name: agent for agent in page}
            if len(page) < search.max_results:
                return tuple(found.values())
            search = replace(search, offset=search.offset + len(page))

    async def find(self, name: str) -> AgentDescription:
        """Return what is known of one agent.

        Args:
            name: its name, in any form.

        Raises:
            InvalidNameError: that is no name.
            UnknownAgentError: there is no such agent.
            ManagementError: its container does not answer.
        """
        return (await self._request(Find(name))).agents[0]

    async def locate(self, names: Iterable[str]) -> Listing[AgentPlace]:
        """Return where agents live and in which state they are, one for each name, in the same order.

        Each container is asked about all of its agents at once, and for 5 s at most. Of agents of which
        nothing could be learnt, what is returned says why.

        Args:
            names: their names, in any form.

        Raises:
            InvalidNameError: one of them is no name.
            ContainerClosedError: the own container is not open.
            ManagementError: this is a guest, and the platform's container answers that it does not do it.
        """
        if isinstance(names, str):
            raise InvalidNameError(f"several names must be a list, as in [{names!r}]")
        wanted = tuple(names)
        different = tuple(dict.fromkeys(wanted))
        parts = [different[start : start + MOST_NAMES] for start in range(0, len(different), MOST_NAMES)]
        requests = [self._router.complete(Locate(agents=part)) for part in parts]
        results = await asyncio.gather(*map(self._router.perform, requests))
        places = {place.name: place for result in results for place in result.places}
        full = dict(zip(different, (name for each in requests for name in each.agents), strict=True))
        missing = {each.domain: each for result in results for each in result.missing}
        return Listing.of((places[full[name]] for name in wanted), tuple(missing.values()))

    async def _request(self, request: Request) -> Result:
        return await self._router.perform(self._router.complete(request))
