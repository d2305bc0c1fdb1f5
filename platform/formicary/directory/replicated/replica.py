"""The replicated directory as a state machine: events in, instructions out; no I/O, no clock.

Every container writes its own entries, and has a copy of everybody else's. Updates are numbered by their
owner, so a container that has missed some asks the owner. `docs/replication.md` is the specification, and
says what readers may see meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formicary.directory.replicated.exchange import (
    Added,
    Ask,
    Broadcast,
    Head,
    Hello,
    More,
    Part,
    Removed,
    Updates,
    decode,
)
from formicary.directory.replicated.own_entries import OwnEntries
from formicary.directory.replicated.peer_replica import PeerReplica
from formicary.fipa.control_codec import Send, encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary.directory.model.description import ServiceDescription
    from formicary.directory.replicated.exchange import Instruction, Key

__all__ = ["Added", "Broadcast", "Removed", "Replica", "Send"]

_MOST: Final = 1 << 18  # entries of one container


class Replica:
    """All entries of the directory, as far as one container knows.

    After each call, do what `instructions` says, in that order, and clear it. What goes to another container
    must arrive in order or not at all; if it may not have arrived, `member_joined` has to be called again
    once the other can be reached.

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
        self._asks = 0

    # -- what is known --------------------------------------------------------------------------------------

    @property
    def members(self) -> tuple[str, ...]:
        """The other containers, to which broadcasts go."""
        return tuple(self._peers)

    # -- own entries ----------------------------------------------------------------------------------------

    def put(self, description: ServiceDescription) -> None:
        """Add an entry of this container's, or replace the one of the same agent and name.

        Others are told at the next `flush`. There is no instruction for it.
        """
        self._own.put((description.agent, description.name), description)

    def remove(self, key: Key) -> None:
        """Remove an entry of this container's, if it is there; as `put`."""
        self._own.remove(key)

    def flush(self) -> None:
        """Tell others what has changed here; to be called in each turn of the loop with changes."""
        for payload in self._own.flush(is_alone=not self._peers):
            self.instructions.append(Broadcast(payload))

    # -- others ---------------------------------------------------------------------------------------------

    def member_joined(self, domain: str, incarnation: int) -> None:
        """Called when another container is there, and what is sent to it from now on will arrive.

        To be called again whenever the link to it begins a new session, as what was sent before may be lost.
        """
        if domain == self._domain:
            return
        peer = self._peers.get(domain)
        if peer is None or peer.incarnation != incarnation:
            self.member_lost(domain)
            peer = self._peers[domain] = PeerReplica(incarnation)
        peer.ask = 0
        self._own.forget(domain)
        self._send(domain, [encode(Hello(self._incarnation, incarnation, self._own.number))])

    def member_lost(self, domain: str) -> None:
        """Called when another container is not there any more: its entries are removed."""
        self._own.forget(domain)
        peer = self._peers.pop(domain, None)
        if peer and peer.entries:
            self.instructions.append(Removed(domain, list(peer.entries)))

    def remind(self) -> None:
        """Tell others how far updates have gone, and ask again where nothing has come; call it regularly.

        Nothing depends on it as long as `member_joined` is called when it should be. If it is not, or if a
        payload gets lost for any other reason, this repairs it.
        """
        if self._peers:
            self.instructions.append(Broadcast(encode(Head(self._incarnation, self._own.number))))
        for domain, peer in self._peers.items():
            if peer.ask and not peer.has_moved:
                peer.ask = 0
                self._ask(domain, peer)
            peer.has_moved = False

    # -- receiving ------------------------------------------------------------------------------------------

    def receive(self, origin: str, payload: bytes | memoryview) -> None:
        """Take what another container has sent.

        Args:
            origin: the domain of that container, proven.
            payload: what came.

        Raises:
            ValueError: no replica says so; nothing has changed.
        """
        message = decode(payload)
        peer = self._peers.get(origin)
        if peer is None or message.incarnation != peer.incarnation:
            return  # of one that is no more, or that is not known yet: it will be told who is here
        if isinstance(message, Updates | Part):
            _check_owner(origin, message.put)
            if len(peer.entries) + len(message.put) > _MOST:
                raise ValueError(f"{origin} has more than {_MOST} services")
        if isinstance(message, Updates):
            self._take_updates(origin, peer, message)
        elif isinstance(message, Head):
            self._note_latest(origin, peer, message.number)
        elif message.to == self._incarnation:
            self._receive_directed(origin, peer, message)

    def _receive_directed(self, origin: str, peer: PeerReplica, message: Hello | Ask | Part | More) -> None:
        match message:
            case Hello():
                peer.ask = 0  # it may not have come, or what answered it may be lost
                self._send(origin, [encode(Head(self._incarnation, self._own.number))])
                self._note_latest(origin, peer, message.number)
            case Ask():
                self.flush()
                self._send(origin, self._own.answer(origin, message))
            case More():
                self.flush()
                self._send(origin, self._own.more(origin, message))
            case Part():
                self._take_part(origin, peer, message)

    def _note_latest(self, origin: str, peer: PeerReplica, number: int) -> None:
        """Take note that an owner's updates have gone up to a number."""
        peer.latest = max(peer.latest, number)
        self._ask(origin, peer)

    def _take_updates(self, origin: str, peer: PeerReplica, message: Updates) -> None:
        if message.number == peer.number + 1:
            removed = peer.update(message)
            self._report(origin, message.put, removed)
        elif message.number > peer.number:
            self._note_latest(origin, peer, message.number)

    def _take_part(self, origin: str, peer: PeerReplica, part: Part) -> None:
        if not peer.expects(part):
            return
        added, removed = peer.add(part)
        self._report(origin, added, removed)
        if part.is_last:
            self._ask(origin, peer)
        else:
            self._send(origin, [encode(More(self._incarnation, peer.incarnation, part.ask))])

    # -- doing ----------------------------------------------------------------------------------------------

    def _ask(self, domain: str, peer: PeerReplica) -> None:
        if peer.ask or not peer.is_behind:
            return
        self._asks += 1
        number = peer.begin(self._asks)
        self._send(domain, [encode(Ask(self._incarnation, peer.incarnation, self._asks, number))])

    def _report(self, owner: str, added: Sequence[ServiceDescription], removed: Sequence[Key]) -> None:
        if added:
            self.instructions.append(Added(owner, added))
        if removed:
            self.instructions.append(Removed(owner, removed))

    def _send(self, domain: str, payloads: Iterable[bytes]) -> None:
        self.instructions.extend(Send(domain, payload) for payload in payloads)


def _check_owner(origin: str, descriptions: Iterable[ServiceDescription]) -> None:
    """Refuse entries of agents that do not live where they come from.

    Raises:
        ValueError: there is one.
    """
    home = f"@{origin}"
    for description in descriptions:
        if not description.agent.endswith(home):
            raise ValueError(f"{origin} cannot register services of {description.agent}")
