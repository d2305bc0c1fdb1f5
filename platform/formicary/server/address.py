"""What a container has to know of an XMPP server."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

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

    def __str__(self) -> str:
        return f"the XMPP server at {self.host}:{self.port}"

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

    @property
    def start_command(self) -> str | None:
        """The command that starts the server; None if it is none that is managed here."""
        if self.folder is None:
            return None
        from formicary.server.folder import StateFolder

        return f"formicary server start{StateFolder(self.folder).option}"

    async def add_container(self, container: str) -> bool:
        """Make a container's name known to the server; return False if that is not managed here.

        Raises:
            InvalidNameError, ServerError: as of `formicary.server.add_container`.
        """
        if self.folder is None:
            return False
        from formicary.server.containers import add_container

        await add_container(self, container)
        return True
