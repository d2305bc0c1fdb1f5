"""The address of an XMPP server."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

LOOPBACK = "127.0.0.1"
PROSODY_STANZA_LIMIT = 512 * 1024
"""Bytes of the largest stanza that Prosody accepts from a component by default."""


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """How to reach an XMPP server that accepts containers as external components (XEP-0114).

    Attributes:
        host: name or IP address of the machine.
        port: TCP port for components.
        secret: the secret of components; kept out of the repr.
        platform: the parent domain of containers, such as `lab.localhost`.
        stanza_limit: bytes of the largest stanza that the server accepts; a larger one makes it close the
            connection.
        folder: the state folder of a managed server on this host, otherwise None.
        certificate: a file with certificates in PEM form. With it, containers connect with TLS from the first
            byte, only to a server with one of these, or one signed by these, for `platform`.
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
        """Return the address of a running managed server on this host, or of one described by a file.

        Args:
            where: its state folder, with `"local"` for the default of `formicary server start`; or a file
                that describes your own server, see `address_file`.
            tls: whether containers connect with TLS.

        Raises:
            ServerError: no server is running there, or its state cannot be read.
            UsageError: the file does not describe a server.
        """
        if where != "local" and Path(where).is_file():
            from formicary.server.address_file import read_address

            return read_address(Path(where), tls=tls)
        from formicary.server.managed import running_address

        return running_address(None if where == "local" else Path(where), tls=tls)

    @property
    def start_command(self) -> str | None:
        """The command that starts the server; None if it is not managed here."""
        if self.folder is None:
            return None
        from formicary.server.folder import StateFolder

        return f"formicary server start{StateFolder(self.folder).option}"

    async def add_container(self, container: str) -> bool:
        """Register a container with the server; return False if the server is not managed here.

        Raises:
            InvalidNameError, ServerError: as of `formicary.server.add_container`.
        """
        if self.folder is None:
            return False
        from formicary.server.containers import add_container

        await add_container(self, container)
        return True
