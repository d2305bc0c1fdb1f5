"""Actions on agents' lives: suspend, resume, kill, deactivate and activate."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from formicary.core.agent import Agent
from formicary.core.errors import AgentStateError, ManagementError, StoreError
from formicary.core.importing import describe_error
from formicary.core.logs import get_logger
from formicary.core.names import check_receiver
from formicary.core.quoting import shorten
from formicary.core.times import check_limit
from formicary.management.requests.language import Command, OfAgent, Option, Result, make_request
from formicary.management.requests.router import Caller, call

if TYPE_CHECKING:
    from formicary.core.micro import MicroAgent
    from formicary.management.requests.local import LocalManagement

logger = get_logger("formicary.management")

_STOPS_WITHIN: Final = 15.0  # s: enough, except for a `stop` of the agent's own


class Suspend(OfAgent[Result], frozen=True, tag="suspend"):
    """Stop an agent's behaviours until it is resumed; messages wait meanwhile.

    Args:
        agent: its name, in any form.

    Raises:
        InvalidNameError: the name is invalid.
        UnknownAgentError: there is no such agent.
        UnauthorisedError: it is a container's own.
        ManagementError: it is not active, or a micro-agent, or sleeps, or its container does not answer.
    """

    command = Command(
        "suspended",
        """Suspend agents; their messages wait until they are resumed.

        Micro-agents cannot be suspended. The exit code is 1 if any agent cannot be
        suspended; the others are.
        """,
        ("suspend printer", "suspend printer@c2 --join c1"),
    )

    def perform(self, here: LocalManagement) -> Result:
        """Suspend it."""
        return _suspend_or_resume(self, here, "suspend")


class Resume(OfAgent[Result], frozen=True, tag="resume"):
    """Resume a suspended agent; arguments and errors as of `suspend`."""

    command = Command(
        "resumed",
        """Resume suspended agents.

        The exit code is 1 if any agent cannot be resumed; the others are.
        """,
        ("resume printer", "resume printer@c2 --json"),
    )

    def perform(self, here: LocalManagement) -> Result:
        """Resume it."""
        return _suspend_or_resume(self, here, "resume")


def _suspend_or_resume(request: Suspend | Resume, here: LocalManagement, do: str) -> Result:
    agent = here.find(request.agent)
    if not isinstance(agent, Agent):
        raise ManagementError(
            f"{request.agent} is a micro-agent, and micro-agents cannot {do}; it can only be killed"
        )
    try:
        getattr(agent, do)()
    except AgentStateError as error:
        raise ManagementError(str(error)) from error
    except Exception as error:
        raise ManagementError(f"agent {agent.name} does not {do}: {describe_error(error)}") from error
    return Result(do, request.agent)


class Kill(OfAgent[Result], frozen=True, tag="kill"):
    """End an agent, and return when it is gone; one of its own behaviours only begins that.

    One that does not end within 10 seconds (15 with a `stop()` of its own) is abandoned, and counts as gone.
    If cancelled, it may be gone or not. Arguments and errors are as of `suspend`.
    """

    takes_time = True
    command = Command(
        "killed",
        """Stop agents, as if they called stop().

        An agent that does not end within 10 seconds is abandoned, and counts as gone.
        The exit code is 1 if any agent cannot be killed; the others are.
        """,
        ("kill printer", "kill printer-1@c2 printer-2@c2"),
    )

    async def perform(self, here: LocalManagement) -> Result:
        """End it, even if it sleeps."""
        name, services = self.agent, here.services
        if name in here.container.lifecycle.arriving:
            await services.mobility.kill(name)
            return Result("kill", name)
        try:
            if here.container.dispatcher.sleepers is None or not await services.sleeping.kill(name):
                await _kill(here.find(name))
        except StoreError as error:
            raise ManagementError(f"{name} is asleep and cannot be killed: {error}") from error
        return Result("kill", name)


async def _kill(agent: Agent | MicroAgent) -> None:
    """End an agent, even if its `stop` fails or hangs."""
    try:
        async with asyncio.timeout(_STOPS_WITHIN):
            await agent.stop()
    except TimeoutError:
        logger.error("agent %s did not stop within %g s and was abandoned", agent.name, _STOPS_WITHIN)  # noqa: TRY400
        agent.end_at_once()
    except Exception:
        logger.exception("stop of agent %s failed; it was abandoned", agent.name)
        agent.end_at_once()


class Deactivate(OfAgent[Result], frozen=True, tag="deactivate"):
    """Put an agent to sleep in its container's file.

    Args:
        agent: its name, in any form.
        until: for how many seconds, or until which time with its zone (`"2026-01-02T03:04:05Z"`), unless a
            message wakes it earlier; or `"message"`.

    Raises:
        ValueError: the name or the time is invalid.
    """

    until: float | str

    command = Command(
        "deactivated",
        """Save agents to a file, where they sleep until a message wakes them.

        An agent must be in its home container, and have only data that a move could
        carry. One with unread messages does not fall asleep. The exit code is 1 if
        any agent cannot sleep; it continues, and the others sleep.
        """,
        ("deactivate printer", "deactivate printer@c2 --for 3600"),
        {"until": Option("--for", "SECONDS", "Also wake them after this many seconds.", "message")},
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _is_wake_time(self.until):
            raise ValueError(
                "an agent sleeps for a number of seconds, until a time with a time zone such as "
                f"2026-01-02T03:04:05Z, or until 'message', not {shorten(self.until)}"
            )

    async def perform(self, here: LocalManagement) -> Result:
        """Deactivate it."""
        until: Any = self.until
        limit = datetime.fromisoformat(until) if isinstance(until, str) and until != "message" else until
        try:
            await here.services.sleeping.deactivate(
                here.find(self.agent), None if limit == "message" else limit
            )
        except AgentStateError as error:
            raise ManagementError(str(error)) from error
        return Result("deactivate", self.agent)


def _is_wake_time(until: object) -> bool:
    if not isinstance(until, str):
        return isinstance(until, int | float) and not isinstance(until, bool) and 0 <= until < float("inf")
    try:
        return until == "message" or datetime.fromisoformat(until).tzinfo is not None
    except ValueError:
        return False


class Activate(OfAgent[Result], frozen=True, tag="activate"):
    """Wake an agent that sleeps, and return when it has woken; arguments as of `suspend`.

    Raises:
        UnknownAgentError: no agent of this name sleeps.
        MoveError: it cannot be woken.
    """

    command = Command(
        "activated",
        """Wake sleeping agents.

        The exit code is 1 if any agent is not asleep or cannot be woken; the others
        are.
        """,
        ("activate printer", "activate printer@c2 --json"),
    )

    async def perform(self, here: LocalManagement) -> Result:
        """Wake it."""
        await here.services.sleeping.activate(self.agent)
        return Result("activate", self.agent)


class Lives(Caller):
    """A part of `Management`."""

    suspend = call(Suspend)
    resume = call(Resume)
    kill = call(Kill)
    activate = call(Activate)

    async def deactivate(
        self, name: str, timeout: float | None = None, *, deadline: datetime | None = None
    ) -> None:
        """Save an agent to its container's file, where it sleeps.

        Args:
            name: its name, in any form.
            timeout: seconds to sleep, unless a message wakes it earlier; None for any time.
            deadline: until when, instead.

        Raises:
            UsageError: the timeout or the deadline is invalid.
            MoveError: it cannot sleep, and continues.
            FormicaryError: others are as of `suspend`.
        """
        limit = check_limit(timeout, deadline)
        if isinstance(limit, datetime):
            until: object = limit.astimezone().isoformat()
        else:
            until = "message" if limit is None else max(0, limit)
        await self.perform(make_request(Deactivate, agent=check_receiver(name), until=until))
