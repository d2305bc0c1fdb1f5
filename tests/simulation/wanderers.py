"""Agents that move between the containers, sending and receiving wherever they are."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any

import msgspec
from tests.simulation.account import Letter
from tests.simulation.loop import PROCESS

from formicary import Agent, AgentState, CyclicBehaviour, Message, PeriodicBehaviour, Template
from formicary.delivery.dead_letters import is_failure
from formicary.errors import FormicaryError

if TYPE_CHECKING:
    from tests.simulation.loop import Process
    from tests.simulation.world import Place, World

NAME = "w0"
"""The name of the one that each container starts."""

HERE = __name__
"""What containers accept."""

_PERIODS = (0.3, 2.0, 8.0)  # s between two messages
_STRIDE = 0.25  # s between looks at whether there is somewhere to go


class Route(msgspec.Struct):
    """The state that a wanderer carries.

    Args:
        life: distinguishes it from others of its name.
        ahead: the containers to visit.
    """

    life: int
    ahead: list[str] = []


class Wanderer(Agent):
    """An agent that moves; seen from outside as a `Wandering`."""

    data: Route

    def __init__(self, life: int, period: float) -> None:
        super().__init__(NAME)
        self.data = Route(life)
        self.add_behaviour(Listens())
        self.add_behaviour(Walks(_STRIDE), Template(performative="never"))
        self.add_behaviour(Tells(period), Template(performative="never"))

    @property
    def wandering(self) -> Wandering:
        """Its record."""
        loop: Any = asyncio.get_running_loop()
        wandering: Wandering = loop.world.wanderings[self.data.life]
        wandering.see(self)
        return wandering

    async def after_move(self, origin: str) -> None:
        self.wandering.note(f"comes from {origin} to {self.container.name}")


class Listens(CyclicBehaviour):
    """Receives others' numbers, and failures of its own."""

    agent: Wanderer

    async def run(self) -> None:
        message = await self.receive()
        wandering = self.agent.wandering
        if message.performative == "inform":
            wandering.get(message)
        elif is_failure(message):
            wandering.fail(message)


class Tells(PeriodicBehaviour):
    """Sends numbers."""

    agent: Wanderer

    async def run(self) -> None:
        await self.agent.wandering.tell(self)


class Walks(PeriodicBehaviour):
    """Moves to the containers ahead."""

    agent: Wanderer

    async def run(self) -> None:
        if self.agent.data.ahead:
            await self.agent.wandering.move(self.agent, self.agent.data.ahead.pop(0))


class Wandering:
    """A wanderer, as seen from outside.

    Args:
        world: where it lives.
        home: its home.
        process: the home's process.
        life: tells it from others of its name.
    """

    def __init__(self, world: World, home: Place, process: Process, life: int) -> None:
        self.world = world
        self.address = f"{NAME}@{home.domain}"
        self.life = life
        self.process = process  # that it was last seen in
        self.chance = random.Random(f"{world.seed}/{self.address}/{life}")
        self.may_be_dead = False  # as it may have been in a container that has ended
        self.probes: list[str] = []  # whom to send one message each
        self._number = 0
        self.agent = Wanderer(life, self.chance.choice(_PERIODS))

    def note(self, line: str) -> None:
        """Add a line to the trace."""
        self.world.note(f"{self.address}/{self.life} {line}")

    def places(self) -> list[Wanderer]:
        """Return the agents that are this one, in all containers that live."""
        found = []
        for process, container in self.world.alive():
            agent: Any = container.dispatcher.agents.get(self.address)
            if process.is_alive and isinstance(agent, Wanderer) and agent.data.life == self.life:
                found.append(agent)
        return found

    def see(self, agent: Wanderer) -> None:
        """Record that it runs here: then it runs nowhere else."""
        process = PROCESS.get()
        assert process is not None
        self.process = process
        others = [it for it in self.places() if it is not agent and it.state is not AgentState.TRANSIT]
        if others:
            names = sorted(it.container.name for it in others)
            now = f"at {self.world.loop.time():.3f}"
            self.world.account.broken.append(f"{self.address} runs in {process.name} and {names} {now}")

    @property
    def is_there(self) -> bool:
        """Whether it lives, and so gets failures."""
        return not self.may_be_dead

    @property
    def is_quiet(self) -> bool:
        """Whether it has nothing to send."""
        return not self.probes

    def probe(self, receivers: list[str]) -> None:
        """Let it send one message to each of these."""
        self.probes = receivers

    async def move(self, agent: Wanderer, to: str) -> None:
        """Move it, and record why it does not move."""
        try:
            self.note(f"is to go from {agent.container.name} to {to}")
            await agent.move(to)
        except FormicaryError as error:
            self.note(f"stays: {error}")

    async def tell(self, behaviour: Tells) -> None:
        """Send a message, if due, and record its fate."""
        if self.probes:
            receivers = self.probes
            self.probes = []
        elif self.world.is_talking:
            receivers = [self.chance.choice([it for it in self.world.addresses if it != self.address])]
        else:
            return
        for receiver in receivers:
            self._number += 1
            body = f"{self.address}/{self.life}/{self._number}"
            letter = Letter(self, receiver, self._number, self.world.loop.time(), process=self.process)
            self.world.account.send(letter, body)
            try:
                await behaviour.send(Message(to=receiver, body=body, performative="inform", reply_with=body))
            except FormicaryError as error:
                letter.failed = str(error)
            letter.is_sent = True

    def get(self, message: Message) -> None:
        """Record a received number."""
        self.note(f"gets {message.body}")
        self.world.account.receive(str(message.body), str(message.sender), self.address, moves=True)

    def fail(self, message: Message) -> None:
        """Record that one of its own did not arrive."""
        self.note(f"is told of {message.in_reply_to}: {message.body}")
        receiver = message.metadata["receiver"]
        self.world.account.fail(str(message.in_reply_to), receiver, str(message.body))
