"""The vocabulary of a lab's `check.py`: scenarios, the stage of each, and what must hold.

A scenario is a coroutine function with a stage as its argument. Its docstring is the sentence that a student
reads: what must hold. It runs in virtual time, with a network whose faults it decides. The agents of the
program live in another process, and what they say of themselves may be invented; so a scenario gives them
something that cannot be guessed, and looks for what follows from it::

    @scenario("an answer comes late", exercise=2)
    async def late(stage: Stage) -> None:
        \"\"\"The asker waits for an answer that takes five seconds.\"\"\"
        word = f"hello {stage.random.randrange(1000)}"
        c2 = await stage.container("c2")
        await c2.start(Slow("slow", word))
        asker = await stage.start("c1", "Asker", "asker", "slow@c2")
        await stage.ended(asker, 60)
        stage.expect(asker.answers == [word], "the asker has no answer in the end", about=["asker"])
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self

import msgspec

from formicary import Container
from formicary.container.container import PLATFORM
from formicary_bench.labs.programs import Broken
from formicary_bench.labs.recording import Recorder
from formicary_bench.labs.switch import Switch

if TYPE_CHECKING:
    import random
    from collections.abc import Awaitable, Callable, Iterable

    from formicary.core.failures import FailureRecord
    from formicary_bench.labs.examinee import Examinee

    Play = Callable[["Stage"], Awaitable[None]]


class Scenario(msgspec.Struct, frozen=True):
    """A part of a check: its name, of which exercise it is, and the sentence that says what must hold."""

    name: str
    exercise: int
    sentence: str
    play: Play


def scenario(name: str, *, exercise: int) -> Callable[[Play], Scenario]:
    """Turn a coroutine function, whose docstring says what must hold, into a scenario."""

    def made(play: Play) -> Scenario:
        return Scenario(name, exercise, " ".join((play.__doc__ or "").split()), play)

    return made


class Player:
    """An agent of the program, as the judge knows it; its other attributes come from the program.

    They are plain data, read anew each time.

    Attributes:
        kind: the name of its class.
        name: its name.
        home: the name of its container.
        address: its full name.
    """

    def __init__(self, examinee: Examinee, number: int, kind: str, name: str, home: str) -> None:
        self._examinee = examinee
        self._number = number
        self.kind = kind
        self.name = name
        self.home = home
        self.address = f"{name}@{_domain(home)}"

    def __getattr__(self, attribute: str) -> Any:
        """Return the value of an attribute.

        Raises:
            Broken: there is none, or its value is not plain data.
        """
        return self._examinee.look(self._number, attribute)

    async def join(self) -> None:
        """Wait until it has ended."""
        await self._examinee.do("join", self._number)


class Offer:
    """Functions of the check that the program may call, as attributes of an argument of `start`."""

    def __init__(self, **functions: Callable[..., Awaitable[Any]]) -> None:
        self.functions = functions


class Stage:
    """Where a scenario is played: containers on a network, the judge's here and the program's in its process.

    Attributes:
        network: the network of the containers; change its `delay`.
        random: the random numbers of the scenario itself.
        recorder: the messages between containers.
    """

    def __init__(self, examinee: Examinee, chance: random.Random) -> None:
        self.random = chance
        self.recorder = Recorder()
        self.network = Switch(self.recorder, examinee.take)
        self.failures: list[FailureRecord] = []
        """What the judge's own agents have failed with."""
        self._examinee = examinee
        self.containers: dict[str, Container] = {}
        """Those of the judge, by their names."""
        self._homes: set[str] = set()
        examinee.from_program = self.network.from_program

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        """End all containers at once; what agents do then is no longer judged."""
        self._examinee.leave()
        containers = tuple(self.containers.values())
        self.failures += [failure for container in containers for failure in container.failure_log]
        for container in containers:
            await _end(container)

    async def container(self, name: str, **options: Any) -> Container:
        """Open a container of the judge, which ends with the scenario; agents of the check live here."""
        container = Container(name, server=self.network, seed=self.random.getrandbits(63), **options)
        await container.open()
        self.containers[name] = container
        return container

    async def open(self, home: str) -> None:
        """Open a container of the program, which ends with the scenario."""
        self._homes.add(home)
        self.network.expected.add(_domain(home))
        await self._examinee.do("open", home)

    async def start(self, home: str, kind: str, name: str, *arguments: Any) -> Any:
        """Start an agent of a class of the program, as `kind(name, *arguments)`, and return its `Player`.

        Args:
            home: its container, opened if needed. Messages within a container are not seen here.
            kind: the name of the class.
            name: the agent's name.
            arguments: plain data, or an `Offer`.

        Raises:
            Broken: the program has no such class, or it takes other arguments.
        """
        if home not in self._homes:
            await self.open(home)
        offers = {place: each.functions for place, each in enumerate(arguments) if isinstance(each, Offer)}
        names = {place: self._examinee.offer(**functions) for place, functions in offers.items()}
        plain = [None if place in offers else each for place, each in enumerate(arguments)]
        number = await self._examinee.do("start", home, kind, name, plain, names)
        return Player(self._examinee, number, kind, name, home)

    async def crash(self, container: Container | str) -> None:
        """End a container of the judge or the program, as if its process had been killed."""
        if isinstance(container, str):
            self._homes.remove(container)
            self.network.crash(_domain(container))
            await self._examinee.do("crash", container)
            return
        del self.containers[container.name]
        self.failures.extend(container.failure_log)
        await _end(container)

    async def replace(self, **functions: Callable[..., Any]) -> None:
        """Replace functions of the program with others, which take and return plain data.

        Raises:
            Broken: the program has none of that name.
        """
        for name in self._examinee.offer(**functions):
            await self._examinee.do("replace", name)

    async def watch(self, **functions: Callable[[], None]) -> None:
        """Call functions whenever the program calls its own of the same name.

        Raises:
            Broken: the program has none of that name.
        """
        for name in self._examinee.offer(**functions):
            await self._examinee.do("watch", name)

    async def ended(self, agent: Any, seconds: float) -> None:
        """Wait until an agent has ended.

        Args:
            agent: the agent.
            seconds: the timeout in virtual time.

        Raises:
            Broken: it does not end.
        """
        try:
            async with asyncio.timeout(seconds):
                await agent.join()
        except TimeoutError:
            raise Broken(f"{agent.name} has not ended after {seconds:g} s", about=[agent.name]) from None

    def expect(self, holds: object, sentence: str, *, about: Iterable[str] = ()) -> None:
        """Record what must hold.

        Args:
            holds: whether it does.
            sentence: what is wrong if not: what was expected, and what happened.
            about: the names of the agents whose messages show it; all by default.

        Raises:
            Broken: it does not hold.
        """
        if not holds:
            raise Broken(sentence, about=about)


async def _end(container: Container) -> None:
    if container.dispatcher.transport is not None:
        await container.dispatcher.transport.close()
    await container.close()


def _domain(home: str) -> str:
    return f"{home}.{PLATFORM}"
