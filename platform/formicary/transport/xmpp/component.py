"""A container's connection as an external component of a server (XEP-0114)."""

from __future__ import annotations

import asyncio
import hashlib
import ssl
from typing import TYPE_CHECKING, Any

from formicary.core.errors import AuthenticationError, LinkError, NameTakenError
from formicary.transport.xmpp.stream import COMPONENT, XmppStream

if TYPE_CHECKING:
    from pathlib import Path
    from xml.etree.ElementTree import Element

    from formicary.server.address import ServerAddress

_OTHER_PORTS = {"jabber:client": "clients", "jabber:server": "other servers"}


def _trusting(certificate: Path) -> ssl.SSLContext:
    """Return a context that trusts the certificates in a file, and no others."""
    try:
        return ssl.create_default_context(cafile=certificate)
    except OSError as error:  # SSLError is one
        raise LinkError(
            f"the certificate {certificate} of the XMPP server cannot be used ({error.strerror or error})"
        ) from None


class UnknownHostError(LinkError):
    """The server has no such component in its configuration."""


class ComponentStream(XmppStream):
    """A component's connection, for all addresses at the container's domain."""

    _namespace = COMPONENT
    _question = "is this its port for components?"
    _server: ServerAddress

    def __init__(self, server: ServerAddress, domain: str, **callbacks: Any) -> None:
        super().__init__(server, domain, **callbacks)
        self._parser.StartNamespaceDeclHandler = self._refuse_other_ports

    async def _reach(self) -> None:
        server, loop = self._server, asyncio.get_running_loop()
        if server.certificate is None:
            await loop.create_connection(lambda: self, server.host, server.port)
            return
        context = _trusting(server.certificate)
        try:
            await loop.create_connection(
                lambda: self, server.host, server.port, ssl=context, server_hostname=server.platform
            )
        except ssl.SSLCertVerificationError as error:
            raise AuthenticationError(
                f"{server} did not prove to serve {server.platform} by {server.certificate} "
                f"({error.verify_message}); compare the file with the server's certificate"
            ) from None
        except ssl.SSLError as error:
            raise LinkError(
                f"{server} does not speak TLS for {server.platform} on this port ({error.reason}); "
                "use the port that does, or omit the certificate"
            ) from None

    def _header(self) -> str:
        return f"to='{self._domain}'"

    def _greet(self, stream_id: str) -> None:
        digest = hashlib.sha1((stream_id + self._server.secret).encode(), usedforsecurity=False).hexdigest()
        self._transport.write(f"<handshake>{digest}</handshake>".encode())

    def _negotiate(self, element: Element) -> None:
        if element.tag == f"{{{COMPONENT}}}handshake":
            self._accept()

    def _refuse_other_ports(self, prefix: str | None, namespace: str) -> None:
        if self._depth == 0 and prefix is None and namespace in _OTHER_PORTS:
            raise LinkError(
                f"{self._server} does not accept components on this port, only {_OTHER_PORTS[namespace]}"
            )

    def _refusal(self, condition: str) -> LinkError | NameTakenError | None:
        name, _, platform = self._domain.partition(".")
        if condition == "conflict":
            return NameTakenError(
                f"a container named {name!r} is connected to {self._server} already; stop it, or "
                "choose another name"
            )
        if condition == "not-authorized":
            return AuthenticationError(
                f"{self._server} does not accept the secret of container {name!r}; compare it with the "
                f"component_secret of {self._domain} in the server's configuration"
            )
        if condition == "host-unknown":
            return UnknownHostError(
                f"{self._server} does not know {self._domain}; add the output of this command to "
                f"its configuration: formicary server config --platform {platform} --containers "
                f"{name}"
            )
        return None

    def _advice(self) -> str:
        command = self._server.start_command
        return f"start it with: {command}" if command else super()._advice()
