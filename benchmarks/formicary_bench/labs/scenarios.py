"""What a lab's `check.py` is written with: scenarios, the stage that each is played on, and what must hold.

A scenario is a coroutine function with a stage as its argument. Its docstring is the sentence that a student
reads: what must hold. It runs in virtual time, with a network in memory whose faults it decides::

    @scenario("an answer comes late", exercise=2)
    async def late(stage: Stage) -> None:
        \"\"\"The asker waits for an answer that takes five seconds.\"\"\"
        c1 = await stage.container("c1")
        asker = await stage.start(c1, "Asker", "asker")
        await stage.ended(asker, 60)
        stage.expect(asker.answers == ["hello"], "the asker has no answer in the end", about=["asker"])
"""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any, Self

import msgspec

from formicary import Container
from formicary.testing import MemoryNetwork
from formicary_bench.labs.programs import Broken
from formicary_bench.labs.recording import Recorder

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from formicary import Agent, MicroAgent
    from formicary.core.failures import Failure
    from formicary_bench.labs.programs import Program

    Play = Callable[["Stage"], Awaitable[None]]


class Scenario(msgspec.Struct, frozen=True):
    """A part of a check: its name, of which exercise it is, and the sentence that says what must hold."""

    name: str
    exercise: int
    sentence: str
    play: Play


def scenario(name: str, *, exercise: int) -> Callable[[Play], Scenario]:
    """Make a scenario of a coroutine function, whose docstring says what must hold.

    Args:
        name: a few words.
        exercise: the number of the exercise that it belongs to.
    """

    def made(play: Play) -> Scenario:
        return Scenario(name, exercise, " ".join((play.__doc__ or "").split()), play)

    return made


class Stage:
    """Where a scenario is played: containers on a network in memory, and a student's program.

    Args:
        program: the student's program.
        seed: of all chance in the scenario.

    Attributes:
        program: its classes and functions, by their names.
        network: what joins the containers; change its `delay`, `cut()` and `heal()` it.
        random: chance for the scenario itself.
    """

    def __init__(self, program: Program, seed: int) -> None:
        self.program = program
        self.network = MemoryNetwork()
        self.random = random.Random(seed)
        self.recorder = Recorder()
        self._seed = seed
        self.crashed: list[Failure] = []
        self._containers: list[Container] = []

    async def __aenter__(self) -> Self:
        """Begin."""
        return self

    async def __aexit__(self, *exception: object) -> None:
        """End all containers at once; what agents do then is not judged any more."""
        self.crashed = self.failures
        containers, self._containers = self._containers, []
        for container in containers:
            await self.network.crash(container)

    async def container(self, name: str, **options: Any) -> Container:
        """Open a container, whose messages are recorded; it ends with the scenario."""
        container = Container(name, server=self.network, seed=self._seed, **options)
        self.recorder.watch(container)
        await container.open()
        self._containers.append(container)
        return container

    async def start(self, container: Container, kind: str, name: str, *arguments: Any) -> Any:
        """Start an agent of a class of the program, as `kind(name, *arguments)`, and return it.

        Raises:
            Broken: the program has no such class, or it takes other arguments.
        """
        agent: Agent | MicroAgent = self.program.make(kind, name, *arguments)
        await container.start(agent)
        return agent

    async def crash(self, container: Container) -> None:
        """End a container as if its process was killed."""
        self._containers.remove(container)
        self.crashed.extend(container.failures)
        await self.network.crash(container)

    async def ended(self, agent: Any, seconds: float) -> None:
        """Wait until an agent has ended.

        Args:
            agent: the agent.
            seconds: how long at most, in virtual time.

        Raises:
            Broken: it lives on.
        """
        try:
            async with asyncio.timeout(seconds):
                await agent.join()
        except TimeoutError:
            raise Broken(f"{agent.name} has not ended after {seconds:g} s", about=[agent.name]) from None

    def expect(self, holds: object, sentence: str, *, about: Iterable[str] = ()) -> None:
        """Say what must hold.

        Args:
            holds: whether it does.
            sentence: what is wrong if it does not: what was expected, and what came.
            about: the names of the agents whose messages show it; all by default.

        Raises:
            Broken: it does not hold.
        """
        if not holds:
            raise Broken(sentence, about=about)

    @property
    def failures(self) -> list[Failure]:
        """What agents of the scenario have failed with."""
        return [*self.crashed, *(each for container in self._containers for each in container.failures)]
