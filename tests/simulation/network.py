"""The network between processes: direct connections and an XMPP server, with faults."""

from __future__ import annotations

import asyncio
import random
import re
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, SubElement

from tests.simulation.loop import PROCESS

from formicary.errors import LinkError, NameTakenError
from formicary.server.address import ServerAddress
from formicary.transport.addresses import JoinAddress
from formicary.transport.direct import Offer
from formicary.transport.xmpp.stream import COMPONENT

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.loop import Process, SimulatedLoop

PLATFORM = "lab.localhost"
SERVER = "server"
_ERRORS = "urn:ietf:params:xml:ns:xmpp-stanzas"
_STANZA = re.compile(rb"<message from='([^']*)' to='([^']*)'[^>]*><frame [^>]*>([^<]*)<")
_JOIN_KEY = bytes(32)
_OPENING = 5.0  # s until a dial is given up
_CONNECTING = 10.0  # s until the server is
_LATE = (0.05, 0.5, 4.0, 40.0)  # s that a frame is late which others overtake


class Network:
    """Everything between the containers.

    Args:
        loop: the loop.
        seed: of chance.
        note: called with a line for each event.

    Attributes:
        loss: the share of frames that get lost.
        twice: the share that comes twice.
        late: the share that others overtake.
        delay: seconds that a frame is on its way.
        capacity: bytes in transit over one connection at which it is full.
    """

    def __init__(self, loop: SimulatedLoop, seed: int, note: Callable[[str], None]) -> None:
        self.loop = loop
        self.seed = seed
        self.note = note
        self.capacity = 1 << 20
        self.cuts: dict[tuple[str, str], None] = {}
        self.endpoints: dict[str, Endpoint] = {}
        self.wires: dict[Wire, None] = {}
        self.server = Server(self)
        self._count = 0
        self.calm()

    def calm(self) -> None:
        """Deliver all frames from now on, soon and in order."""
        self.loss = self.twice = self.late = 0.0
        self.delay = 0.002

    def heal(self) -> None:
        """Heal everything."""
        self.calm()
        self.mend_all()

    def mend_all(self) -> None:
        """Restore all connections and the server."""
        self.cuts.clear()
        self.server.proceed()
        self.server.start()

    def is_cut(self, one: str, other: str) -> bool:
        """Return whether two places are cut off from each other."""
        return (min(one, other), max(one, other)) in self.cuts

    def cut(self, one: str, other: str) -> None:
        """Cut two places off from each other."""
        self.cuts[min(one, other), max(one, other)] = None

    def mend(self, one: str, other: str) -> None:
        """Reconnect two places."""
        self.cuts.pop((min(one, other), max(one, other)), None)

    def line(self, source: str, target: str) -> Line:
        """Return a new line from one place to another."""
        self._count += 1
        return Line(self, source, target, random.Random(f"{self.seed}/{source}/{target}/{self._count}"))

    def lose(self, process: Process, *, silently: bool = False) -> None:
        """Called when a process has died: the system ends its connections, or has died with it."""
        for endpoint in tuple(self.endpoints.values()):
            if endpoint.process is process:
                del self.endpoints[endpoint.domain]
        for wire in tuple(self.wires):
            if wire.process is process and silently:
                del self.wires[wire]
            elif wire.process is process:
                wire.break_()
        self.server.lose(process)

    def break_connections(self, domain: str) -> None:
        """Break all direct connections of a container, on both sides."""
        for wire in tuple(self.wires):
            if wire.domain == domain:
                wire.break_()


class Line:
    """One direction of a connection.

    Args:
        network: the network.
        source: its start.
        target: its end.
        chance: decides the fate of its frames.
    """

    def __init__(self, network: Network, source: str, target: str, chance: random.Random) -> None:
        self._network = network
        self._source = source
        self._target = target
        self._chance = chance
        self._latest = 0.0

    def send(self, size: int, what: str, process: Process | None, arrive: Callable[[], None]) -> int:
        """Deliver something, or not; return how often."""
        network, chance = self._network, self._chance
        luck, times = chance.random(), []
        copies = 0 if luck < network.loss else 2 if luck > 1 - network.twice else 1
        if network.is_cut(self._source, self._target):
            copies = 0
        for _ in range(copies):
            due = network.loop.time() + network.delay * chance.uniform(0.5, 1.5)
            if chance.random() < network.late:
                due += chance.choice(_LATE)
            else:
                due = self._latest = max(due, self._latest + 1e-6)
            times.append(due)
            context = None if process is None else process.context
            network.loop.call_at(due, arrive, context=context)
        network.note(f"{self._source}>{self._target} {what} {size} {[round(due, 6) for due in times]}")
        return copies


class Wire:
    """One end of a direct connection, as `DirectConnection`.

    Args:
        network: the network.
        process: the owner.
        domain: the owner's.
        peer: the other end's.
        is_dialler: whether this side has dialled.
    """

    description = "a wire"

    def __init__(
        self, network: Network, process: Process, domain: str, peer: str, *, is_dialler: bool
    ) -> None:
        self.process = process
        self.domain = domain
        self.peer = peer
        self.is_dialler = is_dialler
        self.has_room = True
        self.other: Wire
        self._network = network
        self._line = network.line(domain, peer)
        self._early: list[bytes] = []
        self._on_frame: Callable[[bytes], None] = self._early.append
        self._on_read_end: Callable[[], None] = lambda: None
        self._on_room: Callable[[bool], None] = lambda _: None
        self._on_lost: Callable[[LinkError], None] | None = None
        self._is_over = False
        self._is_silent = False  # nothing is called any more
        self._under_way = 0
        network.wires[self] = None

    def start(
        self,
        *,
        on_frame: Callable[[bytes], None],
        on_read_end: Callable[[], None],
        on_room: Callable[[bool], None],
        on_lost: Callable[[LinkError], None],
    ) -> None:
        self._on_frame, self._on_read_end, self._on_room, self._on_lost = (
            on_frame,
            on_read_end,
            on_room,
            on_lost,
        )
        early, self._early = self._early, []
        for frame in early:
            on_frame(frame)
        if early:
            on_read_end()
        if self._is_over:
            self._tell()

    def send(self, frame: bytes) -> None:
        if self._is_over:
            return
        size = len(frame)
        copies = self._line.send(
            size, f"direct {frame[0]}", self.other.process, lambda: self.other.arrive(frame)
        )
        self._under_way += size * copies
        if self._under_way > self._network.capacity:
            self.has_room = False

    def arrive(self, frame: bytes) -> None:
        """Called when a frame of the other end comes here."""
        self.other.process.call(0.0, self.other.leave, len(frame))
        if not self._is_over and not self._is_silent:
            self._on_frame(frame)
            self._on_read_end()

    def leave(self, size: int) -> None:
        """Called when the other end has taken bytes."""
        self._under_way -= size
        if not self.has_room and self._under_way <= self._network.capacity // 2:
            self.has_room = True
            if not self._is_silent and not self._is_over:
                self._on_room(True)

    def abort(self) -> None:
        self._is_over = self._is_silent = True
        self._network.wires.pop(self, None)
        self.other.process.call(self._network.delay, self.other.end)

    async def close(self) -> None:
        self._is_silent = True
        await asyncio.sleep(self._network.delay * 2)  # what was sent gets there
        self.abort()

    def rebind(self) -> None:
        pass

    def break_(self) -> None:
        """Break the connection, on both sides."""
        for end in (self, self.other):
            end.process.call(self._network.delay, end.end)

    def end(self) -> None:
        """Called when the connection has ended."""
        if not self._is_over:
            self._is_over = True
            self._network.wires.pop(self, None)
            self._tell()

    def _tell(self) -> None:
        if self._on_lost is not None and not self._is_silent:
            lost, self._on_lost = self._on_lost, None
            lost(LinkError("it broke"))


class Endpoint:
    """Stands in for `DirectEndpoint`: dials others, and accepts those that have its offer.

    Args:
        network: the network.
        domain: the container's.
        on_connection: as of `DirectEndpoint`.
        admit: as of `DirectEndpoint`.
    """

    join_address = None

    def __init__(
        self,
        network: Network,
        domain: str,
        *,
        on_connection: Callable[[Any], None],
        admit: Callable[[str], str | None],
        **_: Any,
    ) -> None:
        process = PROCESS.get()
        assert process is not None
        self.process = process
        self.domain = domain
        self._network = network
        self._on_connection = on_connection
        self._admit = admit
        self._certificate = f"{domain}/{process.life}".encode()
        self._expected: dict[str, bytes] = {}
        self._keys: dict[str, bytes] = {}
        self.peers = self

    async def open(self) -> None:
        self._network.endpoints[self.domain] = self

    def keep(self) -> None:
        pass

    async def close(self) -> None:
        if self._network.endpoints.get(self.domain) is self:
            del self._network.endpoints[self.domain]

    def offer(self, peer: str) -> Offer:
        key = f"{len(self._keys)}/{self.process.life}".encode().ljust(32)
        return Offer(
            host="h",
            unix=None,
            tcp=(),
            tls=True,
            certificate=self._certificate,
            key=self._keys.setdefault(peer, key),
        )

    def expect(self, peer: str, certificate: bytes) -> None:
        self._expected[peer] = certificate

    def forget(self, peer: str) -> None:
        self._expected.pop(peer, None)
        self._keys.pop(peer, None)

    async def dial(self, peer: str, offer: Offer | JoinAddress) -> Wire:
        network = self._network
        await asyncio.sleep(network.delay)
        target = network.endpoints.get(peer)
        if target is None and not network.is_cut(self.domain, peer):
            try:
                raise ConnectionRefusedError  # noqa: TRY301 -- who looks at the error's cause is to find it
            except ConnectionRefusedError:
                raise LinkError(f"cannot connect to {peer}: nobody listens there; is it running?") from None
        attempt: asyncio.Future[Wire] = network.loop.create_future()
        if target is not None and not network.is_cut(self.domain, peer):
            target.process.call(network.delay, target._welcome, self, offer, attempt)
        try:
            async with asyncio.timeout(_OPENING):
                return await attempt
        except TimeoutError:
            raise LinkError(f"cannot connect to {peer}: no answer") from None
        except asyncio.CancelledError:
            if attempt.done() and not attempt.cancelled() and attempt.exception() is None:
                attempt.result().abort()
            raise

    def _welcome(self, source: Endpoint, offer: Offer | JoinAddress, attempt: asyncio.Future[Wire]) -> None:
        network, peer = self._network, source.domain
        if attempt.done() or not source.process.is_alive:
            return
        if isinstance(offer, JoinAddress):
            is_admitted = self._admit(peer) is None
        else:
            is_expected = self._expected.get(peer) == source._certificate
            is_admitted = is_expected and self._keys.get(peer) == offer.key
        network.note(f"{peer} dials {self.domain}: {is_admitted}")
        if not is_admitted:
            source.process.call(network.delay, _refuse, attempt, self.domain)
            return
        here = Wire(network, self.process, self.domain, peer, is_dialler=False)
        there = Wire(network, source.process, peer, self.domain, is_dialler=True)
        here.other, there.other = there, here
        source.process.call(network.delay, _accept, attempt, there)
        self._on_connection(here)


def _refuse(attempt: asyncio.Future[Wire], peer: str) -> None:
    if not attempt.done():
        attempt.set_exception(LinkError(f"{peer} closed the connection before accepting this container"))


def _accept(attempt: asyncio.Future[Wire], wire: Wire) -> None:
    if attempt.done():
        wire.abort()
    else:
        attempt.set_result(wire)


def join_address(domain: str) -> JoinAddress:
    """Return a container's join address."""
    return JoinAddress(
        host="h", unix=None, tcp=(), tls=True, domain=domain, fingerprint=bytes(32), key=_JOIN_KEY
    )


class Server:
    """An XMPP server, as containers see it: it passes frames on, or returns them.

    Args:
        network: the network.
    """

    address = ServerAddress(host=SERVER, port=5347, secret="", platform=PLATFORM)

    def __init__(self, network: Network) -> None:
        self._network = network
        self.is_up = True
        self.is_stopped = False
        self.streams: dict[str, Stream] = {}
        self._held: list[tuple[Stream, bytes]] = []

    def kill(self) -> None:
        """Kill it: all connections break, what it had is lost."""
        self.is_up = self.is_stopped = False
        self._held.clear()
        streams, self.streams = self.streams, {}
        for stream in streams.values():
            stream.break_()

    def start(self) -> None:
        """Restart it."""
        self.is_up = True

    def stop(self) -> None:
        """Stop it."""
        self.is_stopped = self.is_up

    def proceed(self) -> None:
        """Resume it, with what arrived meanwhile."""
        self.is_stopped = False
        held, self._held = self._held, []
        for stream, data in held:
            self.take(stream, data)

    def lose(self, process: Process) -> None:
        """Called when a container's process has died."""
        for domain, stream in tuple(self.streams.items()):
            if stream.process is process:
                del self.streams[domain]

    def take(self, stream: Stream, data: bytes) -> None:
        """Called with data from a stream."""
        if self.streams.get(stream.domain) is not stream:
            return
        if self.is_stopped:
            self._held.append((stream, data))
            return
        stream.process.call(0.0, stream.leave, len(data))
        found = _STANZA.match(data)
        if found is None:
            return
        origin, target, text = found.groups()
        receiver = self.streams.get(target.decode())
        if receiver is None:
            stream.bounce(target.decode())
        else:
            receiver.pass_on(origin.decode(), text)


class Stream:
    """A container's connection to the server, as `XmppStream`.

    Args:
        network: the network.
        domain: the container's.
        callbacks: as of `XmppStream`.
    """

    def __init__(self, network: Network, domain: str, **callbacks: Any) -> None:
        process = PROCESS.get()
        assert process is not None
        self.process = process
        self.domain = domain
        self._network = network
        self._callbacks = callbacks
        self._up = network.line(domain, SERVER)
        self._down = network.line(SERVER, domain)
        self._is_over = True
        self._under_way = 0
        self._has_room = True

    async def connect(self) -> None:
        network, server = self._network, self._network.server
        try:
            async with asyncio.timeout(_CONNECTING):
                await asyncio.sleep(network.delay * 2)
                while server.is_stopped or network.is_cut(self.domain, SERVER):  # noqa: ASYNC110 -- no event
                    await asyncio.sleep(0.5)
        except TimeoutError:
            raise LinkError("cannot connect to the server: no answer") from None
        if not server.is_up:
            raise LinkError("cannot connect to the server: nobody listens there")
        if self.domain in server.streams:
            raise NameTakenError(f"{self.domain} is connected already")
        server.streams[self.domain] = self
        self._is_over = False
        network.note(f"{self.domain} connects to the server")

    def write(self, data: bytes) -> None:
        if self._is_over:
            return
        server = self._network.server
        copies = self._up.send(len(data), "stanza", None, lambda: server.take(self, data))
        self._under_way += copies * len(data)
        if self._has_room and self._under_way > self._network.capacity:
            self._has_room = False
            self._callbacks["on_room"](False)

    def leave(self, size: int) -> None:
        """Called when the server has taken bytes."""
        self._under_way -= size
        if not self._has_room and self._under_way <= self._network.capacity // 2:
            self._has_room = True
            if not self._is_over:
                self._callbacks["on_room"](True)

    def pass_on(self, origin: str, text: bytes) -> None:
        """Called by the server with a frame for this container."""
        self._down.send(len(text), "frame", self.process, lambda: self._arrive(origin, text))

    def _arrive(self, origin: str, text: bytes) -> None:
        if not self._is_over:
            self._callbacks["on_frame"](origin, text)
            self._callbacks["on_read_end"]()

    def bounce(self, origin: str) -> None:
        """Called by the server with an unknown receiver."""
        self.process.call(self._network.delay, self._bounced, origin)

    def _bounced(self, origin: str) -> None:
        stanza = Element(
            f"{{{COMPONENT}}}message", {"type": "error", "from": origin, "to": self.domain, "id": "f"}
        )
        error = SubElement(stanza, f"{{{COMPONENT}}}error", {"type": "wait"})
        SubElement(error, f"{{{_ERRORS}}}service-unavailable")
        if not self._is_over:
            self._callbacks["on_stanza"](stanza)

    def break_(self) -> None:
        """Called when the server has gone."""
        self.process.call(self._network.delay, self._lost)

    def _lost(self) -> None:
        if not self._is_over:
            self._is_over = True
            self._callbacks["on_lost"](LinkError("the server has ended the connection"))

    def rebind(self) -> None:
        pass

    async def close(self) -> int:
        await asyncio.sleep(self._network.delay * 2)
        self._is_over = True
        server = self._network.server
        if server.streams.get(self.domain) is self:
            del server.streams[self.domain]
        return 0
