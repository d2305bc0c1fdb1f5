"""Our agents over links that lose what gets lost: what exactly-once delivery costs is the difference.

Such a link greets and parts as any other, and its frames have the same bytes; but it numbers none of them,
acknowledges none, keeps none and has no window.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from formicary import Container
from formicary.container.container import PLATFORM
from formicary.transport.addresses import JoinAddress
from formicary.transport.link.header import CLOSE, DATA, HEADER, PART, SIZE
from formicary.transport.link.session import Session
from formicary.transport.router import Router
from formicary_bench.subjects.ours import behaviours
from formicary_bench.subjects.ours.containers import address_of, connection_options

if TYPE_CHECKING:
    from formicary.container.options import ConnectionOptions
    from formicary.server import ServerAddress
    from formicary_bench.worker.workload import Workload

_COPIED = 4096  # bytes of a frame up to which numbered links, too, copy its payload


class UnnumberedSession(Session):
    """A link's end that neither numbers nor acknowledges what it sends, and forgets it at once."""

    def send(self, payload: bytes, item: Any, now: float, kind: int = DATA) -> bytes | None:
        """Return the frame to send; None before the other end has answered."""
        if not self._room:
            return super().send(payload, item, now, kind)
        return HEADER.pack(kind, self._own, self._peer, 0, 0) + payload

    def _make(self, kind: int, payload: bytes, item: Any) -> bytes:
        if kind == CLOSE:
            return super()._make(kind, payload, item)
        return HEADER.pack(kind, self._own, self._peer, 0, 0) + payload

    def receive(self, frame: bytes, now: float) -> bytes | memoryview | None:
        """Return what a frame holds, or what several hold that are parts; the rest is as in any link."""
        kind = frame[0]
        if kind == DATA and not self._parts:
            return frame[SIZE:] if len(frame) <= _COPIED else memoryview(frame)[SIZE:]
        if kind not in {DATA, PART}:
            return super().receive(frame, now)
        self._parts += memoryview(frame)[SIZE:]
        if kind == PART:
            return None
        batch, self._parts = self._parts, bytearray()
        return memoryview(batch)


@dataclass(frozen=True)
class Unnumbered:
    """What connects a container by such links.

    Attributes:
        address: where containers meet, or of the one that this one joins; None where the other joins it.
    """

    address: ServerAddress | JoinAddress | None

    def transport(self, options: ConnectionOptions) -> Router:
        """Return a new transport for one container."""
        return Router(self.address, options, session=UnnumberedSession)


def container(work: Workload, name: str) -> Container:
    """Make a container as any other, but for its link."""
    server = address_of(work.job.server) if work.job.server else None
    meeting = Unnumbered(server or (JoinAddress.parse(work.job.peer) if work.job.peer else None))
    platform = server.platform if server else PLATFORM
    options = asdict(connection_options(work, name))
    return Container(name, platform=platform, server=meeting, seed=work.job.seed, **options)


ask = partial(behaviours.ask, make=container)
echo = partial(behaviours.echo, make=container)
