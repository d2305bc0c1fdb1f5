"""What one container does with its own agents when it is asked to."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from formicary.core.agent import Agent
from formicary.core.answer import Answer
from formicary.core.errors import (
    AgentStateError,
    ContainerClosedError,
    ManagementError,
    MoveError,
    NameTakenError,
    StoreError,
    UnauthorisedError,
    UnknownAgentError,
    UsageError,
)
from formicary.core.importing import describe_error
from formicary.core.logs import get_logger
from formicary.core.scheduler import GREEDY
from formicary.management.requests.actions import (
    Activate,
    Clone,
    Create,
    CreateMany,
    Deactivate,
    Find,
    Kill,
    ListContainers,
    Locate,
    Measure,
    Move,
    Resume,
    Search,
    Suspend,
    Watch,
)
from formicary.management.requests.creation import AgentFactory, check_allowed
from formicary.management.requests.language import Result, describe_not_created
from formicary.management.requests.white_pages import WhitePages
from formicary.observe.metrics import measure

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from formicary.container.container import Container
    from formicary.core.micro import MicroAgent
    from formicary.management.requests.actions import Request
    from formicary.observe.collector import Collector

logger = get_logger("formicary.management")

_STOPS_WITHIN: Final = 15.0  # s: an agent takes less, unless somebody has written another `stop`
_CREATES_FOR: Final = 10.0  # s after which a request for many agents is answered; who asks waits for longer


class LocalManagement:
    """Performs the requests that concern this container only.

    Args:
        container: the container.
    """

    def __init__(self, container: Container) -> None:
        self._container = container
        self._white_pages = WhitePages(container)
        self._collector: Collector | None = None  # made for the first who watches
        self._perform: dict[type[Request], Callable[[Any], Result | Awaitable[Result]]] = {
            Search: self._look_up,
            Locate: self._look_up,
            ListContainers: self._look_up,
            Find: self._look_up,
            Measure: self._observe,
            Watch: self._observe,
            Create: self._create,
            CreateMany: self._create_many,
            Kill: self._end,
            Deactivate: self._sleep_or_wake,
            Activate: self._sleep_or_wake,
            Suspend: self._suspend_or_resume,
            Resume: self._suspend_or_resume,
            Move: self._move_or_clone,
            Clone: self._move_or_clone,
        }

    def check(self, request: Request) -> None:
        """Check what can be checked at once, before the request is agreed to.

        Raises:
            ManagementError: it is known already that the request fails.
        """
        if isinstance(request, Create | CreateMany):
            check_allowed(request.class_name, self._container.creatable)

    async def perform(self, request: Request) -> Result:
        """Do what is asked of this container; names of agents are full ones.

        Raises:
            ManagementError: it is not possible.
            NameTakenError: an agent of that name lives here.
            ContainerClosedError: the container stops.
        """
        result = self._perform[type(request)](request)
        return result if isinstance(result, Result) else await result

    def _look_up(self, request: Search | Locate | ListContainers | Find) -> Result:
        pages = self._white_pages
        match request:
            case Search():
                return Result("search", agents=pages.search(request))
            case Locate():
                return Result("locate", places=pages.locate(request.agents))
            case ListContainers():
                return Result("list-containers", containers=(pages.describe(),))
        found = pages.find_asleep(request.agent) or pages.describe_agent(self._find(request.agent))
        return Result("find", agents=(found,))

    def _observe(self, request: Measure | Watch) -> Result:
        if isinstance(request, Measure):
            return Result("measure", figures=(measure(self._container),))
        if self._collector is None:
            from formicary.observe.collector import Collector

            self._collector = Collector(self._container)
        if request.end:
            self._collector.forget(request.viewer)
            return Result("watch")
        try:
            seen = self._collector.ask(
                request.viewer, request.filters, request.most, with_figures=request.figures
            )
        except UsageError as error:
            raise ManagementError(str(error)) from error
        return Result("watch", seen=seen)

    def _suspend_or_resume(self, request: Suspend | Resume) -> Result:
        agent = self._find(request.agent)
        is_resumed = isinstance(request, Resume)
        done = "resume" if is_resumed else "suspend"
        if not isinstance(agent, Agent):
            raise ManagementError(
                f"{request.agent} is a micro-agent, and micro-agents cannot {done}; it can only be killed"
            )
        try:
            agent.resume() if is_resumed else agent.suspend()
        except AgentStateError as error:
            raise ManagementError(str(error)) from error
        except Exception as error:
            raise ManagementError(f"agent {agent.name} does not {done}: {describe_error(error)}") from error
        return Result(done, agent=request.agent)

    async def _sleep_or_wake(self, request: Deactivate | Activate) -> Result:
        sleeping = self._container.platform_services.sleeping
        if isinstance(request, Activate):
            await sleeping.activate(request.agent)
            return Result("activate", agent=request.agent)
        until: Any = request.until
        limit = datetime.fromisoformat(until) if isinstance(until, str) and until != "message" else until
        try:
            await sleeping.deactivate(self._find(request.agent), None if limit == "message" else limit)
        except AgentStateError as error:
            raise ManagementError(str(error)) from error
        return Result("deactivate", agent=request.agent)

    async def _end(self, request: Kill) -> Result:
        """End an agent, perhaps in its sleep."""
        name, services = request.agent, self._container.platform_services
        if name in self._container.lifecycle.arriving:
            await services.mobility.kill(name)
            return Result("kill", agent=name)
        try:
            if self._container.dispatcher.sleepers is None or not await services.sleeping.kill(name):
                await _kill(self._find(name))
        except StoreError as error:
            raise ManagementError(f"{name} is asleep and cannot be killed: {error}") from error
        return Result("kill", agent=name)

    async def _move_or_clone(self, request: Move | Clone) -> Result:
        agent = self._find(request.agent, asleep=MoveError)
        mobility, to = self._container.platform_services.mobility, request.container
        assert to is not None  # as it is completed
        try:
            if isinstance(request, Clone):
                await mobility.clone(agent, to, request.name, request.timeout)
                return Result("clone", agent=f"{request.name}@{to}")
            await mobility.move(agent, to)
        except AgentStateError as error:
            raise ManagementError(str(error)) from error
        return Result("move", agent=request.agent)

    def _find(self, name: str, asleep: type[ManagementError] = ManagementError) -> Agent | MicroAgent:
        """Return an agent that is here and awake.

        Args:
            name: its full name.
            asleep: what is raised where it sleeps: it is there, so it is not unknown.
        """
        container = self._container
        agent = container.dispatcher.agents.get(name) or container.lifecycle.arriving.get(name)
        if agent is not None:
            return agent
        if self._is_asleep(name):
            raise asleep(f"agent {name} is asleep; wake it first, with a message or with `activate`")
        if name in container.dispatcher.system_agents:
            raise UnauthorisedError(
                f"{name} is the container's own agent, and stays as long as the container runs"
            )
        if name.partition("@")[2] != container.domain:
            raise UnknownAgentError(f"agent {name} is not in container {container.name}")
        raise UnknownAgentError(container.dispatcher.why_unknown(name))

    def _is_asleep(self, name: str) -> bool:
        """Tell whether an agent sleeps here, or is about to wake."""
        if self._container.dispatcher.sleepers is None:
            return False
        sleeping = self._container.platform_services.sleeping
        return sleeping.is_asleep(name) or sleeping.wakes(name)

    async def _create(self, request: Create) -> Result:
        factory = AgentFactory(request.class_name, request.arguments, self._container.creatable)
        return Result("create", agent=await self._start(factory, request.name))

    async def _create_many(self, request: CreateMany) -> Result:
        """Make one agent after the other, with turns for others, until all are made or the time is over."""
        factory = AgentFactory(request.class_name, request.arguments, self._container.creatable)
        factory.check(request.names[0])  # what is wrong with all of them is said once
        time = self._container.scheduler.time
        until = time() + _CREATES_FOR
        failed = []
        for tried, name in enumerate(request.names, 1):
            try:
                await self._start(factory, name)
            except (NameTakenError, ManagementError) as error:
                failed.append(describe_not_created(f"{name}@{self._container.domain}", error))
            if time() > until:
                break
            if tried % GREEDY == 0:
                await _turn_of_loop()
        return Result("create-many", tried=tried, failed=tuple(failed))

    async def _start(self, factory: AgentFactory, name: str) -> str:
        agent = factory.make(name)
        try:
            await self._container.lifecycle.start(agent)  # its `sys.exit()` is no reason for all to end
        except (NameTakenError, ContainerClosedError):
            raise
        except (Exception, SystemExit) as error:
            raise ManagementError(f"setup of agent {name} failed: {describe_error(error)}") from error
        return f"{name}@{self._container.domain}"


async def _turn_of_loop() -> None:
    """Let sockets and timers have their turn; after `asyncio.sleep(0)`, a strand goes on in the same one."""
    loop = asyncio.get_running_loop()
    turn = Answer(loop=loop)
    loop.call_soon(_settle, turn)
    await turn


def _settle(turn: Answer) -> None:
    if not turn.done():
        turn.settle(None)


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
