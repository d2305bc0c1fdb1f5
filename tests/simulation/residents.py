"""The agents: each sends and receives messages, offers services, and plays roles in groups."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any

from tests.simulation.account import Letter

from formicary import Agent, CyclicBehaviour, Message, MicroAgent, Template
from formicary.delivery.dead_letters import is_failure
from formicary.errors import FormicaryError

if TYPE_CHECKING:
    from tests.simulation.loop import Process
    from tests.simulation.world import World

_PAUSES = (0.3, 2.0, 8.0)  # s between two messages
_EAGER = 0.5  # the share that offers something at once, and that plays in a group at once


class Sends(CyclicBehaviour):
    """Sends numbers while told to."""

    def __init__(self, resident: Resident) -> None:
        super().__init__()
        self._resident = resident

    async def run(self) -> None:
        resident = self._resident
        await resident.may_send.wait()
        chance = resident.chance
        targets = [each for each in resident.world.addresses if each != resident.address]
        if resident.probes:
            receivers = [resident.probes.pop()]
        else:
            receivers = chance.sample(targets, 2 if chance.random() < 0.1 else 1)
        await resident.send(self, receivers)
        if resident.burst:
            resident.burst -= 1
        elif resident.world.is_talking:
            await asyncio.sleep(resident.pause)
        elif not resident.probes:
            resident.may_send.clear()
            resident.is_quiet = True


class Receives(CyclicBehaviour):
    """Receives others' numbers, and failures of its own."""

    def __init__(self, resident: Resident) -> None:
        super().__init__()
        self._resident = resident

    async def run(self) -> None:
        message = await self.receive()
        resident = self._resident
        account = resident.world.account
        if message.performative == "inform":
            resident.world.note(f"{resident.address} gets {message.body}")
            account.receive(str(message.body), str(message.sender), resident.address)
            if resident.pace:
                await asyncio.sleep(resident.pace)
        elif is_failure(message):
            resident.world.note(f"{resident.address} is told of {message.in_reply_to}: {message.body}")
            receiver = message.metadata["receiver"]
            account.fail(str(message.in_reply_to), receiver, str(message.body))


class Taker(MicroAgent):
    """Receives others' numbers, as a micro-agent; sends nothing.

    Args:
        world: where it lives.
        domain: its container's.
    """

    __slots__ = ("_own_name", "_world")

    def __init__(self, world: World, domain: str) -> None:
        super().__init__("m0")
        self._world = world
        self._own_name = f"m0@{domain}"

    def handle(self, message: Message) -> None:
        self._world.note(f"{self._own_name} gets {message.body}")
        self._world.account.receive(str(message.body), str(message.sender), self._own_name)


class Resident:
    """An agent, as seen from outside.

    Args:
        world: where it lives.
        process: its container's process.
        name: its name.
        life: distinguishes it from others of that name.
    """

    def __init__(self, world: World, process: Process, name: str, life: int) -> None:
        self.world = world
        self.process = process
        self.agent = Agent(name)
        self.address = f"{name}@{process.name}.lab.localhost"
        self.life = life
        self.chance = random.Random(f"{world.seed}/{self.address}/{life}")
        self.pause = self.chance.choice(_PAUSES)
        self.pace = 0.0  # seconds that it takes for a message
        self.burst = 0  # messages to send without a pause
        self.probes: list[str] = []  # whom to send one message each
        self.may_send = asyncio.Event()
        self.is_quiet = True
        self.has_ended = False
        self.offers: dict[str, Any] = {}
        self.unsure: set[str] = set()  # offers of which an attempt to change them has failed
        self.roles: set[tuple[str, str]] = set()
        self.unsure_roles: set[tuple[str, str]] = set()
        self._turn = asyncio.Lock()
        self._number = 0
        self.agent.add_behaviour(Receives(self))
        self.agent.add_behaviour(Sends(self), Template(performative="never"))

    @property
    def is_there(self) -> bool:
        """Whether it lives, and so gets failures."""
        return self.process.is_alive and not self.has_ended

    def begin(self) -> None:
        """Let it begin its work."""
        if self.world.is_talking:
            self.talk()
            if self.chance.random() < _EAGER:
                self.process.spawn(self.offer("register", "printer", "n0", next(self.world.numbers)))
            if self.chance.random() < _EAGER:
                self.process.spawn(self.play("request", "red", "player"))

    def talk(self) -> None:
        """Let it send from now on."""
        self.is_quiet = False
        self.may_send.set()

    def probe(self, receivers: list[str]) -> None:
        """Let it send one message to each of these."""
        if receivers:
            self.probes = receivers
            self.talk()

    async def stop(self) -> None:
        """End it."""
        self.has_ended = True
        await self.agent.stop()

    # -- messages -------------------------------------------------------------------------------------------

    def _begin(self, receivers: list[str], *, is_of_group: bool = False) -> tuple[str, list[Letter]]:
        self._number += 1
        body = f"{self.address}/{self.life}/{self._number}"
        now = asyncio.get_running_loop().time()
        letters = [Letter(self, each, self._number, now, is_of_group) for each in receivers]
        for letter in letters:
            self.world.account.send(letter, body)
        return body, letters

    async def send(self, behaviour: Sends, receivers: list[str]) -> None:
        """Send a message, and record its fate."""
        body, letters = self._begin(receivers)
        to = receivers[0] if len(receivers) == 1 else tuple(receivers)
        try:
            await behaviour.send(Message(to=to, body=body, performative="inform", reply_with=body))
        except FormicaryError as error:
            for letter in letters:
                letter.failed = (
                    str(error)
                    if len(letters) == 1
                    else f"one of several failed, this may have arrived: {error}"
                )
        for letter in letters:
            letter.is_sent = True

    async def send_to_group(self, group: str, role: str) -> None:
        """Send a message to all in a group."""
        async with self._turn:
            if not self.is_there:
                return
            others = [each for each in self.world.addresses if each != self.address]
            body, letters = self._begin(others, is_of_group=True)
            message = Message(body=body, performative="inform", reply_with=body)
            try:
                await self.agent.groups.send(message, group, role)
            except FormicaryError as error:
                for letter in letters:
                    letter.failed = f"one of several failed, this may have arrived: {error}"
            for letter in letters:
                letter.is_sent = True

    # -- services -------------------------------------------------------------------------------------------

    async def offer(self, action: str, type_: str, name: str, version: int) -> None:
        """Register, modify or deregister a service."""
        async with self._turn:
            if not self.is_there:
                return
            try:
                directory = self.agent.directory
                if action == "deregister":
                    await directory.deregister(name)
                    self.offers.pop(name, None)
                else:
                    method = getattr(directory, action)
                    self.offers[name] = await method(type=type_, name=name, properties={"version": version})
            except FormicaryError as error:
                self.world.note(f"{self.address} cannot {action} {name}: {error}")
                if "already" not in str(error):
                    self.unsure.add(name)
            else:
                self.world.note(f"{self.address} has done {action} {name} {version}")
                self.unsure.discard(name)

    async def play(self, action: str, group: str, role: str) -> None:
        """Create a group, take a role there, or leave it."""
        async with self._turn:
            if not self.is_there:
                return
            role = "manager" if action == "create" else role
            try:
                groups = self.agent.groups
                if action == "create":
                    await groups.create(group)
                elif action == "request":
                    await groups.request_role(group, role)
                else:
                    await groups.leave_role(group, role)
            except FormicaryError as error:
                self.world.note(f"{self.address} cannot {action} {group}/{role}: {error}")
                self.unsure_roles.add((group, role))
            else:
                self.world.note(f"{self.address} has done {action} {group}/{role}")
                self.unsure_roles.discard((group, role))
                (self.roles.discard if action == "leave" else self.roles.add)((group, role))
