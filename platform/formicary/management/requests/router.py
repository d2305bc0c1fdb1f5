"""Where requests are performed: in the container that they concern, or in all of them."""

from __future__ import annotations

import asyncio
from copy import copy
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

from msgspec.structs import force_setattr, replace

from formicary.core.base_agent import ANSWERS_WITHIN
from formicary.core.errors import (
    FormicaryError,
    LinkError,
    ManagementError,
    ManagementRequestError,
    NoAnswerError,
    UndeliveredError,
    UnknownAgentError,
)
from formicary.core.names import MANAGEMENT, complete, is_container_of, natural
from formicary.fipa.language import ONTOLOGY
from formicary.management.descriptions import Missing
from formicary.management.requests.actions import (
    Clone,
    Create,
    CreateMany,
    Kill,
    ListContainers,
    Locate,
    Measure,
    Move,
    OfAgent,
    Search,
)
from formicary.management.requests.language import Result, decode_error, decode_result, encode
from formicary.management.requests.local import LocalManagement
from formicary.management.requests.place_search import PlaceSearch, not_answered

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from formicary.container.container import Container
    from formicary.fipa.management_agent import ManagementAgent
    from formicary.management.descriptions import AgentPlace
    from formicary.management.requests.actions import Request, RequestOfAgent

T = TypeVar("T")

_TIMEOUT_FOR_EACH: Final = 5.0  # s that each gets when all are
_PLACED: Final = (Create, CreateMany, Move, Clone)  # which concern this container where none is named
_PAUSES: Final = (0.01, 0.1, 0.5, 1.0)  # s between looks for an agent that is not where it should be


class UnansweredError(ManagementError):
    """Another container was asked, and is not there, or has not answered in time."""


class RequestRouter:
    """Has requests performed, by this container or by others, which it asks.

    Args:
        container: the container.
        agent: its management agent, which asks others.
        place_of: gives the domain of the container where an agent of this home lives; None if that is here.
    """

    def __init__(
        self, container: Container, agent: ManagementAgent, place_of: Callable[[str], str | None]
    ) -> None:
        self._container = container
        self._agent = agent
        self._place_of = place_of
        self._local = LocalManagement(container)
        self._home = container.domain
        """The domain of the container that is meant where none is named."""

    # -- whose it is ----------------------------------------------------------------------------------------

    @overload
    def complete(self, request: Search) -> Search: ...
    @overload
    def complete(self, request: Locate) -> Locate: ...
    @overload
    def complete(self, request: Request) -> Request: ...
    def complete(self, request: Request) -> Request:
        """Return a request with the full names of the agents or the container that it concerns.

        Raises:
            UnknownAgentError: the one agent that it concerns is outside the platform.
            ManagementRequestError: the container is.
        """
        changed: dict[str, object] = {}
        if isinstance(request, Locate):
            changed["agents"] = tuple(map(self._complete, request.agents))
        if isinstance(request, OfAgent) and (name := self.full_name(request.agent)) != request.agent:
            changed["agent"] = name
        if isinstance(request, _PLACED) or not isinstance(request, OfAgent):
            where = request.container
            if where is None and isinstance(request, _PLACED):
                where = self._home
            if where is not None and (domain := self._full_domain(where)) != request.container:
                changed["container"] = domain
        if not changed:
            return request
        completed = copy(request)
        for field, value in changed.items():
            force_setattr(completed, field, value)  # what is complete need not be looked at again
        return completed

    def full_name(self, agent: str) -> str:
        """Return the full form of an agent's name.

        Raises:
            UnknownAgentError: it is outside the platform.
        """
        name = self._complete(agent)
        if not is_container_of(name.partition("@")[2], self._container.platform):
            raise UnknownAgentError(f"{agent} is not an agent of the platform {self._container.platform}")
        return name

    def _complete(self, agent: str) -> str:
        return complete(agent, self._home, self._container.platform).partition("/")[0]

    def _full_domain(self, container: str) -> str:
        label, dot, platform = container.partition(".")
        if dot and platform != self._container.platform:
            raise ManagementRequestError(
                f"{container} is not a container of the platform {self._container.platform}"
            )
        return f"{label}.{self._container.platform}"

    def takes_time(self, request: Request) -> bool:
        """Tell whether a completed request is worth an `agree`.

        Raises:
            ManagementError: it is known already that the request fails.
        """
        if self._is_here(request):
            self._local.check(request)
            return isinstance(request, Kill | Create | CreateMany | Move | Clone)
        return True

    def _is_here(self, request: Request) -> bool:
        """Tell whether a completed request concerns this container, or an agent that is in it."""
        own = self._container
        if not isinstance(request, OfAgent):
            return request.container == own.domain
        agents = own.dispatcher.agents
        return request.agent in agents or (
            _home_of(request) == own.domain and self._place_of(request.agent) is None
        )

    # -- doing it -------------------------------------------------------------------------------------------

    async def perform(self, request: Request, sender: str = "") -> Result:
        """Do what a completed request says, here, or by asking the container that it concerns, or all.

        What concerns an agent is done where it is; its home knows where that is.

        Args:
            request: the request.
            sender: the full name of who asks by a message.

        Raises:
            ManagementError: it is not possible, or the other container does not answer.
            NameTakenError: an agent of the name lives there.
            ContainerClosedError: the own container is not open.
        """
        if self._is_here(request):
            return await self._local.perform(request)
        if not isinstance(request, OfAgent):
            if request.container is not None:
                return await self._pass_on(request, request.container)
            assert isinstance(request, Search | Locate | ListContainers | Measure)
            return await self._perform_everywhere(request)
        home = _home_of(request)
        if home == self._container.domain:
            return await self._perform_away(request)
        if sender == f"{MANAGEMENT}@{home}":  # who takes the agent to be here: it would ask here again
            return await self._local.perform(request)
        return await self._pass_on(request, home)

    async def _perform_away(self, request: RequestOfAgent) -> Result:
        """Have done what concerns an agent of this home that is elsewhere, wherever it moves meanwhile."""
        for pause in (*_PAUSES, None):
            place = self._place_of(request.agent)
            if place is None:
                break
            try:
                return await self._pass_on(request, place)
            except UnknownAgentError:  # it has moved on, has ended, or has not begun there yet
                if pause is None:
                    raise
                await asyncio.sleep(pause)
        return await self._local.perform(request)

    async def _pass_on(self, request: Request, domain: str) -> Result:
        message = self._agent.make_request(f"{MANAGEMENT}@{domain}", encode(request), ONTOLOGY)
        timeout = request.timeout if isinstance(request, (Move, Clone)) else ANSWERS_WITHIN
        try:
            answer = await self._agent.ask(message, timeout)
        except NoAnswerError as error:
            raise UnansweredError(not_answered(domain, timeout) + _what_may_be(request)) from error
        except (UndeliveredError, LinkError) as error:
            raise UnansweredError(str(error)) from error
        except FormicaryError as error:
            raise ManagementError(str(error)) from error
        if answer.performative != "inform":
            raise decode_error(answer.body)
        return decode_result(answer.body)

    async def _perform_everywhere(self, request: Search | Locate | ListContainers | Measure) -> Result:
        if isinstance(request, Locate):
            return await self._locate(request)
        part, start, end = request, 0, None
        if isinstance(request, Search):
            start, end = request.offset, request.offset + request.max_results
            part = replace(request, offset=0, max_results=end)
        results, missing = await self.gather(lambda domain: self.perform(replace(part, container=domain)))
        return Result(
            str(type(request).__struct_config__.tag),
            agents=tuple(agent for result in results for agent in result.agents)[start:end],
            containers=tuple(each for result in results for each in result.containers),
            figures=tuple(each for result in results for each in result.figures),
            missing=missing,
        )

    async def _locate(self, request: Locate) -> Result:
        domains, missing = await self._containers()
        search = PlaceSearch(self._container.platform, domains, self._known_in)
        await search.run(request.agents, _TIMEOUT_FOR_EACH, _PAUSES)
        places = tuple(map(search.place, request.agents))
        return Result("locate", places=places, missing=(*missing, *search.missing))

    async def _known_in(self, domain: str, agents: tuple[str, ...]) -> tuple[AgentPlace, ...]:
        return (await self.perform(Locate(agents=agents, container=domain))).places

    async def gather(
        self, ask: Callable[[str], Coroutine[Any, Any, T]]
    ) -> tuple[list[T], tuple[Missing, ...]]:
        """Ask all containers at once; return their answers, by domain, and who did not answer within 5 s.

        Args:
            ask: asks the container of a domain.

        Raises:
            ContainerClosedError: the own container is not open.
        """
        domains, missing = await self._containers()
        answers = await asyncio.gather(*(within_time(ask, domain) for domain in sorted(domains, key=natural)))
        found = [answer for answer in answers if not isinstance(answer, Missing)]
        return found, (*missing, *(answer for answer in answers if isinstance(answer, Missing)))

    async def _containers(self) -> tuple[set[str], tuple[Missing, ...]]:
        """Return the domains of the platform's containers, and those that are known not to answer."""
        return {self._container.domain, *self._container.members}, ()


async def within_time(
    ask: Callable[[str], Coroutine[Any, Any, T]],
    domain: str,
    more: float = 0.0,
    *,
    missing: type[FormicaryError] = FormicaryError,
) -> T | Missing:
    """Return what a container answers, or why there is no answer.

    Args:
        ask: asks the container of a domain.
        domain: the domain.
        more: seconds that it gets in addition to the 5 s of each container.
        missing: what says that there is no answer; other errors are raised.
    """
    seconds = _TIMEOUT_FOR_EACH + more
    try:
        async with asyncio.timeout(seconds):
            return await ask(domain)
    except TimeoutError:
        return Missing(domain, not_answered(domain, seconds))
    except missing as error:
        return Missing(domain, str(error))


def _what_may_be(request: Request) -> str:
    """Return what there is to say of a request that was not answered in time."""
    if isinstance(request, Clone):
        return f"; agent {request.name} may still start: check before you try again"
    if not isinstance(request, Move):
        return ""
    return f"; agent {request.agent} may still move: check where it is before you try again, or wait longer"


def _home_of(request: OfAgent) -> str:
    return request.agent.partition("@")[2]
