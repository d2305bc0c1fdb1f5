"""The platform's white pages: its containers and agents."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, ClassVar, Final

from msgspec.structs import replace

from formicary.core.base_agent import AgentState  # noqa: TC001 -- msgspec reads the types
from formicary.core.errors import InvalidNameError, ManagementError, UsageError
from formicary.core.names import check_receiver
from formicary.management.descriptions import (
    AgentDescription,
    AgentPlace,
    ContainerDescription,
    Listing,
)
from formicary.management.requests import router as routing
from formicary.management.requests.language import Action, OfAgent, R, Result, check_where, make_request
from formicary.management.requests.place_search import PlaceSearch
from formicary.management.requests.router import Caller
from formicary.observe.collector import Seen  # noqa: TC001 -- as above
from formicary.observe.events import Filters
from formicary.observe.metrics import Figures, measure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary.management.requests.local import LocalManagement
    from formicary.management.requests.router import RequestRouter

MOST_RESULTS: Final = 100_000
"""The most agents that one search finds; in all containers, including those that its offset leaves out."""

MOST_NAMES: Final = 10_000
"""The most agents that one request locates."""

MOST_SEEN: Final = 2000
"""The most messages in one answer to a viewer."""

_PAGE: Final = 10_000  # agents of one answer: well below the largest message
_LONGEST_VIEWER: Final = 100  # characters
_LARGEST_OFFSET: Final = 1 << 53
_LONGEST_PATTERN: Final = 1300  # characters: more than any full name


class AgentsFound(Result, frozen=True):
    """The agents that were found."""

    agents: tuple[AgentDescription, ...] = ()


class Containers(Result, frozen=True):
    """The containers that were found."""

    containers: tuple[ContainerDescription, ...] = ()


class Measured(Result, frozen=True):
    """The figures of containers."""

    figures: tuple[Figures, ...] = ()


class Located(Result, frozen=True):
    """Where agents live, in the order of their names in the request."""

    places: tuple[AgentPlace, ...] = ()


class Watched(Result, frozen=True):
    """The events collected for a viewer."""

    seen: Seen | None = None


class _Everywhere(Action[R], frozen=True, kw_only=True):
    container: str | None = None

    listed: ClassVar[str] = ""  # the field of the answer

    def __post_init__(self) -> None:
        check_where(self.container)

    async def perform_everywhere(self, router: RequestRouter) -> R:
        """Ask all containers, and merge their answers."""
        parts, missing = await router.gather(
            lambda domain: router.perform(replace(self._part(), container=domain))
        )
        found = tuple(each for part in parts for each in getattr(part, self.listed))
        fields: dict[str, Any] = {self.listed: self._limited(found)}
        return self.answer(self.action(), missing=missing, **fields)  # type: ignore[return-value]  # it is R

    def _part(self) -> Action[R]:
        return self

    def _limited(self, found: tuple[Any, ...]) -> tuple[Any, ...]:
        return found


class Search(_Everywhere[AgentsFound], frozen=True, tag="search"):
    """Find agents.

    Args:
        name: a pattern, in which `*` is any number of characters and `?` is one. With an `@` it matches full
            names and those like `alice@c1`, otherwise agents' own names.
        state: their state; None for any.
        container: their container, `c1` or the full domain; None for all.
        max_results: the most agents to return, 0 to 100 000.
        offset: how many to leave out before the first.

    Raises:
        ValueError: one of these is out of range.
    """

    name: str = "*"
    state: AgentState | None = None
    max_results: int = 1000
    offset: int = 0

    answer = AgentsFound
    listed = "agents"
    is_for_all = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.name) > _LONGEST_PATTERN:
            raise ValueError(f"the name must be a pattern of at most {_LONGEST_PATTERN} characters")
        if not 0 <= self.max_results <= MOST_RESULTS:
            raise ValueError(f"max_results must be 0 to {MOST_RESULTS}, not {self.max_results}")
        if not 0 <= self.offset <= _LARGEST_OFFSET:
            raise ValueError(f"an offset must be 0 to {_LARGEST_OFFSET}, not {self.offset}")
        if self.container is None and self.offset + self.max_results > MOST_RESULTS:
            raise ValueError(
                f"a search of all containers only returns the first {MOST_RESULTS} agents; specify "
                "a container to see the others"
            )

    def perform(self, here: LocalManagement) -> AgentsFound:
        """Search this container."""
        return AgentsFound("search", agents=here.white_pages.search(self))

    def _part(self) -> Search:
        return replace(self, offset=0, max_results=self.offset + self.max_results)

    def _limited(self, found: tuple[Any, ...]) -> tuple[Any, ...]:
        return found[self.offset : self.offset + self.max_results]


class Find(OfAgent[AgentsFound], frozen=True, tag="find"):
    """Describe one agent."""

    answer = AgentsFound

    def perform(self, here: LocalManagement) -> AgentsFound:
        """Describe it, even if it sleeps."""
        pages = here.white_pages
        return AgentsFound(
            "find", agents=(pages.find_asleep(self.agent) or pages.describe_agent(here.find(self.agent)),)
        )


class Locate(_Everywhere[Located], frozen=True, kw_only=True, tag="locate"):
    """Return the containers and states of agents.

    Args:
        agents: their names, 1 to 10 000, in any form.
        container: ask only this one, which knows the agents that live there or have their home there.

    Raises:
        ValueError: a name or the container is invalid; or there are too many names, or none.
    """

    agents: tuple[str, ...]

    answer = Located

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < len(self.agents) <= MOST_NAMES:
            raise ValueError(f"one request can locate 1 to {MOST_NAMES} agents, not {len(self.agents)}")
        for name in self.agents:
            check_receiver(name)

    def perform(self, here: LocalManagement) -> Located:
        """Return the places that this container knows."""
        return Located("locate", places=here.white_pages.locate(self.agents))

    async def perform_everywhere(self, router: RequestRouter) -> Located:
        """Look for them."""

        async def ask(domain: str, agents: tuple[str, ...]) -> tuple[AgentPlace, ...]:
            return (await router.perform(Locate(agents=agents, container=domain))).places

        domains, missing = await router.containers()
        search = PlaceSearch(router.platform, domains, ask)
        await search.run(self.agents, routing.TIMEOUT, routing.PAUSES)
        places = tuple(map(search.place, self.agents))
        return Located("locate", places=places, missing=(*missing, *search.missing))


class ListContainers(_Everywhere[Containers], frozen=True, tag="list-containers"):
    """Describe the platform's containers, or one of them."""

    answer = Containers
    listed = "containers"

    def perform(self, here: LocalManagement) -> Containers:
        """Describe this container."""
        return Containers("list-containers", containers=(here.white_pages.describe(),))


class Measure(_Everywhere[Measured], frozen=True, tag="measure"):
    """Return the figures of all containers, or of one."""

    answer = Measured
    listed = "figures"

    def perform(self, here: LocalManagement) -> Measured:
        """Measure this container."""
        return Measured("measure", figures=(measure(here.container),))


class Watch(Action[Watched], frozen=True, tag="watch"):
    """Return the events of a container since a viewer's last request, and continue to collect.

    Args:
        container: `c1` or the full domain.
        viewer: a name that no other viewer has.
        most: the most messages in the next answer, 1 to 2000.
        figures: whether to collect figures, once a second.
        filters: which messages to collect.
        end: whether to stop collecting.

    Raises:
        ValueError: one of these is out of range.
    """

    container: str
    viewer: str
    most: int = 200
    figures: bool = True
    filters: Filters = Filters()
    end: bool = False

    answer = Watched

    def __post_init__(self) -> None:
        check_where(self.container)
        if not 0 < len(self.viewer) <= _LONGEST_VIEWER:
            raise ValueError(f"a viewer is named by 1 to {_LONGEST_VIEWER} characters")
        if not 1 <= self.most <= MOST_SEEN:
            raise ValueError(f"an answer has 1 to {MOST_SEEN} messages, not {self.most}")

    def perform(self, here: LocalManagement) -> Watched:
        """Return the collected events."""
        if self.end:
            here.collector.forget(self.viewer)
            return Watched("watch")
        try:
            seen = here.collector.ask(self.viewer, self.filters, self.most, with_figures=self.figures)
        except UsageError as error:
            raise ManagementError(str(error)) from error
        return Watched("watch", seen=seen)


class LookingUp(Caller):
    """A part of `Management`."""

    async def list_containers(self) -> Listing[ContainerDescription]:
        """Describe the platform's containers, by domain; `missing` has those that do not answer.

        Raises:
            ContainerClosedError: this container is not open.
        """
        result = await self.perform(ListContainers())
        return Listing.of(result.containers, result.missing)

    async def figures(self) -> Listing[Figures]:
        """Return the figures of the platform's containers; `missing` has those that do not answer.

        Raises:
            ContainerClosedError: this container is not open.
        """
        result = await self.perform(Measure())
        return Listing.of(result.figures, result.missing)

    async def watch(
        self, container: str, viewer: str, filters: Filters, most: int, *, end: bool = False
    ) -> Seen | None:
        """Return the events of a container since a viewer's last request; collect for 5 s more.

        Args:
            container: `c1` or the full domain.
            viewer: a name that no other viewer has.
            filters: which messages to collect.
            most: the most messages in the next answer, 1 to 2000.
            end: whether to stop collecting.

        Raises:
            ManagementRequestError: an argument is invalid.
            ManagementError: the container has too many viewers, or does not answer.
        """
        return (await self.perform(Watch(container, viewer, most=most, filters=filters, end=end))).seen

    async def describe(self, container: str) -> ContainerDescription:
        """Return the description of a container.

        Args:
            container: `c1` or the full domain.

        Raises:
            ManagementRequestError: the name is invalid, or outside this platform.
            ManagementError: the container does not answer.
        """
        return (await self.perform(make_request(ListContainers, container=container))).containers[0]

    async def list_agents(
        self,
        name: str = "*",
        *,
        state: AgentState | str | None = None,
        container: str | None = None,
    ) -> Listing[AgentDescription]:
        """Return all agents that match, by container and in the order in which they started there.

        More than 10 000 in one container take several requests, between which agents may start and end, so
        that one may be missed.

        Args:
            name: a pattern in which `*` is any number of characters and `?` is one; with an `@` it matches
                full names and those like `alice@c1`, otherwise agents' own names.
            state: only those in this state, such as `"active"`.
            container: only those in this container, `c1` or the full domain; None for all containers:
                `missing` then has those that do not answer.

        Raises:
            ManagementRequestError: an argument is invalid.
            ManagementError: the given container does not answer.
        """
        state = getattr(state, "value", state)
        search = make_request(Search, name=name, state=state, container=container, max_results=_PAGE)
        if container is not None:
            return Listing(await self._all_of(self._router.complete(search)))
        found, missing = await self._router.gather(
            lambda domain: self._all_of(replace(search, container=domain))
        )
        return Listing.of((agent for agents in found for agent in agents), missing)

    async def _all_of(self, search: Search) -> tuple[AgentDescription, ...]:
        """Return all that a search in one container finds, page by page."""
        found: dict[str, AgentDescription] = {}  # by name, as agents may start and end between two pages
        while True:
            page = (await self._router.perform(search)).agents
            found |= {agent.name: agent for agent in page}
            if len(page) < search.max_results:
                return tuple(found.values())
            search = replace(search, offset=search.offset + len(page))

    async def find(self, name: str) -> AgentDescription:
        """Return the description of one agent.

        Args:
            name: its name, in any form.

        Raises:
            InvalidNameError: the name is invalid.
            UnknownAgentError: there is no such agent.
            ManagementError: its container does not answer.
        """
        return (await self.perform(Find(name))).agents[0]

    async def locate(self, names: Iterable[str]) -> Listing[AgentPlace]:
        """Return the containers and states of agents, one for each name, in the same order.

        Each container is asked about all of its agents at once, and gets 5 s. If nothing is known of an
        agent, its place says why.

        Args:
            names: their names, in any form.

        Raises:
            InvalidNameError: one of them is invalid.
            ContainerClosedError: this container is not open.
            ManagementError: this is a guest, and the main container refuses.
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
