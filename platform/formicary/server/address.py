"""What a container has to know of an XMPP server."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formicary.transport.xmpp import XmppTransport

LOOPBACK = "127.0.0.1"
PROSODY_STANZA_LIMIT = 512 * 1024
"""Bytes of the largest stanza that a Prosody takes from a component if nobody told it otherwise."""


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """How to reach an XMPP server that takes containers as external components (XEP-0114).

    Attributes:
        host: name or IP address of the machine.
        port: TCP port for components.
        secret: what the server asks of a component; kept out of the repr.
        platform: the domain below which containers have their names, such as `lab.localhost`.
        stanza_limit: bytes of the largest stanza that the server takes; a larger one makes it close the
            whole connection.
        folder: the state folder if this is a managed server on this host, else None.
    """

    host: str
    port: int
    secret: str = field(repr=False)
    platform: str
    stanza_limit: int = PROSODY_STANZA_LIMIT
    folder: Path | None = None

    def transport(self) -> XmppTransport:
        """Return a new transport through this server, for one container."""
        from formicary.transport.xmpp import XmppTransport

        return XmppTransport(self)

    @classmethod
    def load(cls, where: str | Path = "local") -> ServerAddress:
        """Return the address of the managed server that runs on this host.

        Args:
            where: its state folder; `"local"` means the folder that `formicary server start` uses by itself.

        Raises:
            ServerError: no server runs there, or what is remembered of it cannot be read.
        """
        from formicary.server.managed import running_address

        return running_address(None if where == "local" else Path(where))
