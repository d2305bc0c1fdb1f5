"""A platform, and what happens to it."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from typing import TYPE_CHECKING, Any

from tests.integration.directory.agents import View
from tests.simulation.account import Account
from tests.simulation.loop import Process, SimulatedLoop
from tests.simulation.network import PLATFORM, SERVER, Network, join_address
from tests.simulation.residents import Resident, Taker
from tests.simulation.wanderers import HERE, NAME, Wandering

from formicary import Container, Limits, Services
from formicary import Network as NetworkOptions
from formicary.errors import FormicaryError
from formicary.transport.router import Router

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.simulation.schedule import Act, Shape
    from tests.simulation.wanderers import Wanderer

    from formicary.container.options import ConnectionOptions
    from formicary.transport.link.link import Link

AGENTS = 3
"""How many agents a container has at most."""

_GROUPS, _ROLES, _TYPES = ("red", "blue"), ("player", "keeper"), ("printer", "scanner")
_LOSS = (0.0, 0.02, 0.2, 0.6)
_TWICE = (0.0, 0.02, 0.2)
_DELAYS = (0.001, 0.01, 0.1, 1.0)
_PACES = (0.0, 0.05, 1.0)


class Place:
    """A container, present or not.

    Args:
        world: its platform.
        name: its name.
    """

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name
        self.domain = f"{name}.{PLATFORM}"
        self.process: Process | None = None
        self.container: Container | None = None  # while it is open
        self.residents: dict[str, Resident] = {}
        self.view: View | None = None  # what a watcher of the directory knows
        self.killed: list[Process] = []

    # -- as `Connectable` -----------------------------------------------------------------------------------

    platform = PLATFORM

    def transport(self, options: ConnectionOptions) -> Router:
        """Return a new transport, as from the container's server or join address."""
        main = self.world.places[0]
        if not self.world.shape.route.startswith("join"):
            return Watched(self.world, self.world.network.server.address, options)
        return Watched(self.world, None if self is main else join_address(main.domain), options)

    # -- life -----------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Start the container's process, unless there is one."""
        if self.process is None:
            world = self.world
            self.process = Process(world.loop, self.name, next(world.numbers))
            self.process.spawn(self._open(self.process))

    async def _open(self, process: Process) -> None:
        shape = self.world.shape
        way = {"join": "auto", "join-direct": "direct"}.get(shape.route, shape.route)
        container = Container(
            self.name,
            server=self,
            network=NetworkOptions(route=way),
            services=Services(directory=shape.directory),
            limits=Limits(mailbox=shape.mailbox_limit),
            accepts=[HERE],
        )
        self.world.made.append(container)
        process.container = container  # agents may come while it gets to know the others
        try:
            await container.__aenter__()
        except FormicaryError as error:
            process.container = None
            self.world.note(f"{self.name} cannot be opened: {error}")
            self._gone(process)
            return
        self.world.note(f"{self.name} is open")
        self.container = container
        await container.start(Taker(self.world, self.domain))
        for number in range(AGENTS):
            await self._start(container, process, f"a{number}")
        if self.world.shape.moves:
            await self._start_wanderer(container, process)

    async def _start_wanderer(self, container: Container, process: Process) -> None:
        wandering = Wandering(self.world, self, process, next(self.world.numbers))
        if container.is_open:
            self.world.wanderings[wandering.life] = wandering
            try:
                await container.start(wandering.agent)
            except FormicaryError as error:  # it is elsewhere, or the container ends
                self.world.note(f"{self.name} has no other {NAME}: {error}")
                del self.world.wanderings[wandering.life]
                return
            for other in self.world.wanderings.values():
                if other is not wandering and other.address == wandering.address:
                    other.may_be_dead = True

    async def _start(self, container: Container, process: Process, name: str) -> None:
        if name not in self.residents and container.is_open:
            resident = self.residents[name] = Resident(self.world, process, name, next(self.world.numbers))
            try:
                await container.start(resident.agent)
            except FormicaryError:  # one of that name has not ended yet, or the container ends
                self.residents.pop(name, None)
                return
            resident.begin()

    async def watch(self) -> None:
        """Watch the directory, unless somebody does."""
        if self.view is None and self.container is not None:
            container, view = self.container, View(self.container.directory)
            try:
                await view.__aenter__()
            except FormicaryError as error:
                self.world.note(f"nobody watches in {self.name}: {error}")
                return
            if self.view is None and self.container is container:
                self.view = view
            else:
                await view.__aexit__()

    def _gone(self, process: Process, *, silently: bool = False) -> None:
        process.is_alive = False
        self.world.network.lose(process, silently=silently)
        for resident in self.residents.values():
            resident.has_ended = True
        self.residents = {}
        self.view = None
        if self.process is process:
            self.process = self.container = None

    def _lose_wanderers(self, process: Process) -> None:
        """Record which wanderers may be lost with it: those that are, leave or arrive there."""
        container = process.container
        if container is None or not container.is_open:
            return
        mobility = container.platform_services._mobility
        moving: set[str] = set()
        if mobility is not None:
            machine = mobility.machine
            moving.update(machine.source.departures, machine.destination.arrivals)
        for wandering in self.world.wanderings.values():
            if wandering.address in moving or any(it.container is container for it in wandering.places()):
                wandering.may_be_dead = True

    @property
    def is_settled(self) -> bool:
        """Whether it is open or closed, not in between."""
        return self.process is None or self.container is not None

    def kill(self, *, silently: bool = False) -> None:
        """Kill the process; or its machine, so that its connections are not closed either."""
        if self.process is not None:
            process = self.process
            self._lose_wanderers(process)
            process.kill()
            self.killed.append(process)
            self._gone(process, silently=silently)

    def vanish(self) -> None:
        """End the process and its machine."""
        self.kill(silently=True)

    def close(self) -> None:
        """End the container in good order."""
        if self.process is not None and self.container is not None:
            container, self.container = self.container, None
            self._lose_wanderers(self.process)
            for resident in self.residents.values():
                resident.has_ended = True
            self.process.spawn(self._close(self.process, container))

    async def _close(self, process: Process, container: Container) -> None:
        view, self.view = self.view, None
        self._lose_wanderers(process)  # where it has stood still, some have come only now
        await container.__aexit__(None, None, None)
        process.container = None
        if view is not None:
            await view.__aexit__()
        self.world.note(f"{self.name} is closed")
        self._gone(process)

    def start_agent(self, number: int) -> None:
        """Start one of the agents, unless present."""
        if self.process is not None and self.container is not None:
            self.process.spawn(self._start(self.container, self.process, f"a{number % AGENTS}"))

    def start_wanderer(self) -> None:
        """Start the wanderer, unless there is one of its name."""
        if self.process is not None and self.container is not None:
            self.process.spawn(self._start_wanderer(self.container, self.process))

    def end_agent(self, number: int) -> None:
        """End one of the agents."""
        resident = self.residents.pop(f"a{number % AGENTS}", None)
        if resident is not None:
            resident.process.spawn(resident.stop())


class Watched(Router):
    """A router that records whom it gives up.

    Args:
        world: the platform.
        arguments: as of `Router`.
    """

    def __init__(self, world: World, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._world = world

    def on_lost(self, link: Link) -> None:
        self._world.note(f"{self.container.domain} has no {link.domain} any more")
        super().on_lost(link)


class World:
    """A platform in a simulated loop.

    Args:
        loop: the loop.
        seed: of everything random.
        shape: the platform's shape.
        tell: called with each line of the trace; None for nobody.
    """

    def __init__(
        self, loop: SimulatedLoop, seed: int, shape: Shape, tell: Callable[[str], None] | None = None
    ) -> None:
        self.loop = loop
        loop.world = self
        self.seed = seed
        self.shape = shape
        self.is_talking = not shape.is_mild  # there, all containers are to be there first
        self.numbers = itertools.count(1)
        self.hash = hashlib.sha256()
        self.account = Account()
        self.network = Network(loop, seed, self.note)
        self.network.capacity = shape.capacity
        self.places = [Place(self, f"c{number + 1}") for number in range(shape.containers)]
        self.wanderings: dict[int, Wandering] = {}
        names = ("m0", *(f"a{number}" for number in range(AGENTS)), *((NAME,) if shape.moves else ()))
        self.addresses = [f"{name}@{it.domain}" for it in self.places for name in names]
        self.made: list[Container] = []
        self._tell = tell
        self._acts = {
            "weather": self._weather, "calm": self._calm, "cut": self._cut, "mend": self._mend,
            "break": self._break, "kill server": self._kill_server, "start server": self._start_server,
            "stop server": self._stop_server, "continue server": self._continue_server,
            "hatch": self._hatch, "roam": self._roam, "march": self._march,
        }  # fmt: skip

    def note(self, line: str) -> None:
        """Add a line to the trace."""
        line = f"{self.loop.time():.6f} {line}"
        self.hash.update(line.encode())
        if self._tell is not None:
            self._tell(line)

    def alive(self) -> Iterator[tuple[Process, Container]]:
        """Iterate over live containers, including those that open or close."""
        for place in self.places:
            if place.process is not None and place.process.container is not None:
                yield place.process, place.process.container

    # -- acts -----------------------------------------------------------------------------------------------

    async def do(self, act: Act) -> None:
        """Let something happen, and wait for its pause."""
        self.note(f"-- {act}")
        place = self.places[act.one % len(self.places)]
        if act.kind in self._acts:
            self._acts[act.kind](act, place)
        elif act.kind in {"open", "kill", "vanish", "close"}:
            getattr(place, act.kind)()
        elif act.kind in {"start", "end"}:
            getattr(place, f"{act.kind}_agent")(act.two)
        elif act.kind == "watch" and place.process is not None:
            place.process.spawn(place.watch())
        elif act.kind in {"stop", "continue"} and place.process is not None:
            (place.process.stop if act.kind == "stop" else place.process.proceed)()
        elif place.residents:
            residents = list(place.residents.values())
            self._use(residents[act.two % len(residents)], act)
        await asyncio.sleep(act.pause)
        if self.shape.is_mild and act.kind not in {"weather", "talk", "burst", "register", "modify"}:
            self.network.mend_all()
            for each in self.places:
                if each.process is not None:
                    each.process.proceed()

    def _hatch(self, _: Act, place: Place) -> None:
        place.start_wanderer()

    def _roam(self, act: Act, place: Place) -> None:
        if (agent := self._wanderer(act)) is not None:
            wandering = self.wanderings[agent.data.life]
            self._process_of(agent).spawn(wandering.move(agent, place.name))

    def _march(self, act: Act, _: Place) -> None:
        if (agent := self._wanderer(act)) is not None:
            names = [it.name for it in self.places]
            ways = range(act.one, act.one + act.extra * (act.extra + 1), act.extra + 1)
            agent.data.ahead = [names[way % len(names)] for way in ways]

    def _wanderer(self, act: Act) -> Wanderer | None:
        there = [agent for wandering in self.wanderings.values() for agent in wandering.places()]
        return there[act.two % len(there)] if there else None

    def _process_of(self, agent: Wanderer) -> Process:
        return next(process for process, container in self.alive() if container is agent.container)

    def _use(self, resident: Resident, act: Act) -> None:
        spawn = resident.process.spawn
        extra = act.extra
        match act.kind:
            case "talk":
                resident.talk()
            case "burst":
                resident.burst = 20 * extra
                resident.talk()
            case "pace":
                resident.pace = _PACES[extra % len(_PACES)]
            case "register" | "modify" | "deregister":
                spawn(resident.offer(act.kind, _TYPES[extra % 2], f"n{extra % 3}", next(self.numbers)))
            case "create" | "request" | "leave":
                spawn(resident.play(act.kind, _GROUPS[extra % 2], _ROLES[extra // 2 % 2]))
            case "say":
                spawn(resident.send_to_group(_GROUPS[extra % 2], _ROLES[extra // 2 % 2]))

    def _weather(self, act: Act, _: Place) -> None:
        network = self.network
        network.loss = _LOSS[act.one % len(_LOSS)]
        network.twice = _TWICE[act.two % len(_TWICE)]
        network.late = _LOSS[act.extra % 3]
        network.delay = _DELAYS[(act.one + act.extra) % len(_DELAYS)]
        if self.shape.is_mild:
            network.loss, network.late = min(network.loss, 0.2), 0.0
            network.delay = min(network.delay, 0.1)

    def _calm(self, _act: Act, _: Place) -> None:
        self.network.calm()

    def _ends(self, act: Act, place: Place) -> tuple[str, str]:
        other = self.places[act.two % len(self.places)]
        return place.domain, SERVER if other is place else other.domain

    def _cut(self, act: Act, place: Place) -> None:
        self.network.cut(*self._ends(act, place))

    def _mend(self, act: Act, place: Place) -> None:
        self.network.mend(*self._ends(act, place))

    def _break(self, _act: Act, place: Place) -> None:
        self.network.break_connections(place.domain)

    def _kill_server(self, _act: Act, _: Place) -> None:
        self.network.server.kill()

    def _start_server(self, _act: Act, _: Place) -> None:
        self.network.server.start()

    def _stop_server(self, _act: Act, _: Place) -> None:
        self.network.server.stop()

    def _continue_server(self, _act: Act, _: Place) -> None:
        self.network.server.proceed()
