"""Starts and ends the agents of a container."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from formicary.core.agent import Agent
from formicary.core.base_agent import AgentState
from formicary.core.definitions import check_agent
from formicary.core.errors import (
    AgentStateError,
    ContainerClosedError,
    FormicaryError,
    NameTakenError,
    UsageError,
)
from formicary.core.failures import FailureLog
from formicary.core.logs import get_logger
from formicary.core.micro import MicroAgent
from formicary.core.scheduler import GREEDY
from formicary.core.strand import PROGRAM_EXITS
from formicary.core.tracebacks import as_raised, raised_at

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from formicary.container.container import Container
    from formicary.core.base_agent import BaseAgent
    from formicary.core.behaviour import Behaviour
    from formicary.core.failures import FailureRecord
    from formicary.core.strand import Strand

logger = get_logger("formicary")

_NO_FAILURES = (asyncio.CancelledError, *PROGRAM_EXITS)
_MISTAKES = (UsageError, ValueError, TypeError, NotImplementedError)
# As names of this module: to ask the class for each costs as much as a call, and this is done for each agent.
_INITIATED, _GONE = AgentState.INITIATED, AgentState.GONE
_IS_DONE = asyncio.Future.done
_STOP_TIMEOUT = 10.0  # seconds that an agent's behaviours get to end


class Lifecycle:
    """Starts the agents of a container, and cleans up when they or their behaviours end.

    Args:
        container: the container.
        mailbox_limit: how many messages a behaviour's mailbox holds.
    """

    def __init__(self, container: Container, mailbox_limit: int) -> None:
        self._container = container
        self._dispatcher = container.dispatcher
        self._at_domain = f"@{container.domain}"
        self.mailbox_limit = mailbox_limit
        self.on_gone: Callable[[str], None] | None = None
        """Called with the full name of each agent that is gone."""
        self.on_not_away: Callable[[str], None] | None = None
        """Called with the full name of each agent of this home that was away and is so no more."""
        self.failure_log = FailureLog()
        self.arriving: dict[str, Agent | MicroAgent] = {}
        """Agents by full name that have come from another container, and whose `after_move` runs."""
        self._reserved: set[str] = set()  # full names: in their `setup`, and the container's own
        self._emptied: asyncio.Future[None] | None = None  # made for the first who joins
        self._ended_in_a_row = 0  # agents, without a turn of the loop for the others

    # -- beginning ------------------------------------------------------------------------------------------

    async def start(self, agent: Agent | MicroAgent) -> None:
        """Bring an agent to life; errors as of `Container.start`."""
        container, dispatcher = self._container, self._dispatcher
        kind = type(agent)
        if getattr(kind, "_checked_agent", None) is not kind:
            check_agent(agent)
        scheduler = dispatcher.scheduler
        if scheduler is None or dispatcher.is_closing:
            raise container.not_open_error()
        if scheduler.loop is not asyncio.get_running_loop():
            raise container.other_loop_error()
        # Not by its properties, which take longer.
        if agent._address is not None or agent._state is not _INITIATED:  # noqa: SLF001
            raise AgentStateError(f"agent {agent.name} has already been started; create a new one")
        address = agent._name + self._at_domain  # noqa: SLF001
        if (
            address in dispatcher.agents
            or address in self._reserved
            or dispatcher.held
            or dispatcher.forwarders
            or dispatcher.sleepers is not None
        ):
            self.check_free(address)
        agent.enter_container(container, address)
        if isinstance(agent, Agent) and type(agent).setup is not Agent.setup:
            self._reserved.add(address)
            try:
                if not await self.set_up(agent, agent.setup):
                    return
            finally:
                self._reserved.discard(address)
            if dispatcher.is_closing:
                agent.become_gone()
                raise ContainerClosedError(
                    f"container {container.name} was closed while {agent.name} was starting"
                )
        self.begin(agent, address)

    def begin(self, agent: Agent | MicroAgent, address: str) -> None:
        """Start an agent that is in the container; from now on it is one of the `agents`."""
        dispatcher = self._dispatcher
        dispatcher.agents[address] = agent
        assert dispatcher.scheduler is not None  # the container is open
        agent.become_active(dispatcher.scheduler, self.mailbox_limit)
        if agent.responders:
            _ = agent.conversations
        if dispatcher.is_observed:
            dispatcher.tell_all("agent_started", agent)

    def check_free(self, address: str, *, is_new: bool = True) -> None:
        """Check that no agent has a full name.

        Args:
            address: the full name.
            is_new: whether it is for a new agent, which cannot have the name of one that lives elsewhere.

        Raises:
            NameTakenError: an agent of that name lives or sleeps here, is about to start, or lives elsewhere.
        """
        dispatcher, name = self._dispatcher, address.partition("@")[0]
        here = f"in container {self._container.name}"
        if address in dispatcher.agents or self.is_starting(address):
            raise NameTakenError(f"an agent named {name!r} already lives {here}; choose another name")
        if dispatcher.sleepers is not None and dispatcher.sleepers.is_asleep(address):
            raise NameTakenError(
                f"agent {name!r} is asleep {here}; choose another name, or wake or kill that agent"
            )
        if is_new and (domain := dispatcher.domain_of(address)) is not None:
            raise NameTakenError(
                f"agent {address} now lives in container {domain.partition('.')[0]}; choose another name"
            )

    def is_starting(self, address: str) -> bool:
        """Return whether an agent of a full name is being set up here, or is about to come."""
        return address in self._reserved or address in self._dispatcher.held

    def add_system_agent(self, agent: MicroAgent) -> None:
        """Start a micro-agent that works for the container itself: it is not among the `agents`."""
        address = f"{agent.name}@{self._container.domain}"
        agent.enter_container(self._container, address)
        self._dispatcher.system_agents[address] = agent
        self._reserved.add(address)
        agent.become_active(self._container.scheduler.services, self.mailbox_limit)

    async def set_up(
        self, agent: Agent | MicroAgent, hook: Callable[[], Awaitable[None]], part: str = "setup"
    ) -> bool:
        """Run what prepares an agent; return False if that has stopped it.

        Args:
            agent: the agent.
            hook: its `setup`, or what takes the place of that where it arrives.
            part: the hook's name.

        Raises:
            Exception: what it raised; the agent is then gone.
        """
        try:
            await hook()
        except BaseException as caught:
            error = _unless_cancelled(caught, agent, part)
            if not self.is_failure(error):
                logger.info("%s of agent %s ended as its container closes: %s", part, agent.name, error)
            elif isinstance(error, FormicaryError):  # which says all in one sentence
                logger.error("%s of agent %s failed: %s", part, agent.name, error)  # noqa: TRY400
            elif not isinstance(error, _NO_FAILURES):
                logger.exception("%s of agent %s failed", part, agent.name, exc_info=as_raised(error))
            if not isinstance(error, _NO_FAILURES):
                agent.record_failure(part, error)
                self.failure_log.told(error)
            agent.become_gone()
            if error is caught:
                raise
            raise error from caught
        return agent.state is not _GONE

    def start_behaviour(self, behaviour: Behaviour) -> None:
        """Start a behaviour of an agent that has started."""
        behaviour.start_strand(self._container.scheduler, self.mailbox_limit)
        if behaviour.agent.state is not AgentState.ACTIVE and behaviour.mailbox.strand is not None:
            behaviour.mailbox.strand.hold()

    # -- the end --------------------------------------------------------------------------------------------

    def behaviour_ended(self, behaviour: Behaviour, error: BaseException | None) -> None:
        """Called when a behaviour has ended, and with what exception if with one."""
        if error is not None:
            self._log(f"{behaviour} ended with an exception", error)
        if self._dispatcher.is_observed:
            self._dispatcher.tell_all("behaviour_ended", behaviour, error)

    def handle_failed(self, agent: MicroAgent, error: BaseException) -> None:
        """Called when the `handle` of a micro-agent has raised an exception."""
        self._log(f"handle() of agent {agent.name} raised an exception", error)
        agent.record_failure("handle", error)

    def _log(self, what: str, error: BaseException) -> None:
        if self.is_failure(error):
            logger.error("%s", what, exc_info=as_raised(error))
        else:
            logger.info("%s, as its container closes: %s", what, error)

    def is_failure(self, error: BaseException) -> bool:
        """Return whether an error is a failure: not if it only says that the container closes.

        Agents end one after the other, so those that are left may be told of others that they have ended.
        """
        is_closing = self._dispatcher.is_closing and isinstance(error, FormicaryError)
        return not is_closing or isinstance(error, _MISTAKES)

    def agent_failed(self, failure: FailureRecord, error: BaseException) -> None:
        """Called when an agent, or a part of it, has failed."""
        self.failure_log.add(failure, error)

    def failure_told(self, error: BaseException) -> None:
        """Called when somebody gets the exception that an agent has failed with."""
        self.failure_log.told(error)

    async def wait_for_end(self, strands: Sequence[Strand]) -> None:
        """Wait until an agent's strands have ended; what does not end in time is left behind."""
        # Most end at once, and need neither a timer nor a turn of the loop for each agent.
        self._container.scheduler.run_inside()
        self._ended_in_a_row += 1
        if self._ended_in_a_row >= GREEDY:
            self._ended_in_a_row = 0
            await asyncio.sleep(0)
        if all(map(_IS_DONE, strands)):
            return
        _, pending = await asyncio.wait(strands, timeout=_STOP_TIMEOUT)
        for strand in pending:
            logger.error("%s did not end within %g s and was abandoned", strand.get_name(), _STOP_TIMEOUT)
            strand.cancel()

    def agent_gone(self, agent: BaseAgent) -> None:
        """Called when an agent is gone."""
        dispatcher, address = self._dispatcher, agent.address
        if self.on_gone is not None and address is not None:
            self.on_gone(address)
        if dispatcher.conversations is not None and address is not None:
            dispatcher.conversations.agent_gone(address)
        if dispatcher.held and address is not None:
            dispatcher.fail_held(address, f"agent {agent.name} ended before it received the message")
        if dispatcher.agents.get(address) is agent:
            self._take_out(agent)
            if isinstance(agent, MicroAgent):
                dispatcher.withdraw(None if dispatcher.is_closing else agent)
            if dispatcher.is_observed:
                dispatcher.tell_all("agent_stopped", agent)

    def agent_left(self, agent: Agent | MicroAgent, destination: str) -> None:
        """Remove an agent that continues in another container; for mobility."""
        self._take_out(agent)
        if self._dispatcher.conversations is not None:
            self._dispatcher.conversations.agent_left(str(agent.address))
        if self._dispatcher.is_observed:
            self._dispatcher.tell_all("agent_moved", agent, destination)

    def _take_out(self, agent: BaseAgent) -> None:
        dispatcher = self._dispatcher
        del dispatcher.agents[agent.address]
        if dispatcher.visitors and agent.address not in dispatcher.forwarders:
            dispatcher.remove_visitor(str(agent.address))
        dispatcher.routes.pop(agent.address, None)
        dispatcher.routes.pop(agent.name, None)  # as agents of the container write it
        self.let_join_end()

    async def stop_all(self) -> None:
        """Stop all agents, the latest first; if cancelled, end at once those that have not begun to stop."""
        agents = self._dispatcher.agents
        try:
            self._dispatcher.withdraw(None)
            for agent in reversed(tuple(agents.values())):
                if agents.get(agent.address) is agent:  # else it has left meanwhile, or ended
                    await self._stop(agent)
        finally:
            for agent in reversed(tuple(agents.values())):
                agent.abandon()
            self.let_join_end()

    async def _stop(self, agent: Agent | MicroAgent) -> None:
        """Stop an agent; whatever somebody's own `stop` raises, the others shall end in good order, too."""
        try:
            await agent.stop()
        except Exception as error:
            logger.exception("stopping agent %s failed; it was abandoned", agent.name)
            agent.record_failure("stop", error)
        except PROGRAM_EXITS as error:
            self._container.program_exit.request(f"{agent.name}/stop", error)

    async def join(self) -> None:
        """Wait until all is over; errors as of `Container.wait_until_finished`."""
        while not self.is_over():
            if self._emptied is None:
                self._emptied = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._emptied)
        if (error := self.failure_log.take_untold(self._container.name)) is not None:
            raise error

    def agent_not_away(self, address: str) -> None:
        """Called by mobility when an agent of this home that was away has ended, or is back."""
        if self.on_not_away is not None:
            self.on_not_away(address)
        self.let_join_end()

    def let_join_end(self) -> None:
        """Wake all waiters of `join` if no agent is left; called when one has ended here or elsewhere."""
        if self._emptied is not None and self.is_over():
            self._emptied.set_result(None)
            self._emptied = None

    def is_over(self) -> bool:
        """Return whether all agents here have finished, and none of this home live elsewhere."""
        dispatcher = self._dispatcher
        if dispatcher.is_closing:
            return not dispatcher.agents
        if any(agent.can_proceed for agent in dispatcher.agents.values()):
            return False
        if dispatcher.sleepers is not None and dispatcher.sleepers.count:
            return False
        own = self._at_domain
        return not any(
            address.endswith(own) and forwarder.domain is not None
            for address, forwarder in dispatcher.forwarders.items()
        )


def _unless_cancelled(error: BaseException, agent: BaseAgent, part: str) -> BaseException:
    """Return a hook's exception: another one if only something that it awaited was cancelled."""
    if not isinstance(error, asyncio.CancelledError):
        return error
    task = asyncio.current_task()
    if task is None or task.cancelling():
        return error
    return AgentStateError(
        f"{part} of agent {agent.name} ended with CancelledError although it was not cancelled: "
        f"something it awaited was ({raised_at(error)})"
    )
