"""Our agents over links without one feature, to measure what batches save and exactly-once delivery costs.

A link without batches carries each message in its own frame; the operating system may still join frames that
are written at once. A link without numbers loses what gets lost: it opens and closes as any other, and its
frames have the same bytes, but it numbers, acknowledges and keeps none of them, and has no window.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from formicary import Container
from formicary.transport import connect
from formicary.transport.link.header import CLOSE, DATA, HEADER, PART, SIZE
from formicary.transport.link.receive_window import ReceiveWindow
from formicary.transport.link.send_window import SendWindow
from formicary.transport.link.session import Session
from formicary_bench.subjects.ours import behaviours
from formicary_bench.subjects.ours.containers import address_of, connection_options, join_address

if TYPE_CHECKING:
    from formicary.container.options import ConnectionOptions
    from formicary.delivery.protocols import Transport
    from formicary.server import ServerAddress
    from formicary.transport.addresses import JoinAddress
    from formicary_bench.worker.workload import Workload


_COPIED = 4096  # bytes of a frame up to which numbered links also copy its payload


class UnnumberedWindow(SendWindow):
    """A window that neither numbers nor keeps frames."""

    def send(self, payload: bytes, item: Any, kind: int = DATA) -> bytes | None:
        """Return the frame to send; None before the other end has answered."""
        if not self.window:
            return super().send(payload, item, kind)
        return HEADER.pack(kind, self.own, self.peer, 0, 0) + payload

    def make_frame(self, kind: int, payload: bytes, item: Any) -> bytes:
        """Return the frame of what waited for the other end; the closing frame is that of any link."""
        if kind == CLOSE:
            return super().make_frame(kind, payload, item)
        return HEADER.pack(kind, self.own, self.peer, 0, 0) + payload


class UnnumberedReceiveWindow(ReceiveWindow):
    """Takes whatever arrives."""

    def receive(self, frame: bytes, now: float) -> bytes | memoryview | None:
        """Return the content of a frame, or of several parts; the rest is as in any link."""
        kind = frame[0]
        if kind == DATA and not self.parts:
            return frame[SIZE:] if len(frame) <= _COPIED else memoryview(frame)[SIZE:]
        if kind not in {DATA, PART}:
            return super().receive(frame, now)
        self.parts += memoryview(frame)[SIZE:]
        if kind == PART:
            return None
        batch, self.parts = self.parts, bytearray()
        return memoryview(batch)


class UnnumberedSession(Session):
    """A session that neither numbers nor acknowledges what it sends, and forgets it at once."""

    make_sending = UnnumberedWindow
    make_receiving = UnnumberedReceiveWindow


CHANGED: dict[str, dict[str, Any]] = {
    "formicary-unbatched": {"batch_size": 1},
    "formicary-unnumbered": {"session": UnnumberedSession},
}
"""The changed arguments of links, by platform."""


@dataclass(frozen=True)
class Connected:
    """Connects a container by such links.

    Attributes:
        address: where containers meet, or the one that this one joins; None if the other joins it.
        links: how its links differ, as of `formicary.transport.connect`.
    """

    address: ServerAddress | JoinAddress | None
    links: dict[str, Any]

    def transport(self, options: ConnectionOptions) -> Transport:
        return connect(self.address, options, **self.links)


def container(work: Workload, name: str) -> Container:
    """Make a container with such links."""
    server = address_of(work.job.server) if work.job.server else None
    about: dict[str, Any] = {"platform": server.platform} if server else {}
    return Container(
        name,
        server=Connected(server or join_address(work), CHANGED[work.configuration.platform]),
        seed=work.job.seed,
        **about,
        **connection_options(work, name),
    )


_ROLES = replace(behaviours.ROLES, make=container)
ask, echo = _ROLES.ask, _ROLES.echo
