"""Containers of our agents whose links differ from ours in one thing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from formicary import Container
from formicary.transport import connect
from formicary_bench.subjects.ours.containers import address_of, connection_options, join_address

if TYPE_CHECKING:
    from formicary.container.options import ConnectionOptions
    from formicary.container.protocols import Transport
    from formicary.server import ServerAddress
    from formicary.transport.addresses import JoinAddress
    from formicary_bench.worker.workload import Workload


@dataclass(frozen=True)
class Connected:
    """What connects a container by such links.

    Attributes:
        address: where containers meet, or of the one that this one joins; None where the other joins it.
        links: what its links differ in, as of `formicary.transport.connect`.
    """

    address: ServerAddress | JoinAddress | None
    links: dict[str, Any]

    def transport(self, options: ConnectionOptions) -> Transport:
        """Return a new transport for one container."""
        return connect(self.address, options, **self.links)


def container(work: Workload, name: str, **links: Any) -> Container:
    """Make a container as any other, but for its links."""
    server = address_of(work.job.server) if work.job.server else None
    about: dict[str, Any] = {"platform": server.platform} if server else {}
    return Container(
        name,
        server=Connected(server or join_address(work), links),
        seed=work.job.seed,
        **about,
        **asdict(connection_options(work, name)),
    )
