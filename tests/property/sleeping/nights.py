"""A container whose agent sleeps and wakes, that is restarted and dies; and a judge.

The container is c1; another one, c2, stays. In both, a clerk writes to the agent. Dying leaves a copy of the
file for the next container: what the old one does from then on does not count.
"""

from __future__ import annotations

import asyncio
import itertools
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from formicary import (
    Agent,
    AgentState,
    Container,
    CyclicBehaviour,
    Limits,
    Message,
    MicroAgent,
    Services,
    Template,
)
from formicary.delivery.dead_letters import is_failure
from formicary.errors import FormicaryError, MoveError
from formicary.testing import MemoryNetwork, until_idle

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence
    from pathlib import Path

ALICE = "alice@c1.lab.localhost"
NAP = 1.0  # s that the agent sleeps for where it does so by itself


class Diary(msgspec.Struct):
    """The agent's memory: which of its name it is, and its messages."""

    life: int
    bodies: list[str] = []


class Judge:
    """Records everything that happens.

    Attributes:
        taken: the messages that the agent has got.
        failed: those that have failed, to their sender or as dead letters.
        unsure: those that were under way when a container died.
        sent: all of them.
        dead: containers that have died: what they do does not count.
        broken: what the agent has found not to hold.
    """

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self.failed: set[str] = set()
        self.unsure: set[str] = set()
        self.sent: set[str] = set()
        self.dead: list[Container] = []
        self.broken: list[str] = []
        self._lives = 0
        self._latest = -1
        self._bodies: list[str] = []  # what the latest was told
        self._objects: list[Any] = []  # and by which objects, one after the other

    def begin(self) -> Diary:
        """Return a new agent's memory."""
        self._lives += 1
        return Diary(self._lives - 1)

    def take(self, agent: Any, body: str) -> None:
        """Record that an agent got a message."""
        if agent.container in self.dead:
            self.unsure.add(body)
            return
        try:
            self._take(agent, body)
        except AssertionError as error:  # which would end a behaviour, and be seen by nobody
            self.broken.append(str(error))

    def _take(self, agent: Any, body: str) -> None:
        diary: Diary = agent.data
        assert body in self.sent, f"nobody has sent {body}"
        assert body not in self.taken, f"{body} was taken twice"
        assert diary.life >= self._latest, f"{body} was taken by one of old"
        if diary.life > self._latest:
            self._latest, self._bodies, self._objects = diary.life, [], []
        assert diary.bodies == self._bodies, f"who takes {body} does not go on with what it was"
        before = [_number(each) for each in self._bodies if _sender(each) == _sender(body)]
        assert all(number < _number(body) for number in before), f"{body} comes after {before[-1]}"
        if not self._objects or self._objects[-1] is not agent:
            assert all(each is not agent for each in self._objects), "it is awake, though it was made again"
            self._objects.append(agent)
        self.look(agent.container)
        self.taken.add(body)
        self._bodies.append(body)
        diary.bodies.append(body)

    def fail(self, container: Container, body: str) -> None:
        """Record that a message failed."""
        (self.unsure if container in self.dead else self.failed).add(body)

    def look(self, container: Container) -> None:
        """Check that the agent is not both awake and asleep."""
        agent = container.dispatcher.agents.get(ALICE)
        if agent is not None and agent.state is not AgentState.TRANSIT:
            assert not _has_row(container), f"it is {agent.state} and asleep"


JUDGE = [Judge()]


def _number(body: str) -> int:
    return int(body.rpartition("/")[2])


def _sender(body: str) -> str:
    return body.rpartition("/")[0]


def _has_row(container: Container) -> bool:
    sleepers: Any = container.dispatcher.sleepers
    has: bool = sleepers is not None and sleepers._store.has("alice")
    return has


class Listens(CyclicBehaviour):
    """Receives messages; a request puts the agent to sleep."""

    async def run(self) -> None:
        message = await self.receive()
        assert message is not None
        if message.performative == "inform":
            JUDGE[0].take(self.agent, str(message.body))
        elif message.performative == "request":
            with suppress(MoveError):
                await self.agent.deactivate(NAP)


class Sleepy(Agent):
    """An agent with a behaviour."""

    data: Diary

    def __init__(self) -> None:
        super().__init__("alice")
        self.data = JUDGE[0].begin()
        self.add_behaviour(Listens())


class SleepyMicro(MicroAgent):
    """An agent without one."""

    data: Diary

    def __init__(self) -> None:
        super().__init__("alice")
        self.data = JUDGE[0].begin()

    def handle(self, message: Message) -> None:
        if message.performative == "inform":
            JUDGE[0].take(self, str(message.body))


class Writes(CyclicBehaviour):
    """Sends messages."""

    async def run(self) -> None:
        clerk: Any = self.agent
        message = await clerk.line.get()
        judge, body = JUDGE[0], str(message.body)
        clerk.is_busy = True
        if message.performative == "inform":
            judge.sent.add(body)
        try:
            await self.send(message)
        except FormicaryError:
            judge.fail(clerk.container, body)
        except asyncio.CancelledError:
            judge.unsure.add(body)  # it was not sent, or was
            raise
        clerk.is_busy = False


class Hears(CyclicBehaviour):
    """Receives failures."""

    async def run(self) -> None:
        message = await self.receive()
        if message is not None and is_failure(message):
            JUDGE[0].fail(self.agent.container, str(message.in_reply_to))


class Clerk(Agent):
    """Writes to the agent."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.line: asyncio.Queue[Message] = asyncio.Queue()
        self.is_busy = False
        self._numbers = itertools.count()
        self.add_behaviour(Hears())
        self.add_behaviour(Writes(), Template(performative="never"))

    def write(self, performative: str) -> None:
        """Send a message."""
        body = f"{self.name}/{next(self._numbers)}"
        self.line.put_nowait(Message(ALICE, body=body, performative=performative, reply_with=body))

    @property
    def is_through(self) -> bool:
        """Whether all was sent."""
        return self.line.empty() and not self.is_busy


class Nights:
    """The events, in sequence.

    Args:
        folder: for files.
        kind: of the agent.
        mailbox_limit: of its container.
    """

    def __init__(self, folder: Path, kind: Any, mailbox_limit: int) -> None:
        self.judge = JUDGE[0] = Judge()
        self._folder = folder
        self._kind = kind
        self._limit = mailbox_limit
        self._files = 0
        self._starts = 0
        self._network = MemoryNetwork(delay=0.001)
        self._tasks: list[asyncio.Task[Any]] = []
        self._container: Container
        self._near: Clerk
        self._far = Clerk("far")

    async def play(self, acts: Sequence[tuple[Any, ...]]) -> None:
        """Play the events, and check the guarantees in the end."""
        async with Container("c2", server=self._network, services=Services(main="c2")) as c2:
            await c2.start(self._far)
            await self._open()
            try:
                await self.start()
                for act, *details in acts:
                    await getattr(self, act)(*details)
                    self.judge.look(self._container)
                    assert self.judge.broken == []
                await self._check()
            finally:
                await self._end_tasks()
                await self._container.close()

    # -- what happens ---------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Start the agent, unless present."""
        with suppress(FormicaryError):
            await self._container.start(self._kind())

    async def write(self, where: str, performative: str, count: int) -> None:
        """Send the agent a message."""
        clerk = self._near if where == "near" else self._far
        for _ in range(count):
            clerk.write(performative)

    async def sleep(self, seconds: Any) -> None:
        """Put the agent to sleep, if possible."""
        self._ask(self._container.management.deactivate("alice", seconds))

    async def activate(self) -> None:
        """Wake the agent, if it sleeps."""
        self._ask(self._container.management.activate("alice"))

    async def kill(self) -> None:
        """End the agent, if present."""
        self._ask(self._container.management.kill("alice"))

    async def wait(self, seconds: float) -> None:
        """Let time pass."""
        await asyncio.sleep(seconds)

    async def restart(self) -> None:
        """Close the container, and open a new one."""
        sleeps = self._sleeps()
        await self._container.close()
        await self._end_tasks()
        for letter in self._container.dead_letters:
            self.judge.failed.add(str(letter.message.body))
        await self._open()
        assert not sleeps or self._sleeps(), "it does not sleep any more"

    async def die(self, moment: str) -> None:
        """Kill the container: now, or before or after its file is written next."""
        sleeps = moment == "now" and self._sleeps()
        if moment != "now":
            await self._wait_for_write(moment)
        if self._container not in self.judge.dead:
            await until_idle()  # nothing is written
            self._leave_copy()
        await self._container.close()
        await self._end_tasks()
        self._files += 1
        await self._open()
        assert not sleeps or self._sleeps(), "it does not sleep any more"

    # -- containers -----------------------------------------------------------------------------------------

    def _path(self, number: int) -> Path:
        return self._folder / f"{number}.sqlite"

    async def _open(self) -> None:
        self._container = Container(
            "c1",
            server=self._network,
            services=Services(main="c2", sleepers=self._path(self._files)),
            limits=Limits(mailbox=self._limit),
        )
        await self._container.open()
        self._near = Clerk(f"near{self._starts}")
        self._starts += 1
        await self._container.start(self._near)

    def _sleeps(self) -> bool:
        sleepers: Any = self._container.dispatcher.sleepers
        return _has_row(self._container) and not sleepers._waker.wakes(ALICE) and not self._tasks

    def _leave_copy(self) -> None:
        """Consider the container dead; the next one continues with its file as it is."""
        for suffix in ("", "-wal"):
            source = self._path(self._files)
            copy = self._path(self._files + 1)
            if source.with_name(source.name + suffix).exists():
                shutil.copy(source.with_name(source.name + suffix), copy.with_name(copy.name + suffix))
        self.judge.unsure |= self.judge.sent
        self.judge.dead.append(self._container)

    async def _wait_for_write(self, moment: str) -> None:
        """Wait a short time until the file is written, then kill the container."""
        sleepers: Any = self._container.dispatcher.sleepers
        store = sleepers._store
        written = asyncio.Event()
        loop, write = asyncio.get_running_loop(), store.write

        def write_last(*changes: Any) -> None:
            store.write = write
            if moment == "before":
                self._leave_copy()
            write(*changes)
            if moment == "after":
                self._leave_copy()
            loop.call_soon_threadsafe(written.set)

        store.write = write_last
        with suppress(TimeoutError):
            async with asyncio.timeout(2.0):
                await written.wait()
        store.write = write

    def _ask(self, work: Coroutine[Any, Any, Any]) -> None:
        async def ask() -> None:
            with suppress(FormicaryError):
                await work

        self._tasks = [task for task in self._tasks if not task.done()]
        self._tasks.append(asyncio.get_running_loop().create_task(ask()))

    async def _end_tasks(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()

    # -- in the end -----------------------------------------------------------------------------------------

    async def _check(self) -> None:
        judge = self.judge
        await self._settle()
        both = judge.taken & (judge.failed - judge.unsure)
        assert not both, f"taken, and said to have failed: {sorted(both)}"
        lost = judge.sent - judge.taken - judge.failed - judge.unsure
        assert not lost, f"neither taken nor failed: {sorted(lost)}"
        agent = self._container.dispatcher.agents.get(ALICE)
        assert agent is None or agent.state is AgentState.ACTIVE
        if agent is not None or _has_row(self._container):
            before = len(judge.taken)
            await self.write("near", "inform", 1)
            await self.write("far", "inform", 1)
            await self._settle()
            assert len(judge.taken) == before + 2, "it is there, and takes nothing"
        assert judge.broken == []

    async def _settle(self) -> None:
        for _ in range(100):
            await asyncio.sleep(1)
            if self._near.is_through and self._far.is_through and all(task.done() for task in self._tasks):
                break
        assert self._near.is_through, "a message is still being sent"
        assert self._far.is_through, "a message is still being sent"
        assert all(task.done() for task in self._tasks), "who has asked for something has no answer"
        await asyncio.sleep(20)
