"""What a container has to know of an XMPP server."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from formicary.core.names import is_container_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from xml.etree.ElementTree import Element

    from formicary.container.options import ConnectionOptions
    from formicary.container.protocols import Transport
    from formicary.core.errors import LinkError

LOOPBACK = "127.0.0.1"
PROSODY_STANZA_LIMIT = 512 * 1024
"""Bytes of the largest stanza that a Prosody takes from a component if nobody told it otherwise."""


class Stream(Protocol):
    """One connection of one container to an XMPP server; `formicary.transport.xmpp.stream` says more."""

    async def connect(self) -> None:
        """Connect and be accepted."""

    async def close(self) -> int:
        """Close in order and return how many bytes have not gone out."""

    def write(self, data: bytes) -> None:
        """Send whole stanzas."""

    def pause(self) -> None:
        """Read nothing more until `resume`."""

    def resume(self) -> None:
        """Read again."""


class XmppServer(Protocol):
    """A way for containers of one platform to meet at an XMPP server. Its text names it in a sentence."""

    @property
    def platform(self) -> str:
        """The domain below which containers have their names."""

    @property
    def stanza_limit(self) -> int:
        """Bytes of the largest stanza that the server takes."""

    @property
    def folder(self) -> Path | None:
        """The state folder if this is a managed server on this host, else None."""

    @property
    def gives_addresses(self) -> bool:
        """Whether agents have XMPP addresses of their own, at which others can reach them."""

    def transport(self, options: ConnectionOptions | None = None) -> Transport:
        """Return a new transport through this server, for one container, which wants to be reached so."""

    def stream(
        self,
        domain: str,
        *,
        received: Callable[[Element], None],
        framed: Callable[[str, bytes], None],
        rested: Callable[[], None],
        writable: Callable[[bool], None],
        lost: Callable[[LinkError], None],
    ) -> Stream:
        """Return a new stream for a container, not connected yet; arguments as of `XmppStream`."""

    def frame_head(self, sender: str, receiver: str) -> bytes:
        """Return what is written before a frame's text from one container's domain to another's."""

    def domain_of(self, origin: str) -> str | None:
        """Return the domain of the container for which an address speaks; None if for none of the platform.

        Args:
            origin: a stanza's `from`, for which the server vouches.
        """


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
        certificate: a file with certificates in PEM form. With it, containers connect with TLS from the first
            byte, and only to a server that shows one of these, or one signed by these, for `platform`.
    """

    host: str
    port: int
    secret: str = field(repr=False)
    platform: str
    stanza_limit: int = PROSODY_STANZA_LIMIT
    folder: Path | None = None
    certificate: Path | None = None

    gives_addresses = True
    """A component has every address at its domain."""

    def __str__(self) -> str:
        return f"the XMPP server at {self.host}:{self.port}"

    def stream(self, domain: str, **callbacks: Any) -> Stream:
        """Return a new stream for a container, not connected yet.

        Args:
            domain: the container's domain, which is the component's name.
            callbacks: as of `XmppStream`.
        """
        from formicary.transport.xmpp.component import ComponentStream

        return ComponentStream(self, domain, **callbacks)

    def frame_head(self, sender: str, receiver: str) -> bytes:
        """Return what is written before a frame's text from one container's domain to another's."""
        from formicary.transport.link.frames import NAMESPACE

        return f"<message from='{sender}' to='{receiver}' id='f'><frame xmlns='{NAMESPACE}'>".encode()

    def domain_of(self, origin: str) -> str | None:
        """Return the domain of the container for which an address speaks; None if for none of the platform.

        Args:
            origin: a stanza's `from`, for which the server vouches.
        """
        return origin if is_container_of(origin, self.platform) else None

    def transport(self, options: ConnectionOptions | None = None) -> Transport:
        """Return a new transport through this server, for one container, which wants to be reached so."""
        from formicary.transport import connect

        return connect(options, server=self)

    @classmethod
    def load(cls, where: str | Path = "local", *, tls: bool = False) -> ServerAddress:
        """Return the address of the managed server that runs on this host, or that a file speaks of.

        Args:
            where: its state folder; `"local"` means the folder that `formicary server start` uses by itself.
                Or a file that says where a server of one's own is, see `address_file`.
            tls: whether containers are to connect with TLS.

        Raises:
            ServerError: no server runs there, or what is remembered of it cannot be read.
            UsageError: the file is none that says where a server is.
        """
        if where != "local" and Path(where).is_file():
            from formicary.server.address_file import read_address

            return read_address(Path(where), tls=tls)
        from formicary.server.managed import running_address

        return running_address(None if where == "local" else Path(where), tls=tls)
