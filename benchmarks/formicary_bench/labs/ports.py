"""The transport of a scenario's containers: each has a port, and all messages pass through the judge.

Both sides use it: the judge's containers in the judge's process, the program's containers in the program's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.core.logs import get_logger
from formicary.errors import NameTakenError
from formicary.testing.line_transport import LineTransport
from formicary.testing.memory_line import SendingEnd, decode, hand_over
from formicary_bench.labs.exchange import Frame

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary import Container
    from formicary.container.options import ConnectionOptions

logger = get_logger("formicary.transport")


class Ports:
    """The ports of one side, and the domains of the containers on the other."""

    def __init__(self, send: Callable[[Frame], None]) -> None:
        self.send = send
        self.here: dict[str, Port] = {}
        self.there: set[str] = set()

    def transport(self, options: ConnectionOptions | None = None) -> Port:
        """Return a port for a container: `Container("c1", server=ports)`."""
        del options  # there is one way only
        return Port(self)

    def has(self, domain: str) -> bool:
        """Return whether a container exists on either side."""
        return domain in self.here or domain in self.there

    def take(self, frame: Frame) -> None:
        if frame.kind == "come":
            self.there.add(frame.source)
            for port in self.here.values():
                port.met(frame.source)
        elif frame.kind == "left":
            self.there.discard(frame.source)
            for port in self.here.values():
                port.left(frame.source)
        elif (target := self.here.get(frame.target)) is not None:
            try:
                target.take(frame)
            except ValueError as error:
                name = target.container.name
                logger.warning("container %s dropped what %s has sent: %s", name, frame.source, error)


class Port(LineTransport["PortLine"]):
    """The transport of a container."""

    def __init__(self, ports: Ports) -> None:
        super().__init__()
        self._ports = ports
        self._is_closed = False

    async def open(self, container: Container) -> None:
        """Connect for `container`.

        Raises:
            NameTakenError: there is a container of this name.
        """
        ports, domain = self._ports, container.domain
        if ports.has(domain):
            raise NameTakenError(f"a container {domain} already exists; use another name")
        self._container = container
        for other in (*ports.here, *ports.there):
            self.met(other)
        for port in ports.here.values():
            port.met(domain)
        ports.here[domain] = self
        ports.send(Frame("come", domain))

    def line(self, domain: str) -> PortLine | None:
        """Return the line to another container; None if that is not there."""
        if self._is_closed or not self._ports.has(domain):
            return None
        if domain not in self.lines:
            self.lines[domain] = PortLine(self._ports.send, self.container, domain)
        return self.lines[domain]

    def take(self, frame: Frame) -> None:
        """Handle a frame from another container; ValueError if it is malformed."""
        if frame.kind == "lost":
            self.container.dispatcher.add_dead_letter(decode(frame.data), frame.text, frame.receiver)
            return
        line = self.line(frame.source)
        if line is None:
            return
        if frame.kind == "letter":
            hand_over(self.container.dispatcher, decode(frame.data), frame.receiver, line)
        elif frame.kind == "control":
            if self.container.peers is not None:
                self.container.peers.on_control(frame.source, frame.text, frame.data)
        else:
            line.paused.order(frame.receiver, frame.kind == "hold")

    def left(self, domain: str) -> None:
        """Called when another container has left."""
        if (line := self.lines.pop(domain, None)) is not None:
            line.close()
        if self.container.peers is not None:
            self.container.peers.ended(domain)

    async def close(self) -> None:
        """Disconnect; what is on its way from and to this container is lost."""
        if self._container is None or self._is_closed:
            return
        self._is_closed = True
        domain, ports = self.container.domain, self._ports
        del ports.here[domain]
        for line in self.lines.values():
            line.close()
        ports.send(Frame("left", domain))
        for port in ports.here.values():
            port.left(domain)


class PortLine(SendingEnd):
    """The line from a container to another one."""

    is_empty = True

    def __init__(self, send: Callable[[Frame], None], source: Container, domain: str) -> None:
        super().__init__(source, domain)
        self._send = send
        self.domain = domain

    def carry(self, receiver: str, data: bytes) -> None:
        """Send an encoded message on its way."""
        self._send(Frame("letter", self._source.domain, self.domain, receiver, data))

    def send_control(self, channel: str, payload: bytes) -> None:
        """Send a control message on its way."""
        self._send(Frame("control", self._source.domain, self.domain, "", payload, channel))

    def pause_sender(self, receiver: str, *, is_paused: bool) -> None:
        """Ask the other container to pause or resume sending to a receiver."""
        self._send(Frame("hold" if is_paused else "release", self._source.domain, self.domain, receiver))

    async def drained(self) -> None:
        """Return at once: what is on its way arrives without us."""

    def close(self) -> None:
        """Wake all who wait; the judge reports what was lost."""
        self._source.dispatcher.overflow.forget(self)
        self.paused.release()
