"""Performs requests in the container that they concern, or in all containers."""

from __future__ import annotations

import asyncio
from copy import copy
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec.structs import force_setattr

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
from formicary.management.requests.language import OfAgent, decode_error, decode_result, encode
from formicary.management.requests.local import LocalManagement
from formicary.management.requests.place_search import not_answered

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from formicary.container.container import Container
    from formicary.fipa.management_agent import ManagementAgent
    from formicary.management.requests.language import Action, R

T = TypeVar("T")
A = TypeVar("A", bound="Action[Any]")

TIMEOUT: Final = 5.0
"""Seconds for each container to answer when all are asked."""

PAUSES: Final = (0.01, 0.1, 0.5, 1.0)
"""Seconds between searches for an agent that is not where it should be."""


class UnansweredError(ManagementError):
    """Another container is gone, or has not answered in time."""


class RequestRouter:
    """Performs requests here, or sends them to other containers.

    Args:
        container: the container.
        agent: its management agent, which sends requests to others.
    """

    def __init__(self, container: Container, agent: ManagementAgent) -> None:
        self._container = container
        self._agent = agent
        self._local = LocalManagement(container)
        self.platform = container.platform
        """The platform's domain."""
        self._home = container.domain
        """The domain of the container for requests that name none."""

    # -- the container that it concerns ---------------------------------------------------------------------

    def complete(self, request: A) -> A:
        """Return a request with the full names of the agents or the container that it concerns.

        Raises:
            UnknownAgentError: it concerns one agent, which is outside the platform.
            ManagementRequestError: the container is outside the platform.
        """
        changed: dict[str, object] = {}
        if isinstance(request, OfAgent):
            changed["agent"] = self.full_name(request.agent)
        elif (agents := getattr(request, "agents", None)) is not None:
            changed["agents"] = tuple(map(self._complete, agents))
        where = getattr(request, "container", None) or (self._home if request.is_placed else None)
        if where is not None:
            changed["container"] = self._full_domain(where)
        completed = copy(request)
        for field, value in changed.items():
            force_setattr(completed, field, value)  # complete names need no further check
        return completed

    def full_name(self, agent: str) -> str:
        """Return the full form of an agent's name; UnknownAgentError if it is outside the platform."""
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

    def takes_time(self, request: Action[Any]) -> bool:
        """Return whether a completed request takes so long that it is answered with `agree` first.

        Raises:
            ManagementError: the request is already known to fail.
        """
        if self._is_here(request):
            request.check(self._container)
            return request.takes_time
        return True

    def _is_here(self, request: Action[Any]) -> bool:
        """Return whether a completed request concerns this container, or an agent that is in it."""
        own = self._container
        if not isinstance(request, OfAgent):
            return bool(getattr(request, "container", None) == own.domain)
        return request.agent in own.dispatcher.agents or (
            _home_of(request) == own.domain and own.dispatcher.domain_of(request.agent) is None
        )

    # -- performing -----------------------------------------------------------------------------------------

    async def perform(self, request: Action[R], sender: str = "") -> R:
        """Perform a completed request here, or send it to the container that it concerns, or to all.

        Requests about an agent are performed where it is, which its home knows.

        Args:
            request: the request.
            sender: the full name of the sender, if it came in a message.

        Raises:
            ManagementError: it is not possible, or the other container does not answer.
            NameTakenError: an agent of the name lives there.
            ContainerClosedError: this container is not open.
        """
        if self._is_here(request):
            return await self._perform_here(request)
        if not isinstance(request, OfAgent):
            if (domain := getattr(request, "container", None)) is not None:
                return await self._pass_on(request, domain)
            return await request.perform_everywhere(self)
        home = _home_of(request)
        if home == self._container.domain:
            return await self._perform_away(request)
        if sender == f"{MANAGEMENT}@{home}":  # which believes the agent to be here, and would ask again
            return await self._perform_here(request)
        return await self._pass_on(request, home)

    async def _perform_here(self, request: Action[R]) -> R:
        result = request.perform(self._local)
        return await result if isawaitable(result) else result

    async def _perform_away(self, request: OfAgent[R]) -> R:
        """Perform a request about an agent with this home that is elsewhere, even if it moves meanwhile."""
        for pause in (*PAUSES, None):
            place = self._container.dispatcher.domain_of(request.agent)
            if place is None:
                break
            try:
                return await self._pass_on(request, place)
            except UnknownAgentError:  # it has moved on, has ended, or has not started there yet
                if pause is None:
                    raise
                await asyncio.sleep(pause)
        return await self._perform_here(request)

    async def _pass_on(self, request: Action[R], domain: str) -> R:
        message = self._agent.make_request(f"{MANAGEMENT}@{domain}", encode(request), ONTOLOGY)
        timeout: float = getattr(request, "timeout", ANSWERS_WITHIN)
        try:
            answer = await self._agent.ask(message, timeout)
        except NoAnswerError as error:
            raise UnansweredError(not_answered(domain, timeout) + request.unanswered()) from error
        except (UndeliveredError, LinkError) as error:
            raise UnansweredError(str(error)) from error
        except FormicaryError as error:
            raise ManagementError(str(error)) from error
        if answer.performative != "inform":
            raise decode_error(answer.body)
        result: R = decode_result(answer.body, request.answer)  # type: ignore[assignment]
        return result

    async def gather(
        self, ask: Callable[[str], Coroutine[Any, Any, T]]
    ) -> tuple[list[T], tuple[Missing, ...]]:
        """Ask all containers; return their answers by domain, and those that did not answer within 5 s.

        Args:
            ask: asks the container of a domain.

        Raises:
            ContainerClosedError: this container is not open.
        """
        domains, missing = await self.containers()
        answers = await asyncio.gather(*(within_time(ask, domain) for domain in sorted(domains, key=natural)))
        found = [answer for answer in answers if not isinstance(answer, Missing)]
        return found, (*missing, *(answer for answer in answers if isinstance(answer, Missing)))

    async def containers(self) -> tuple[set[str], tuple[Missing, ...]]:
        """Return the domains of the platform's containers, and those known not to answer."""
        return {self._container.domain, *self._container.members}, ()


async def within_time(
    ask: Callable[[str], Coroutine[Any, Any, T]],
    domain: str,
    more: float = 0.0,
    *,
    missing: type[FormicaryError] = FormicaryError,
) -> T | Missing:
    """Return a container's answer, or the reason why there is none.

    Args:
        ask: asks the container of a domain.
        domain: the domain.
        more: seconds to wait in addition to the usual 5 s.
        missing: the errors that mean that there is no answer; others are raised.
    """
    seconds = TIMEOUT + more
    try:
        async with asyncio.timeout(seconds):
            return await ask(domain)
    except TimeoutError:
        return Missing(domain, not_answered(domain, seconds))
    except missing as error:
        return Missing(domain, str(error))


def _home_of(request: OfAgent[Any]) -> str:
    return request.agent.partition("@")[2]


class Caller:
    """A part of `Management`: requests that concern this container are performed without a message."""

    def __init__(self, router: RequestRouter) -> None:
        self._router = router

    async def perform(self, action: Action[R]) -> R:
        """Perform an action in the right container, and return its answer; errors as of its own method."""
        return await self._router.perform(self._router.complete(action))


def call(kind: type[OfAgent[Any]]) -> Callable[[Any, str], Coroutine[Any, Any, None]]:
    """Return the method of `Management` for an action that only names an agent, and returns nothing."""

    async def method(self: Caller, name: str) -> None:
        await self.perform(kind(name))

    method.__name__, method.__doc__ = kind.action(), (kind.__doc__ or "").replace("agent: ", "name: ")
    return method
