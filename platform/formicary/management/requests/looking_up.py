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

    from formicary.management.requests.router import LocalManagement, RequestRouter

MOST_RESULTS: Final = 100_000
"""How many agents one search finds at most, those left out by its offset included if it goes everywhere."""

MOST_NAMES: Final = 10_000
"""How many agents one request locates at most."""

MOST_SEEN: Final = 2000
"""How many messages somebody who watches is told of at one time."""

_PAGE: Final = 10_000  # agents of one answer: well below the largest message
_LONGEST_VIEWER: Final = 100  # characters
_LARGEST_OFFSET: Final = 1 << 53
_LONGEST_PATTERN: Final = 1300  # characters: more than any full name


class AgentsFound(Result, frozen=True):
    """The agents that were looked for."""

    agents: tuple[AgentDescription, ...] = ()


class Containers(Result, frozen=True):
    """The containers that were asked for."""

    containers: tuple[ContainerDescription, ...] = ()


class Measured(Result, frozen=True):
    """What containers use and carry."""

    figures: tuple[Figures, ...] = ()


class Located(Result, frozen=True):
    """Where agents live, in the order in which they were named."""

    places: tuple[AgentPlace, ...] = ()


class Watched(Result, frozen=True):
    """What was collected for a viewer."""

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
        name: a pattern, in which `*` is any number of characters and `?` is one. With an `@` it is for full
            names and those like `alice@c1`, else for agents' own names.
        state: which state they are in; None for any.
        container: where they live, `c1` or the full domain; None for everywhere.
        max_results: how many are wanted at most, 0 to 100 000.
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
        """Describe it, also in its sleep."""
        pages = here.white_pages
        return AgentsFound(
            "find", agents=(pages.find_asleep(self.agent) or pages.describe_agent(here.find(self.agent)),)
        )


class Locate(_Everywhere[Located], frozen=True, kw_only=True, tag="locate"):
    """Return the containers and states of agents.

    Args:
        agents: their names, 1 to 10 000, in any form.
        container: only what this one knows: who lives there, and where agents live whose home it is.

    Raises:
        ValueError: that is no agent's name, or no container's; or there are too many names, or none.
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
        """Return what this container knows."""
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
    """Return what containers, or one of them, use and carry."""

    answer = Measured
    listed = "figures"

    def perform(self, here: LocalManagement) -> Measured:
        """Measure this container."""
        return Measured("measure", figures=(measure(here.container),))


class Watch(Action[Watched], frozen=True, tag="watch"):
    """Return the events of a container since a viewer's last request, and go on collecting.

    Args:
        container: `c1` or the full domain.
        viewer: names who asks, and nobody else.
        most: how many messages the next answer may have, 1 to 2000.
        figures: whether figures are wanted, once a second.
        filters: which messages are wanted.
        end: whether no more is wanted.

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
        """Return what was collected."""
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
            ContainerClosedError: the own container is not open.
        """
        result = await self.perform(ListContainers())
        return Listing.of(result.containers, result.missing)

    async def figures(self) -> Listing[Figures]:
        """Return what the platform's containers use and carry; `missing` has those that do not answer.

        Raises:
            ContainerClosedError: the own container is not open.
        """
        result = await self.perform(Measure())
        return Listing.of(result.figures, result.missing)

    async def watch(
        self, container: str, viewer: str, filters: Filters, most: int, *, end: bool = False
    ) -> Seen | None:
        """Return the events of a container since a viewer's last request; collect for 5 s more.

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
        return (await self.perform(Watch(container, viewer, most=most, filters=filters, end=end))).seen

    async def describe(self, container: str) -> ContainerDescription:
        """Return the description of a container.

        Args:
            container: `c1` or the full domain.

        Raises:
            ManagementRequestError: that is no container's name, or none of this platform.
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
        search = make_request(Search, name=name, state=state, container=container, max_results=_PAGE)
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
        return (await self.perform(Find(name))).agents[0]

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
