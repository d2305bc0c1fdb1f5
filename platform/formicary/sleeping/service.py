"""Put agents to sleep, find sleeping ones by name, and wake them."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import msgspec

from formicary.core.agent import Agent
from formicary.core.base_agent import AgentState
from formicary.core.errors import MoveError, StoreError, UnknownAgentError
from formicary.core.logs import get_logger
from formicary.core.scratch import ScratchFolder
from formicary.mobility.quiescence import dissolve, own_strand, quiesce, resume
from formicary.mobility.snapshot import check_can_be_carried, take_snapshot
from formicary.sleeping.alarm import Alarm, due_time
from formicary.sleeping.journal import Journal
from formicary.sleeping.store import Sleeper, SleeperStore
from formicary.sleeping.waker import Waker

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from formicary.container.container import Container
    from formicary.core.base_agent import BaseAgent
    from formicary.core.micro import MicroAgent
    from formicary.core.strand import Strand
    from formicary.mobility.attached_state import AttachedState


logger = get_logger("formicary.sleeping")


class SleepingAgents:
    """The sleeping agents of a container: `dispatcher.sleepers`.

    Args:
        container: the container.
        path: the file; None for a temporary one.
        attached_state: returns what hands over agents' attached state.
        end: called with the full name of an agent that has ended in its sleep.
    """

    def __init__(
        self,
        container: Container,
        path: str | os.PathLike[str] | None,
        attached_state: Callable[[], AttachedState],
        end: Callable[[str], None],
    ) -> None:
        self._container = container
        self._path = None if path is None else Path(path)
        self._attached_state = attached_state
        self._end = end
        self._scratch: ScratchFolder | None = None
        self._store: SleeperStore | None = None
        self._opening = asyncio.Lock()
        self._is_closed = False
        self._registered: list[tuple[str, bytes]] = []  # by names, until `begin`
        # The objects that agents have left behind, which can be joined until they end.
        self._left: WeakValueDictionary[str, BaseAgent] = WeakValueDictionary()

    # -- life -----------------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Open the file; call `begin` next if agents may sleep in it already.

        Raises:
            StoreError: it cannot be used; with the reason and what to do.
        """
        async with self._opening:
            if self._store is not None:
                return
            if self._is_closed:
                raise self._container.not_open_error()
            path = self._path
            if path is None:
                path = self._make_folder() / "sleepers.sqlite"
            self._store = await asyncio.to_thread(SleeperStore, path, self._container.domain)
            self._journal = Journal(self._store)
            self._alarm = Alarm(self._store, self._wake_some)
            self._waker = Waker(
                self._container,
                self._journal,
                call=self._alarm.resume,
                done=self._container.lifecycle.let_join_end,
            )
            if self._path is not None:  # now: messages may wake them before `begin`
                self._registered = await asyncio.to_thread(self._store.with_attached_state)
            self._container.dispatcher.sleepers = self

    def _make_folder(self) -> Path:
        try:
            self._scratch = ScratchFolder.make()
        except OSError as error:
            raise StoreError(
                f"cannot create a file for sleeping agents: {error}; choose one with sleepers="
            ) from error
        return self._scratch.path

    def begin(self) -> None:
        """Restore the registrations of sleeping agents, and wake those that are due."""
        registered, self._registered = self._registered, []
        for name, encoded in registered:
            if not self._container.dispatcher.has(self._address(name)):
                continue  # a message has woken it, and it has ended
            try:
                self._attached_state().take_over(self._address(name), msgspec.msgpack.decode(encoded))
            except (MoveError, msgspec.DecodeError) as error:
                logger.error("the registrations of the sleeping agent %s are lost: %s", name, error)  # noqa: TRY400
        self._alarm.set()

    async def close(self) -> None:
        """Make all pending changes, and close the file; agents in a temporary one end with it."""
        self._is_closed = True
        if self._store is not None:
            self._alarm.close()
            await self._waker.close()
            await self._journal.close()
        if self._scratch is not None:
            await asyncio.to_thread(self._scratch.remove)

    # -- falling asleep -------------------------------------------------------------------------------------

    async def deactivate(self, agent: BaseAgent, limit: float | datetime | None) -> None:
        """Save an agent, which sleeps until `limit`; errors as of `BaseAgent.deactivate`."""
        due = due_time(limit)
        try:
            await self._deactivate(agent, due)  # type: ignore[arg-type]  # it is of one of the two kinds
        except StoreError as error:
            raise MoveError(f"agent {agent.name} cannot sleep: {error}") from error
        except MoveError as error:
            raise MoveError(str(error).replace(" cannot move", " cannot sleep", 1)) from error

    async def _deactivate(self, agent: Agent | MicroAgent, due: float | None) -> None:
        address = agent.address or ""
        home = address.partition("@")[2]
        if home != self._container.domain:
            raise MoveError(f"agent {agent.name} cannot sleep away from its home {home}; move it there first")
        if address in self._container.dispatcher.forwarders:
            raise MoveError(
                f"agent {agent.name} cannot sleep yet: messages are still on the way to its "
                "previous place; try again in a moment"
            )
        caller = own_strand(agent)
        check_can_be_carried(agent)
        await self.open()
        await quiesce(agent, caller)
        outcome: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        try:
            if self._has_unread(agent):
                resume(agent)
                await asyncio.sleep(0)  # an agent that tries again at once must leave others a turn
                return
            self._journal.put(self._describe(agent, caller, due), partial(self._written, agent, outcome, due))
        except BaseException:
            resume(agent)
            raise
        try:
            await asyncio.shield(outcome)
        except asyncio.CancelledError:
            outcome.cancel()
            raise

    def _describe(self, agent: Agent | MicroAgent, caller: Strand | None, due: float | None) -> Sleeper:
        attached_state = None if self._path is None else self._attached_state().hand_over(agent.address or "")
        kind = type(agent)
        return Sleeper(
            agent.name,
            due,
            f"{kind.__module__}:{kind.__qualname__}",
            len(agent.behaviours) if isinstance(agent, Agent) else None,
            agent.failures,
            None if attached_state is None else msgspec.msgpack.encode(attached_state),
            take_snapshot(agent, caller),
        )

    def _has_unread(self, agent: Agent | MicroAgent) -> bool:
        """Return whether there is a message that would wake it."""
        held = self._container.dispatcher.held.get(agent.address)
        return bool(agent.unreceived() or (held is not None and held.messages))

    def _written(
        self,
        agent: Agent | MicroAgent,
        outcome: asyncio.Future[None],
        due: float | None,
        error: StoreError | None,
    ) -> None:
        """Dissolve an agent that is on disk, unless a message has come for it, or it has ended."""
        if error is not None:
            resume(agent)
            if not outcome.done():
                outcome.set_exception(error)
            return
        is_at_rest = agent.state is AgentState.TRANSIT and not agent.is_ending
        if outcome.cancelled() or not is_at_rest or self._has_unread(agent) or self._is_closed:
            self._journal.take_back(agent.name, partial(self._not_asleep, agent, outcome))
            return
        outcome.set_result(None)
        self._left[agent.address or ""] = agent
        for message in dissolve(agent, self._container.domain).messages:
            self._container.dispatcher.deliver(
                message, agent.address or ""
            )  # from senders that waited for room
        self._alarm.add(due)

    def _not_asleep(
        self, agent: Agent | MicroAgent, outcome: asyncio.Future[None], error: StoreError | None
    ) -> None:
        del error  # it is logged; the agent will sleep if the container is opened again
        resume(agent)
        if not outcome.done():
            outcome.set_result(None)

    # -- asleep ---------------------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """The number of sleeping agents."""
        return 0 if self._store is None else self._store.count

    def is_asleep(self, address: str) -> bool:
        """Return whether an agent with this full name sleeps here, and is not waking."""
        store = self._store
        if store is None or not store.count or self._waker.wakes(address):
            return False
        name, _, domain = address.partition("@")
        try:
            return domain == self._container.domain and store.has(name)
        except StoreError as error:
            logger.error("%s", error)  # noqa: TRY400 -- it is a full sentence
            return False

    def find(self, patterns: Sequence[str], most: int, offset: int) -> list[Sleeper]:
        """Return sleeping agents; arguments and errors as of `SleeperStore.find`."""
        return [] if self._store is None else self._store.find(patterns, most, offset)

    async def kill(self, address: str) -> bool:
        """End an agent in its sleep; return whether it was asleep.

        Raises:
            StoreError: the file cannot be written, and it sleeps on.
        """
        if not self.is_asleep(address):
            return False
        if (error := await self._journal.remove((address.partition("@")[0],))) is not None:
            raise error
        self._end(address)
        self.agent_gone(address)
        self._container.lifecycle.let_join_end()
        return True

    def agent_gone(self, address: str) -> None:
        """Called when an agent has ended here: wake whoever joins the object that it left behind."""
        left = self._left.pop(address, None)
        if left is not None:
            left.ended_elsewhere()

    # -- waking ---------------------------------------------------------------------------------------------

    def wake(self, address: str) -> bool:
        """Wake an agent, and hold messages for it until it has woken; return whether it was asleep."""
        return self.is_asleep(address) and self._wake(address)

    def _wake(self, address: str) -> bool:
        """Wake a sleeping agent, if possible."""
        return self._is_open and self._waker.wake(address)

    @property
    def _is_open(self) -> bool:
        return not self._is_closed and not self._container.dispatcher.is_closing

    async def activate(self, address: str) -> None:
        """Wake an agent, and wait until it has woken.

        Raises:
            UnknownAgentError: it does not sleep here.
            MoveError: it cannot be woken.
        """
        if not self.wake(address) and not self.wakes(address):
            raise UnknownAgentError(
                f"no agent named {address.partition('@')[0]!r} sleeps in container {self._container.name}"
            )
        await self._waker.wait_for(address)

    def wakes(self, address: str) -> bool:
        """Return whether an agent with this full name is waking."""
        return self._store is not None and self._waker.wakes(address)

    def _wake_some(self, names: Sequence[str]) -> None:
        for name in names:  # of which the file has just said that they sleep
            if not self._waker.wakes(address := self._address(name)):
                self._wake(address)

    def _address(self, name: str) -> str:
        return f"{name}@{self._container.domain}"
