"""The state of a platform from a feed's batches: bounded, and the same for every view."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from formicary.observe.events import (
    AgentFigures,
    AgentSeen,
    Begun,
    DeadLetter,
    Figures,
    LeftOut,
    MessageSeen,
    MessageTaken,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary.observe.events import ContainerFigures, Entry, Event, Filters, LinkFigures, RolePlayed

_GONE = frozenset({"ended", "failed"})
_GAPS = 2000

K = TypeVar("K")
V = TypeVar("V")


class View:
    """Accumulates the state from events.

    Args:
        most_messages: how many of the latest messages to keep.
        most_agents: how many agents to keep; others appear only in containers' counts.
        most_dead: how many of the latest dead letters to keep.

    Attributes:
        at: the time of the state, in seconds since 1970; 0 at first.
        messages: by container and number, the oldest first.
        dead: dead letters, the oldest first.
        agents: present agents by full name.
        containers: the latest figures by name.
        links: the latest figures by container and peer.
        directory: its entries.
        groups: roles played.
        missing: containers that could not be asked, and why.
        shown: how many messages had an event.
        left_out: how many had none.
        gaps: the latest `LeftOut` events.
    """

    def __init__(self, most_messages: int = 2000, most_agents: int = 20_000, most_dead: int = 500) -> None:
        self._most_messages = most_messages
        self._most_agents = most_agents
        self.messages: dict[tuple[str, int], MessageSeen] = {}
        self.dead: deque[DeadLetter] = deque(maxlen=most_dead)
        self.gaps: deque[LeftOut] = deque(maxlen=_GAPS)
        self.begin_again()

    def begin_again(self) -> None:
        """Forget everything, as when a recording jumps to another time."""
        self.at = 0.0
        self.messages.clear()
        self.dead.clear()
        self.gaps.clear()
        self.agents: dict[str, AgentFigures] = {}
        self.containers: dict[str, ContainerFigures] = {}
        self.links: dict[tuple[str, str], LinkFigures] = {}
        self.directory: tuple[Entry, ...] = ()
        self.groups: tuple[RolePlayed, ...] = ()
        self.missing: dict[str, str] = {}
        self.shown = 0
        self.left_out = 0

    def take(self, batch: Iterable[Event]) -> None:
        """Apply a feed's batch."""
        for event in batch:
            self._take(event)

    def figures(self) -> Figures:
        """Return all figures as one event, for a view that starts now."""
        return Figures(
            self.at,
            tuple(self.containers.values()),
            tuple(self.agents.values()),
            links=tuple(self.links.values()),
            directory=self.directory,
            groups=self.groups,
            missing=self.missing,
        )

    def _take(self, event: Event) -> None:
        if not isinstance(event, LeftOut):
            self.at = event.at
        match event:
            case MessageSeen():
                self.shown += 1
                _keep(self.messages, (event.container, event.number), event, self._most_messages)
            case MessageTaken():
                key = event.container, event.number
                if (message := self.messages.get(key)) is not None:
                    self.messages[key] = replace(message, waited=event.waited)
            case AgentSeen():
                self._take_agent(event)
            case DeadLetter():
                self.dead.append(event)
            case LeftOut():
                self.left_out += event.left_out
                self.gaps.append(event)
            case Figures():
                self._take_figures(event)
            case Begun():
                self.begin_again()

    def _take_agent(self, event: AgentSeen) -> None:
        known = self.agents.get(event.name)
        if event.state in _GONE:
            if known is not None and known.container == event.container:  # it may have moved elsewhere
                del self.agents[event.name]
        elif known is not None:
            self.agents[event.name] = replace(known, container=event.container, state=event.state)
        elif len(self.agents) < self._most_agents:
            self.agents[event.name] = AgentFigures(event.name, event.container, event.kind, event.state)

    def _take_figures(self, event: Figures) -> None:
        names = {each.name for each in event.containers}
        self.containers = {each.name: each for each in event.containers}
        self.links = {(each.container, each.peer): each for each in event.links if each.container in names}
        self.missing = event.missing
        for agent in event.agents:
            if agent.name in self.agents or len(self.agents) < self._most_agents:
                self.agents[agent.name] = agent
        for name in event.gone:
            self.agents.pop(name, None)
        if event.directory is not None:
            self.directory = event.directory
        if event.groups is not None:
            self.groups = event.groups


def _keep(table: dict[K, V], key: K, value: V, most: int) -> None:
    """Append to a table, and drop the oldest entry if it is full."""
    table.pop(key, None)
    if len(table) >= most:
        del table[next(iter(table))]
    table[key] = value


def lets_through(filters: Filters, message: MessageSeen) -> bool:
    """Return whether a message passes the filters, as far as it was recorded, ignoring case."""
    return (
        (_has(message.sender, filters.agent) or _has(message.receiver, filters.agent))
        and (not filters.performative or filters.performative == message.performative)
        and (not filters.protocol or filters.protocol == message.protocol)
        and (not filters.conversation or filters.conversation == message.conversation)
        and _has(message.body, filters.text)
    )


def _has(text: str, part: str) -> bool:
    return not part or part.casefold() in text.casefold()
