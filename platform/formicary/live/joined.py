"""The feed of a running platform, which polls each of its containers."""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from formicary.core.clock import wall_time
from formicary.core.errors import ContainerClosedError, FormicaryError, LinkError
from formicary.directory.model.query import Query
from formicary.groups.naming import ROLE, read_role
from formicary.live.acting import Actor, refuse
from formicary.live.feed import MOST_EVENTS, Feed
from formicary.observe.events import AgentSeen, Entry, Figures, Filters, MessageSeen, RolePlayed
from formicary.observe.recording import Recorder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from formicary.container.container import Container
    from formicary.directory.model.description import ServiceDescription
    from formicary.live.feed import Act
    from formicary.observe.events import ContainerFigures, Event, LinkFigures

_PATIENCE: Final = 5.0  # s for a container to answer
_PAUSE: Final = 0.1  # s between two batches, and two requests to a container
_CONTAINERS: Final = 2.0  # s between two checks for new containers
_DIRECTORY: Final = 3.0  # s between two reads of the directory
_ENTRIES: Final = 1000  # of the directory, and as many roles
_AT_ONCE: Final = 100  # messages in a container's answer
_LEFT: Final = frozenset({"transit", "ended", "failed"})  # states of agents that have left
_WAITING: Final = 2 * MOST_EVENTS  # events waiting for the view, above which containers are not polled


class JoinedFeed(Feed):
    """The feed of a running platform; polls its containers.

    Args:
        container: one of its containers, or a guest, which stays open.
        filters: which messages to include.
        may_act: whether `act` is allowed.
        record: the file to which all events are also written.
        most_bytes: the size of that file at which the oldest events are dropped.

    Raises:
        StoreError: on entering: the file cannot be written, or exists already.
    """

    def __init__(
        self,
        container: Container,
        *,
        filters: Filters | None = None,
        may_act: bool = False,
        record: Path | None = None,
        most_bytes: int = 256_000_000,
    ) -> None:
        super().__init__()
        self._path, self._most_bytes = record, most_bytes
        self._recorder: Recorder | None = None
        self.may_act = may_act
        self.filters = filters or Filters()
        self._container = container
        self._actor = Actor(container)
        self._viewer = ""
        self._clock: Callable[[], float]
        self._tasks: dict[str, asyncio.Task[None]] = {}  # polling each container, by domain
        self._others: list[asyncio.Task[None]] = []
        self._events: deque[Event] = deque()
        self._error: FormicaryError | None = None
        self._missing: dict[str, str] = {}
        self._containers: dict[str, ContainerFigures] = {}
        self._links: dict[str, tuple[LinkFigures, ...]] = {}
        self._places: dict[str, str] = {}  # container in which each agent was last seen, by full name
        self._entries: tuple[ServiceDescription, ...] | None = None
        self._roles: tuple[ServiceDescription, ...] | None = None

    async def _open(self) -> None:
        self._clock = wall_time()
        self.position = self._clock()
        self._viewer = secrets.token_hex(8)
        self._entries = self._roles = self._error = None
        if self._path is not None and self._recorder is None:
            self._recorder = Recorder(self._path, self._most_bytes)
        await self._look_for_containers()
        loop = asyncio.get_running_loop()
        for work, pause in ((self._look_for_containers, _CONTAINERS), (self._search, _DIRECTORY)):
            self._others.append(loop.create_task(self._again(work, pause), name=f"feed: {work.__name__}"))

    async def _close(self) -> None:
        tasks = [*self._tasks.values(), *self._others]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        with suppress(FormicaryError, TimeoutError):
            async with asyncio.timeout(1):
                await asyncio.gather(*map(self._end, self._tasks))
        for known in (self._tasks, self._containers, self._links, self._places, self._missing):
            known.clear()
        self._others.clear()
        self._events.clear()
        await self._actor.close()
        if self._recorder is not None:
            self._path = None  # an ended recording is not restarted
            recorder, self._recorder = self._recorder, None
            recorder.close()

    async def __anext__(self) -> list[Event]:
        await asyncio.sleep(_PAUSE)
        if self._error is not None:
            raise self._error
        if not self._container.is_open:
            raise LinkError(f"container {self._container.name} is no longer open")
        if self.is_paused:
            return []
        batch = [self._events.popleft() for _ in range(min(MOST_EVENTS, len(self._events)))]
        self.position = self._clock()
        if self._recorder is not None:
            self._recorder.write(batch)
        return batch

    # -- asking ---------------------------------------------------------------------------------------------

    async def _again(self, work: Callable[[], Any], pause: float) -> None:
        while True:
            try:
                await work()
            except FormicaryError as error:
                if isinstance(error, ContainerClosedError) or not self._container.is_open:
                    self._error = LinkError(f"container {self._container.name} is no longer open")
                    return
            await asyncio.sleep(pause)

    async def _look_for_containers(self) -> None:
        container = self._container
        if container.is_guest and not container.members:
            name = container.main_domain.partition(".")[0]
            self._error = LinkError(f"the platform's container {name} is gone")
            return
        found = await container.management.list_containers()
        domains = {each.domain for each in found}
        self._missing = {_short(each.domain): each.reason for each in found.missing}
        for domain in domains - self._tasks.keys():
            self._tasks[domain] = asyncio.get_running_loop().create_task(
                self._ask(domain), name=f"feed: asks {domain}"
            )
        for domain in self._tasks.keys() - domains - {each.domain for each in found.missing}:
            self._tasks.pop(domain).cancel()
            self._missing[_short(domain)] = "it is gone"
            self._forget(_short(domain))
            gone = tuple(name for name, place in self._places.items() if place == _short(domain))
            self._places = {name: place for name, place in self._places.items() if place != _short(domain)}
            self._events.append(replace(self._completed(Figures(self._clock())), gone=gone))

    async def _ask(self, domain: str) -> None:
        while True:
            if not self.is_paused and len(self._events) < _WAITING:
                try:
                    async with asyncio.timeout(_PATIENCE):
                        await self._ask_once(domain)
                    self._missing.pop(_short(domain), None)
                except (FormicaryError, TimeoutError) as error:
                    silent = f"it has not answered within {_PATIENCE:g} s"
                    self._missing[_short(domain)] = str(error) or silent
                    self._forget(_short(domain))
                    self._events.append(self._completed(Figures(self._clock())))
                    await asyncio.sleep(1)
            await asyncio.sleep(_PAUSE)

    async def _ask_once(self, domain: str) -> None:
        most = max(1, min(_AT_ONCE, MOST_EVENTS // max(1, len(self._tasks))))
        seen = await self._container.management.watch(domain, self._viewer, self.filters, most)
        if seen is None:
            return
        late = self._late(domain, seen.events)
        for event in seen.events:
            if isinstance(event, Figures):
                self._events.append(self._completed(event, late))
            elif not isinstance(event, AgentSeen) or event.name not in late:
                self._events.append(event)

    def _late(self, domain: str, events: Sequence[Event]) -> set[str]:
        """Record where agents are; return those that a container still reports after they moved on.

        Containers answer independently: an agent's new container may answer before its old one.
        """
        here = _short(domain)
        last = {event.name: event.state for event in events if isinstance(event, AgentSeen)}
        for event in events:
            if isinstance(event, Figures):
                last |= {agent.name: agent.state for agent in event.agents}
        late = set()
        for name, state in last.items():
            if state not in _LEFT:
                self._places[name] = here
            elif self._places.get(name, here) != here:
                late.add(name)
            elif state != "transit":
                self._places.pop(name, None)
        return late

    def _completed(self, figures: Figures, late: AbstractSet[str] = frozenset()) -> Figures:
        """Return a container's figures with the latest of others, without links to guests or late agents."""
        names = {_short(domain) for domain in self._tasks}
        for container in figures.containers:
            self._forget(container.name)
            self._containers[container.name] = container
            self._links[container.name] = tuple(link for link in figures.links if link.peer in names)
        gone = []
        for name in figures.gone:  # unless they moved and were seen elsewhere
            if self._places.get(name) in {None, *(each.name for each in figures.containers)}:
                self._places.pop(name, None)
                gone.append(name)
        return replace(
            figures,
            agents=tuple(agent for agent in figures.agents if agent.name not in late),
            containers=tuple(self._containers.values()),
            links=tuple(link for links in self._links.values() for link in links),
            gone=tuple(gone),
            missing=dict(self._missing),
        )

    def _forget(self, container: str) -> None:
        self._containers.pop(container, None)
        self._links.pop(container, None)

    async def _search(self) -> None:
        """Poll the directory and report changes."""
        directory = self._container.directory
        entries = await directory.search(Query(max_results=_ENTRIES))
        roles = await directory.search(Query(type=ROLE, max_results=_ENTRIES))
        changes: dict[str, Any] = {}
        if entries != self._entries:
            self._entries = entries
            changes["directory"] = tuple(map(_entry, entries))
        if roles != self._roles:
            self._roles = roles
            changes["groups"] = tuple(_roles(roles))
        if changes:
            self._events.append(self._completed(Figures(self._clock(), **changes)))

    async def _end(self, domain: str) -> None:
        await self._container.management.watch(domain, self._viewer, self.filters, 1, end=True)

    # -- acting ---------------------------------------------------------------------------------------------

    def pause(self) -> None:
        """Pause until `resume`; as `Feed.pause`."""
        super().pause()
        self._events = deque(each for each in self._events if not isinstance(each, MessageSeen))

    async def act(self, act: Act, **arguments: Any) -> str | None:
        """Carry out an action on the platform; as `Feed.act`."""
        if not self.may_act:
            raise refuse(act)
        return await self._actor.act(act, arguments)


def _short(domain: str) -> str:
    return domain.partition(".")[0]


def _entry(service: ServiceDescription) -> Entry:
    properties = {name: str(value) for name, value in service.properties.items()}
    return Entry(service.agent, service.type, service.name, properties)


def _roles(services: Iterable[ServiceDescription]) -> Iterator[RolePlayed]:
    for service in services:
        if (role := read_role(service.name)) is not None:
            yield RolePlayed(service.agent, *role)
