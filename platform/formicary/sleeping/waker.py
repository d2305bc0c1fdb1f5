"""Wake agents in batches: read their rows, restore the agents, remove the rows, and start the agents.

Two batches are under way at a time: one is read or removed while the agents of the other are restored.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

from formicary.core.errors import FormicaryError, MoveError, NameTakenError
from formicary.core.logs import get_logger
from formicary.mobility import kinds
from formicary.mobility.snapshot import read_snapshot, restore
from formicary.mobility.waking import admit, begin
from formicary.sleeping.collector import COLLECTOR

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.container.container import Container
    from formicary.core.agent import Agent
    from formicary.core.base_agent import AgentState
    from formicary.core.micro import MicroAgent
    from formicary.sleeping.journal import Journal

logger = get_logger("formicary.sleeping")

_BATCH: Final = 1000  # agents
_AT_ONCE: Final = 2  # batches
_GATHERING: Final = 0.005  # s
_IN_A_TURN: Final = 50  # agents that are restored, or started, in one turn of the loop


class _Ready(NamedTuple):
    address: str
    agent: Agent | MicroAgent
    state: AgentState


class Waker:
    """Wakes agents of a container.

    Args:
        container: the container.
        journal: reads and changes their file.
        call: called when no agent waits to be woken: the alarm may have more.
        done: called when no agent is waking.
    """

    def __init__(
        self, container: Container, journal: Journal, *, call: Callable[[], None], done: Callable[[], None]
    ) -> None:
        self._container = container
        self._journal = journal
        self._call = call
        self._done = done
        self._entrance = kinds.Entrance(container.name, kinds.ANY)  # they have lived here before
        self._waking: dict[str, asyncio.Future[None] | None] = {}  # by full name, with whoever waits for it
        self._line: deque[str] = deque()
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_slowed = False  # the garbage collector

    def wakes(self, address: str) -> bool:
        """Return whether an agent is about to wake."""
        return address in self._waking

    def wake(self, address: str) -> bool:
        """Wake an agent, and hold messages for it; return whether that is possible."""
        self._waking[address] = None
        try:
            admit(self._container, address)
        except NameTakenError:
            del self._waking[address]
            return False
        self._line.append(address)
        self._begin_to_wake()
        return True

    def _begin_to_wake(self) -> None:
        """Start a task that wakes the agents in line, and a second one if there are many."""
        are_many = len(self._line) >= _BATCH
        if are_many and not self._is_slowed:
            self._is_slowed = True
            COLLECTOR.slow_down()
        if not self._tasks or (are_many and len(self._tasks) < _AT_ONCE):
            task = asyncio.get_running_loop().create_task(self._wake_all(), name="wake agents")
            self._tasks.add(task)
            task.add_done_callback(self._ended)

    async def wait_for(self, address: str) -> None:
        """Wait until an agent that is about to wake has woken.

        Raises:
            MoveError: it cannot be woken.
        """
        future = self._waking[address]
        if future is None:
            future = self._waking[address] = asyncio.get_running_loop().create_future()
        await asyncio.shield(future)

    async def close(self) -> None:
        """Stop waking agents; messages that wait for them fail."""
        if tasks := tuple(self._tasks):
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        for address in tuple(self._waking):
            self._fail(address, f"container {self._container.name} stops")

    async def _wake_all(self) -> None:
        while self._line:
            batch = [self._line.popleft() for _ in range(min(len(self._line), _BATCH))]
            if not self._line:
                self._call()
            try:
                await self._wake(batch)
            except FormicaryError as error:
                for address in batch:
                    self._fail(address, str(error))
            if 0 < len(self._line) < _BATCH:
                await asyncio.sleep(_GATHERING)  # so that many agents need few transactions

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if self._is_slowed and not self._tasks:
            self._is_slowed = False
            COLLECTOR.restore()
        if task.cancelled():
            return
        if (error := task.exception()) is not None:
            logger.error("waking agents failed; please report this", exc_info=error)
        if self._line:
            self._begin_to_wake()
        elif not self._tasks:
            self._done()

    async def _wake(self, batch: Sequence[str]) -> None:
        addresses = {address.partition("@")[0]: address for address in batch}
        snapshots, may_be_more = await self._journal.read([*addresses])
        ready = []
        for number, (name, address) in enumerate(addresses.items(), 1):
            if number % _IN_A_TURN == 0:
                await asyncio.sleep(0)
            snapshot = snapshots.pop(name, None)
            if snapshot is not None:
                if (made := self._make(name, snapshot, address)) is not None:
                    ready.append(made)
            elif may_be_more:
                self._line.append(address)
            else:
                self._fail(address, f"no agent named {name!r} lives in container {self._container.name}")
        names = [each.agent.name for each in ready]
        error = await self._journal.remove(names) if names else None  # they end with the container then
        for number, each in enumerate(ready, 1):
            if number % _IN_A_TURN == 0:
                await asyncio.sleep(0)
            if error is None:
                self._begin(each)
            else:
                self._fail(each.address, f"agent {each.agent.name} cannot be woken: {error}")

    def _make(self, name: str, encoded: bytes, address: str) -> _Ready | None:
        """Return an agent from its snapshot; None if it cannot be restored."""
        try:
            snapshot = read_snapshot(encoded)
            agent = restore(snapshot, name, self._entrance)
        except (MoveError, ValueError) as error:
            self._fail(address, f"agent {name} cannot be woken: {error}")
            return None
        return _Ready(address, agent, snapshot.agent_state)

    def _begin(self, ready: _Ready) -> None:
        future = self._waking.pop(ready.address, None)
        begin(ready.agent, self._container, ready.address, state=ready.state)
        if future is not None and not future.done():
            future.set_result(None)

    def _fail(self, address: str, reason: str) -> None:
        """Fail messages for an agent that cannot be woken and sleeps on."""
        if address not in self._waking:
            return
        future = self._waking.pop(address)
        self._container.dispatcher.fail_held(address, reason)
        if future is not None and not future.done():
            future.set_exception(MoveError(reason))
            future.exception()
        elif not self._container.dispatcher.is_closing:
            logger.error("%s", reason)
