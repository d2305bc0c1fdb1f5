"""The replicated directory as a state machine: events in, instructions out; no I/O, no clock.

Every container writes its own entries, and has a copy of all others. Owners number their updates, so a
container that missed some asks the owner. `docs/replication.md` is the specification, including what readers
may see meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formicary.core.names import is_container_of
from formicary.directory.model.registrations import Successor
from formicary.directory.replicated.exchange import (
    Added,
    Arrived,
    Ask,
    Broadcast,
    Departure,
    Ended,
    Head,
    Hello,
    More,
    Part,
    Removed,
    Renewed,
    Updates,
    decode,
)
from formicary.directory.replicated.own_entries import OwnEntries
from formicary.directory.replicated.peer_replica import Held, HeldEntries, PeerReplica
from formicary.fipa.control_codec import Send, encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from formicary.directory.model.description import ServiceDescription
    from formicary.directory.replicated.exchange import Instruction, Key

__all__ = ["Added", "Arrived", "Broadcast", "Ended", "Removed", "Replica", "Send"]

_MOST: Final = 1 << 18  # entries of one container


class Replica:
    """All entries of the directory that one container knows.

    After each call, perform `instructions` in order, and clear it. Messages to another container must arrive
    in order or not at all; if one may be lost, call `member_joined` again once the other can be reached.

    Args:
        domain: the container's full domain.
        incarnation: a number that no earlier container of this domain had.
    """

    def __init__(self, domain: str, incarnation: int) -> None:
        self.instructions: list[Instruction] = []
        self._domain = domain
        self._incarnation = incarnation
        self._own = OwnEntries(incarnation)
        self._peers: dict[str, PeerReplica] = {}
        self._lost: dict[str, int] = {}  # the incarnations of lost containers
        self._held = HeldEntries()
        self._asks = 0

    # -- state ----------------------------------------------------------------------------------------------

    @property
    def members(self) -> tuple[str, ...]:
        """The other containers, which get broadcasts."""
        return tuple(self._peers)

    def has_told(self, domain: str) -> bool:
        """Return whether all entries that another container has announced are here."""
        peer = self._peers.get(domain)
        return peer is not None and peer.has_told and not peer.is_behind

    @property
    def own(self) -> Mapping[Key, ServiceDescription]:
        """This container's own entries."""
        return self._own.entries

    # -- own entries ----------------------------------------------------------------------------------------

    def put(self, description: ServiceDescription) -> None:
        """Add an entry of this container, or replace the one of the same agent and name.

        It is sent at the next `flush`, and yields no instruction before.
        """
        self._own.put((description.agent, description.name), description)

    def remove(self, key: Key) -> None:
        """Remove an entry of this container, if it exists; as `put`."""
        self._own.remove(key)

    def arrive(self, agent: str, moves: int, *, has_entries: bool) -> Successor | None:
        """Record that an agent has arrived from another container, after its entries were put here.

        Returns:
            The `successor` for `depart` in its former container; None if it has no entries.
        """
        self._own.arrive(agent, moves, has_entries=has_entries)
        self._arrive(self._domain, {agent: moves})
        return Successor(self._domain, self._incarnation, self._own.next_number) if has_entries else None

    def depart(self, agent: str, keys: Iterable[Key], successor: Successor | None) -> None:
        """Remove the entries of an agent that has gone; readers see them until they see the successor's.

        Args:
            agent: its full name.
            keys: the keys of its entries.
            successor: the result of `arrive` where it is now; None if it has ended.
        """
        removed = list(keys)
        for key in removed:
            self._own.remove(key)
        departure = self._own.depart(agent, successor, had_entries=bool(removed))
        self._let_go(self._domain, removed, {agent: departure or Departure()})

    def flush(self) -> None:
        """Send changes to others; call this in each turn of the loop with changes."""
        for payload in self._own.flush(is_alone=not self._peers):
            self.instructions.append(Broadcast(payload))

    # -- other containers -----------------------------------------------------------------------------------

    def member_joined(self, domain: str, incarnation: int) -> None:
        """Called when another container can be reached from now on.

        Call it again whenever the link to it begins a new session, as earlier messages may be lost.
        """
        if domain == self._domain:
            return
        peer = self._peers.get(domain)
        if peer is None or peer.incarnation != incarnation:
            self.member_lost(domain)
            peer = self._peers[domain] = PeerReplica(incarnation)
            self._lost.pop(domain, None)
        peer.ask = 0
        self._follow(domain)
        self._own.forget(domain)
        self._send(domain, [encode(Hello(self._incarnation, incarnation, self._own.number))])

    def member_lost(self, domain: str) -> None:
        """Remove the entries of a container that is gone."""
        self._own.forget(domain)
        peer = self._peers.pop(domain, None)
        if peer is None:
            return
        self._lost[domain] = peer.incarnation
        if not peer.is_whole:
            self.instructions.append(Renewed(domain, is_over=True))
        if peer.moves:
            self.instructions.append(Ended(domain, list(peer.moves)))
        if peer.entries:
            self.instructions.append(Removed(domain, list(peer.entries)))
        self._follow(domain)

    def remind(self) -> None:
        """Send others the latest number, and repeat requests without an answer; call this regularly.

        It is needed only if `member_joined` was not called when it should have been, or a payload was lost
        for any other reason.
        """
        if self._peers:
            self.instructions.append(Broadcast(encode(Head(self._incarnation, self._own.number))))
        for domain, peer in self._peers.items():
            if peer.ask and not peer.has_news:
                peer.ask = 0
                self._ask(domain, peer)
            peer.has_news = False
        self._show(self._held.remind(self._peers))

    # -- receiving ------------------------------------------------------------------------------------------

    def receive(self, sender: str, payload: bytes | memoryview) -> None:
        """Handle a payload of another container, whose domain is authenticated.

        Raises:
            ValueError: it is invalid; nothing has changed.
        """
        message = decode(payload)
        peer = self._peers.get(sender)
        if peer is None or message.incarnation != peer.incarnation:
            return  # from one that is gone or not yet known, which will get a `Hello`
        if isinstance(message, Updates | Part):
            self._check_owner(sender, message)
            if len(peer.entries) + len(message.put) > _MOST:
                raise ValueError(f"{sender} has more than {_MOST} services")
        if isinstance(message, Updates):
            self._take_updates(sender, peer, message)
        elif isinstance(message, Head):
            self._note_latest(sender, peer, message.number)
        elif message.to == self._incarnation:
            self._receive_directed(sender, peer, message)

    def _receive_directed(self, sender: str, peer: PeerReplica, message: Hello | Ask | Part | More) -> None:
        match message:
            case Hello():
                peer.ask = 0  # the request or its answer may be lost
                self._send(sender, [encode(Head(self._incarnation, self._own.number))])
                self._note_latest(sender, peer, message.number)
            case Ask():
                self.flush()
                self._send(sender, self._own.answer(sender, message))
            case More():
                self.flush()
                self._send(sender, self._own.more(sender, message))
            case Part():
                self._take_part(sender, peer, message)

    def _note_latest(self, sender: str, peer: PeerReplica, number: int) -> None:
        """Record that an owner's updates have reached a number."""
        peer.has_told = True
        peer.latest = max(peer.latest, number)
        self._ask(sender, peer)

    def _take_updates(self, sender: str, peer: PeerReplica, message: Updates) -> None:
        if message.number == peer.number + 1:
            removed = peer.update(message)
            self._report(sender, message.put)
            self._arrive(sender, message.moves)
            self._let_go(sender, removed, message.left)
            self._follow(sender)
        elif message.number > peer.number:
            self._note_latest(sender, peer, message.number)

    def _take_part(self, sender: str, peer: PeerReplica, part: Part) -> None:
        if not peer.expects(part):
            return
        was_whole = peer.is_whole
        added, removed, ended = peer.add(part)
        self._report(sender, added)
        self._arrive(sender, part.moves)
        if peer.is_whole != was_whole:
            self.instructions.append(Renewed(sender, is_over=peer.is_whole))
        if ended:
            self.instructions.append(Ended(sender, ended))
        self._let_go(sender, removed, part.left)
        if part.is_last:
            self._follow(sender)
            self._ask(sender, peer)
        else:
            self._send(sender, [encode(More(self._incarnation, peer.incarnation, part.ask))])

    # -- actions --------------------------------------------------------------------------------------------

    def _ask(self, domain: str, peer: PeerReplica) -> None:
        if peer.ask or not peer.is_behind:
            return
        self._asks += 1
        number = peer.begin(self._asks)
        self._send(domain, [encode(Ask(self._incarnation, peer.incarnation, self._asks, number))])

    def _report(self, owner: str, added: Sequence[ServiceDescription]) -> None:
        if added:
            self.instructions.append(Added(owner, added))

    def _send(self, domain: str, payloads: Iterable[bytes]) -> None:
        self.instructions.extend(Send(domain, payload) for payload in payloads)

    # -- agents that have moved -----------------------------------------------------------------------------

    def _arrive(self, owner: str, moves: Mapping[str, int]) -> None:
        """Report that agents have arrived in a container, perhaps back, and forget entries held of it."""
        if not moves:
            return
        if self._held:
            kept = [key for agent in moves for key in self._held.take(owner, agent)]
            if gone := self._not_in(owner, kept):
                self.instructions.append(Removed(owner, gone))
        self.instructions.append(Arrived(owner, moves))

    def _let_go(self, owner: str, removed: Sequence[Key], left: Mapping[str, Departure]) -> None:
        """Report entries as removed, or hold them until they are seen where their agents have gone."""
        gone: list[Key] = []
        ended = []
        waiting = {agent: self._held.take(owner, agent) for agent in left}
        for key in removed:
            waiting.get(key[0], gone).append(key)
        for agent, keys in waiting.items():
            departure = self._follow_departures(agent, left[agent])
            is_seen = self._is_seen(departure)
            if not is_seen:  # also without keys: agents from elsewhere go the same way
                self._held.hold(Held(owner, agent, keys, departure))
            if is_seen or not keys:
                gone += self._not_in(owner, keys)
                ended.append(agent)
        if ended:
            self.instructions.append(Ended(owner, ended))
        if gone:
            self.instructions.append(Removed(owner, gone))

    def _follow_departures(self, agent: str, departure: Departure) -> Departure:
        """Follow an agent's departures to the first that is not seen yet, or the last known."""
        passed = set()
        while self._is_seen(departure) and departure.domain not in passed:
            passed.add(departure.domain)
            further = self._held.departure(departure.domain, agent)
            if further is None:
                break
            departure = further
        return departure

    def _is_seen(self, departure: Departure) -> bool:
        """Return whether an agent's entries are seen where it has gone, or never will be."""
        if departure.domain in {"", self._domain}:
            return True
        if departure.incarnation <= self._lost.get(departure.domain, -1):
            return True
        peer = self._peers.get(departure.domain)
        if peer is None or peer.incarnation < departure.incarnation:
            return False
        return peer.incarnation > departure.incarnation or (peer.is_whole and peer.number >= departure.number)

    def _follow(self, domain: str) -> None:
        """Report entries held until they are seen in a container, unless their agents have moved on."""
        if not self._held:
            return
        due = []
        for held in self._held.due(domain, self._is_seen):
            further = self._follow_departures(held.agent, held.departure)
            if self._is_seen(further):
                due.append(held)
            else:
                self._held.hold(Held(held.owner, held.agent, held.keys, further))
        self._show(due)

    def _show(self, due: Iterable[Held]) -> None:
        for it in due:
            self.instructions.append(Ended(it.owner, [it.agent]))
            if keys := self._not_in(it.owner, it.keys):
                self.instructions.append(Removed(it.owner, keys))

    def _not_in(self, owner: str, keys: Iterable[Key]) -> list[Key]:
        """Return the keys that a container does not have: an agent may have come back."""
        peer = self._peers.get(owner)
        entries = self._own.entries if owner == self._domain else {} if peer is None else peer.entries
        return [key for key in keys if key not in entries]

    def _check_owner(self, sender: str, message: Updates | Part) -> None:
        """Check that the sender may own all entries; ValueError if not."""
        home, platform = f"@{sender}", self._domain.partition(".")[2]
        others = [it.agent for it in message.put if not it.agent.endswith(home)]
        for agent in dict.fromkeys([*others, *message.moves]):
            if not is_container_of(agent.partition("@")[2], platform):
                raise ValueError(f"{sender} cannot register services of {agent}")
