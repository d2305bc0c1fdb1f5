"""The platform's white pages and life-cycle requests, from any of its containers, in Python."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from formicary.core.base_agent import ANSWERS_WITHIN
from formicary.core.errors import InvalidNameError, ManagementRequestError
from formicary.core.names import check_receiver
from formicary.core.quoting import shorten
from formicary.core.times import check_duration, check_limit
from formicary.management.creations import create_all
from formicary.management.looking_up import LookingUp
from formicary.management.requests.actions import (
    MOST_NAMES,
    CreateMany,
    Kill,
    Resume,
    Suspend,
)
from formicary.management.requests.language import make_request

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary.core.agent import Agent
    from formicary.core.micro import MicroAgent
    from formicary.management.creations import Creations
    from formicary.management.requests.actions import Request


class Management(LookingUp):
    """The white pages of the platform, and what can be done with its agents: `container.management`.

    What concerns the own container is done without a message.

    Args:
        router: does what is asked.
    """

    # -- agents' lives --------------------------------------------------------------------------------------

    async def suspend(self, name: str) -> None:
        """Stop an agent's behaviours until it is resumed; messages wait meanwhile.

        Args:
            name: its name, in any form.

        Raises:
            InvalidNameError: that is no name.
            UnknownAgentError: there is no such agent.
            UnauthorisedError: it is a container's own.
            ManagementError: it is not active, or a micro-agent, or sleeps, or its container does not answer.
        """
        await self._request(Suspend(name))

    async def resume(self, name: str) -> None:
        """Resume a suspended agent; arguments and errors as of `suspend`."""
        await self._request(Resume(name))

    async def kill(self, name: str) -> None:
        """End an agent, and return when it is gone; one of its own behaviours only begins that.

        An agent that does not end is left behind after at most 15 seconds. Cancelled, it may be gone or not.

        Args:
            name: its name, in any form.

        Raises:
            InvalidNameError: that is no name.
            UnknownAgentError: there is no such agent.
            UnauthorisedError: it is a container's own.
            ManagementError: its container does not answer.
        """
        await self._request(Kill(name))

    async def deactivate(
        self, name: str, timeout: float | None = None, *, deadline: datetime | None = None
    ) -> None:
        """Save an agent to its container's file, where it sleeps.

        Args:
            name: its name, in any form.
            timeout: how many seconds to sleep, unless a message comes before; None until one comes.
            deadline: until when, instead.

        Raises:
            UsageError: the time-out or the deadline is no time.
            MoveError: it cannot sleep, and goes on.
            FormicaryError: others are as of `suspend`.
        """
        limit = check_limit(timeout, deadline)
        if isinstance(limit, datetime):
            until: object = limit.astimezone().isoformat()
        else:
            until = "message" if limit is None else max(0, limit)
        await self._request(make_request("deactivate", agent=check_receiver(name), until=until))

    async def activate(self, name: str) -> None:
        """Wake an agent that sleeps, and return when it has woken.

        Args:
            name: its name, in any form.

        Raises:
            UnknownAgentError: there is no such agent that sleeps.
            MoveError: it cannot be woken.
            FormicaryError: others are as of `suspend`.
        """
        await self._request(make_request("activate", agent=check_receiver(name)))

    # -- agents' places -------------------------------------------------------------------------------------

    async def move(self, name: str, to: str, *, timeout: float = ANSWERS_WITHIN) -> None:
        """Move an agent to another container; do nothing if it is there already.

        Cancelled, or where its container does not answer in time, it may have moved or not.

        Args:
            name: its name, in any form.
            to: where it shall go on, `c1` or the full domain.
            timeout: for how many seconds another container that has the agent is waited for; one whose
                `before_move` takes long needs more.

        Raises:
            InvalidNameError: that is no name.
            ManagementRequestError: that is no container of this platform.
            UsageError: that is no time.
            UnknownAgentError: there is no such agent.
            UnauthorisedError: it is a container's own.
            MoveError: it does not move, and goes on where it is, or sleeps there; or it has ended on its way,
                as of `BaseAgent.move`.
            ManagementError: its container does not answer, and it may move yet.
        """
        check_duration(timeout, "timeout=")
        await self._request(make_request("move", agent=check_receiver(name), container=to, timeout=timeout))

    async def retract(self, name: str, *, timeout: float = ANSWERS_WITHIN) -> None:
        """Have an agent come to this container; arguments and errors as of `move`.

        To a guest nobody can come: there it is the platform's container that is meant.
        """
        check_duration(timeout, "timeout=")
        await self._request(make_request("move", agent=check_receiver(name), timeout=timeout))

    async def clone(self, name: str, to: str, new_name: str, *, timeout: float = ANSWERS_WITHIN) -> str:
        """Have a copy of an agent begin in a container, and return its full name.

        Cancelled, or where a container does not answer in time, the copy may begin or not.

        Args:
            name: the name of the one that is copied, in any form.
            to: where the copy shall live, `c1` or the full domain.
            new_name: the copy's own name.
            timeout: for how many seconds each of the two containers is waited for; an `after_clone` that
                takes long needs more.

        Raises:
            MoveError: there is no copy; or the other container has not answered in time, and the copy may
                begin yet: the sentence says so.
            FormicaryError: others are as of `move`.
        """
        check_duration(timeout, "timeout=")
        request = make_request(
            "clone", agent=check_receiver(name), container=to, name=new_name, timeout=timeout
        )
        result = await self._request(request)
        assert result.agent is not None
        return result.agent

    # -- making agents --------------------------------------------------------------------------------------

    async def create(
        self,
        cls: str | type[Agent | MicroAgent],
        name: str,
        *,
        container: str | None = None,
        arguments: Mapping[str, Any] | None = None,
    ) -> str:
        """Have an agent made and started, and return its full name when its `setup` is done.

        Cancelled, or where the other container does not answer in time, the agent may come to life or not.

        Args:
            cls: its class, at the top level of a module that the container can import and allows, or
                `"package.module:Class"`.
            name: the agent's own name.
            container: where it shall live, `c1` or the full domain; None for here.
            arguments: keyword arguments for the class, beside the name: what JSON can say.

        Raises:
            UnauthorisedError: the container does not allow agents of that module.
            ManagementRequestError: there is no such class, or it does not take these arguments.
            NameTakenError: an agent of that name lives there.
            ManagementError: its setup failed, or the container does not answer.
        """
        result = await self._request(_creation("create", cls, container, arguments, name=name))
        assert result.agent is not None
        return result.agent

    async def create_many(
        self,
        cls: str | type[Agent | MicroAgent],
        names: Iterable[str],
        *,
        container: str | None = None,
        arguments: Mapping[str, Any] | None = None,
    ) -> Creations:
        """Have many agents of one class made and started, one after the other, and return their full names.

        One request goes to the container for every 10 000 of them. Those that cannot be made are in
        `failed` of what is returned, and the others are made all the same. What is wrong with all of them is
        raised, and none is made. Cancelled, agents of the request that is under way may come to life or not.

        Args:
            cls: as of `create`.
            names: the agents' own names.
            container: as of `create`.
            arguments: keyword arguments for the class, the same for all agents: what JSON can say.

        Raises:
            UnauthorisedError: the container does not allow agents of that module.
            ManagementRequestError: there is no such class, it does not take these arguments, or a name is
                none, or there twice.
            InvalidNameError: the names are one text.
            ManagementError: the container does not answer the first request; the names of a later one that it
                does not answer are in `failed`.
        """
        if isinstance(names, str):  # whose letters would be names
            raise InvalidNameError(f"several names must be a list, as in [{names!r}]")
        wanted = tuple(names)
        requests: list[CreateMany] = []
        # All of them first, so that a mistake in the last is found before an agent is made.
        for start in range(0, len(wanted), MOST_NAMES):
            part = wanted[start : start + MOST_NAMES]
            request = self._router.complete(_creation("create-many", cls, container, arguments, names=part))
            assert isinstance(request, CreateMany)
            requests.append(request)
        return await create_all(self._router, requests)


def _creation(
    action: str,
    cls: str | type[Agent | MicroAgent],
    container: str | None,
    arguments: Mapping[str, Any] | None,
    **names: Any,
) -> Request:
    """Return a request for one agent or many, made as any: what others would not take is not taken here."""
    class_name = cls if isinstance(cls, str) else f"{cls.__module__}:{cls.__qualname__}"
    if arguments is not None and not isinstance(arguments, Mapping):
        takes = f"{class_name.rpartition(':')[2]} takes its arguments by name"
        raise ManagementRequestError(f"{takes}, such as {{'limit': 3}}, not {shorten(arguments)}")
    given = None if arguments is None else dict(arguments)
    return make_request(action, **{"class": class_name}, container=container, arguments=given, **names)
