"""A container's own entries of the directory, sent to others as numbered updates or snapshots."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from msgspec.structs import astuple

from formicary.directory.replicated.exchange import Departure, Part, Updates
from formicary.fipa.control_codec import encode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary.directory.model.description import ServiceDescription
    from formicary.directory.model.registrations import Successor
    from formicary.directory.replicated.exchange import Ask, Key, More

BATCH: Final = 256
"""The most entries in an update or a part: at 16 KiB each, they fit in a message."""

LOG_BYTES: Final = 1 << 20
"""Bytes of the latest updates kept for containers that missed some."""

AHEAD: Final = 4
"""Parts of a snapshot that are sent before the first is confirmed."""

DEPARTURES: Final = 1024
"""The most agents that have moved on that a snapshot names: the latest."""


@dataclass(slots=True)
class _Snapshot:
    """A snapshot under way to one container."""

    ask: int
    keys: list[Key]  # when it began
    agents: list[str]  # that had moved when it began
    sent: int = 0  # number of keys in earlier parts
    parts: int = 0


class OwnEntries:
    """A container's own entries, which no other changes."""

    def __init__(self, incarnation: int) -> None:
        self.incarnation = incarnation
        self.entries: dict[Key, ServiceDescription] = {}
        self.number = 0
        """The number of the latest update."""
        self.moves: dict[str, int] = {}
        """The number of moves of each agent that has moved."""
        self.told: dict[str, int] = {}
        """The same, of agents of which others know something, or will with the next updates."""
        self._untold: dict[int, dict[str, int]] = {}  # the same, by the number of the update that reports it
        self.departures: dict[str, Departure] = {}
        """The departures of agents, the latest last."""
        self._left: dict[str, Departure] = {}  # the same, since the latest update
        self._changes: dict[Key, ServiceDescription | None] = {}  # since the latest update; None: removed
        self._log: deque[bytes] = deque()  # the latest updates, without a gap
        self._log_bytes = 0
        self._snapshots: dict[str, _Snapshot] = {}

    def put(self, key: Key, description: ServiceDescription) -> None:
        """Add an entry, or replace it."""
        self.entries[key] = self._changes[key] = description
        if self.moves and key[0] in self.moves:
            self._tell_of(key[0])

    def remove(self, key: Key) -> None:
        """Remove an entry, if it exists."""
        if self.entries.pop(key, None) is not None:
            self._changes[key] = None

    @property
    def next_number(self) -> int:
        """The number of the update that completes all changes so far."""
        return self.number + -(-len(self._changes) // BATCH)

    def arrive(self, agent: str, moves: int, *, has_entries: bool) -> None:
        """Record that an agent has arrived, after its entries were put here."""
        self.moves[agent] = moves
        self.departures.pop(agent, None)
        if has_entries:
            self._tell_of(agent)

    def _tell_of(self, agent: str) -> None:
        """Report that an agent lives here with the update of the last changes, unless it is reported."""
        if agent not in self.told:
            moves = self.told[agent] = self.moves[agent]
            self._left.pop(agent, None)
            self._untold.setdefault(self.next_number, {})[agent] = moves

    def depart(self, agent: str, successor: Successor | None, *, had_entries: bool) -> Departure | None:
        """Record that an agent has gone, after its entries were removed here.

        Returns:
            The departure that is reported to others; None if they know nothing of the agent.
        """
        self.moves.pop(agent, None)
        if self.told.pop(agent, None) is None and not had_entries:
            return None
        for untold in self._untold.values():
            untold.pop(agent, None)
        departure = Departure() if successor is None else Departure(*astuple(successor))
        self._left[agent] = departure
        if successor is not None:
            self.departures[agent] = departure
            if len(self.departures) > DEPARTURES:
                del self.departures[next(iter(self.departures))]
        return departure

    def flush(self, *, is_alone: bool) -> Iterator[bytes]:
        """Yield the changes since the latest update as updates; if alone, only count them."""
        changes, left, untold = iter(self._changes.items()), self._left, self._untold
        self._changes, self._left, self._untold = {}, {}, {}
        told: set[str] = set()
        while batch := list(islice(changes, BATCH)):
            self.number += 1
            if is_alone:
                self._clear_log()
                continue
            put = [description for _, description in batch if description is not None]
            removed = [key for key, description in batch if description is None]
            agents = {agent for (agent, _), _ in batch} if left else ()
            told.update(agents)
            gone = {agent: left[agent] for agent in agents if agent in left}
            yield self._update(put, removed, untold.get(self.number, {}), gone)
        rest = iter([(agent, departure) for agent, departure in left.items() if agent not in told])
        while gone := dict(islice(rest, BATCH)):
            self.number += 1
            if not is_alone:
                yield self._update([], [], {}, gone)

    def _update(
        self,
        put: list[ServiceDescription],
        removed: list[Key],
        moves: dict[str, int],
        left: dict[str, Departure],
    ) -> bytes:
        payload = encode(Updates(self.incarnation, self.number, put, removed, moves, left))
        self._keep(payload)
        return payload

    def _keep(self, payload: bytes) -> None:
        self._log.append(payload)
        self._log_bytes += len(payload)
        while self._log_bytes > LOG_BYTES:
            self._log_bytes -= len(self._log.popleft())

    def _clear_log(self) -> None:
        self._log.clear()
        self._log_bytes = 0

    def answer(self, domain: str, question: Ask) -> Iterator[bytes]:
        """Yield the updates that a container lacks, or the first parts of a snapshot. Call `flush` before."""
        self.forget(domain)
        lacks = len(self._log) + 1 if question.number is None else self.number - question.number
        if 0 <= lacks <= len(self._log):
            yield from islice(self._log, len(self._log) - lacks, None)
            return
        self._snapshots[domain] = _Snapshot(question.ask, list(self.entries), list(self.told))
        for _ in range(AHEAD):
            yield from self._next_part(domain, question)

    def more(self, domain: str, message: More) -> Iterator[bytes]:
        """Yield another part of the snapshot for a container, if there is one."""
        yield from self._next_part(domain, message)

    def _next_part(self, domain: str, message: Ask | More) -> Iterator[bytes]:
        """Yield a part with the current entries.

        Changes since the snapshot began were broadcast before this part: so the current version of changed
        entries is right, and removed ones are left out.
        """
        snapshot = self._snapshots.get(domain)
        if snapshot is None or snapshot.ask != message.ask:
            return
        keys = snapshot.keys[snapshot.sent : snapshot.sent + BATCH]
        snapshot.sent += BATCH
        agents: list[str] = []
        if snapshot.sent >= len(snapshot.keys):  # agents follow when all their entries are sent
            agents, snapshot.agents = snapshot.agents[:BATCH], snapshot.agents[BATCH:]
        is_last = snapshot.sent >= len(snapshot.keys) and not snapshot.agents
        put = [self.entries[key] for key in keys if key in self.entries]
        index = snapshot.parts
        snapshot.parts += 1
        if is_last:
            self.forget(domain)
        moves = {agent: self.told[agent] for agent in agents if agent in self.told}
        left = self.departures if is_last else {}
        yield encode(
            Part(
                self.incarnation, message.incarnation, message.ask, index, self.number, is_last, put, moves,
                left,
            )
        )  # fmt: skip

    def forget(self, domain: str) -> None:
        """Stop sending a snapshot to a container."""
        self._snapshots.pop(domain, None)
