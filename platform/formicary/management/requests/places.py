"""Agents' places: to move them to another container, or copy them there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.core.base_agent import ANSWERS_WITHIN
from formicary.core.errors import AgentStateError, ManagementError, MoveError
from formicary.core.names import check_local, check_receiver
from formicary.core.times import check_duration
from formicary.management.requests.language import OfAgent, Result, check_seconds, check_where, make_request
from formicary.management.requests.router import Caller

if TYPE_CHECKING:
    from formicary.management.requests.local import LocalManagement


class _Placed(OfAgent[Result], frozen=True, kw_only=True):
    container: str | None = None
    timeout: float = ANSWERS_WITHIN

    takes_time = True
    is_placed = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_where(self.container)
        check_seconds(self.timeout)

    async def perform(self, here: LocalManagement) -> Result:
        """Do it, where the agent is awake."""
        agent = here.find(self.agent, asleep=MoveError)
        mobility, to = here.services.mobility, self.container
        assert to is not None  # as it is completed
        try:
            if isinstance(self, Clone):
                await mobility.clone(agent, to, self.name, self.timeout)
                return Result("clone", f"{self.name}@{to}")
            await mobility.move(agent, to)
        except AgentStateError as error:
            raise ManagementError(str(error)) from error
        return Result("move", self.agent)


class Move(_Placed, frozen=True, kw_only=True, tag="move"):
    """Move an agent to another container.

    Args:
        agent: its name, in any form.
        container: where it shall go on, `c1` or the full domain; None for the container that is asked.
        timeout: for how many seconds each container that has to ask another one waits for that.

    Raises:
        ValueError: that is no agent's name, no container's, or no time.
    """

    def unanswered(self) -> str:
        """Return what to add where it was not answered in time."""
        return f"; agent {self.agent} may still move: check where it is before you try again, or wait longer"


class Clone(_Placed, frozen=True, kw_only=True, tag="clone"):
    """Start a copy of an agent, under another name.

    Args:
        agent: the name of the one that is copied, in any form.
        name: the copy's own name.
        container: where it shall live, `c1` or the full domain; None for the container that is asked.
        timeout: as of `Move`.

    Raises:
        ValueError: that is no agent's name, no container's, or no time.
    """

    name: str

    def __post_init__(self) -> None:
        super().__post_init__()
        check_local(self.name)

    def unanswered(self) -> str:
        """Return what to add where it was not answered in time."""
        return f"; agent {self.name} may still start: check before you try again"


class Places(Caller):
    """A part of `Management`."""

    async def move(self, name: str, to: str, *, timeout: float = ANSWERS_WITHIN) -> None:
        """Move an agent to another container; do nothing if it is there already.

        If cancelled, or if its container does not answer in time, it may have moved or not.

        Args:
            name: its name, in any form.
            to: the destination, `c1` or the full domain.
            timeout: seconds to wait for the agent, including its `before_move`, if it is in another
                container.

        Raises:
            InvalidNameError: the name is invalid.
            ManagementRequestError: there is no such container.
            UsageError: the timeout is invalid.
            UnknownAgentError: there is no such agent.
            UnauthorisedError: it is a container's own.
            MoveError: it does not move, and continues or sleeps where it is; or it has ended on its way, as
                of `BaseAgent.move`.
            ManagementError: its container does not answer, and it may still move.
        """
        check_duration(timeout, "timeout=")
        await self.perform(make_request(Move, agent=check_receiver(name), container=to, timeout=timeout))

    async def retract(self, name: str, *, timeout: float = ANSWERS_WITHIN) -> None:
        """Move an agent to this container; arguments and errors as of `move`.

        In a guest, to which no agent can move, it moves to the main container.
        """
        check_duration(timeout, "timeout=")
        await self.perform(make_request(Move, agent=check_receiver(name), timeout=timeout))

    async def clone(self, name: str, to: str, new_name: str, *, timeout: float = ANSWERS_WITHIN) -> str:
        """Start a copy of an agent in a container, and return its full name.

        If cancelled, or if a container does not answer in time, the copy may start or not.

        Args:
            name: the name of the agent to copy, in any form.
            to: the container for the copy, `c1` or the full domain.
            new_name: the copy's own name.
            timeout: seconds to wait for each of the two containers, including the copy's `after_clone`.

        Raises:
            MoveError: there is no copy; or, if the sentence says so, the other container has not answered in
                time, and the copy may still start.
            FormicaryError: others are as of `move`.
        """
        check_duration(timeout, "timeout=")
        request = make_request(
            Clone, agent=check_receiver(name), container=to, name=new_name, timeout=timeout
        )
        result = await self.perform(request)
        assert result.agent is not None
        return result.agent
