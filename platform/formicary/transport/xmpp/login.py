"""Connects to the server of an account and logs in, up to where XMPP begins a new stream.

Then follows a container's own stream, or that of an XMPP library, which needs no password and verifies no
certificate of its own.
"""

from __future__ import annotations

import asyncio
import errno
import functools
import socket
import ssl
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element

import dns.asyncresolver
import dns.exception
import dns.rdtypes.util

from formicary.core.errors import LinkError
from formicary.core.logs import get_logger
from formicary.transport.os_errors import reason, reason_and
from formicary.transport.xmpp.sasl import authenticate
from formicary.transport.xmpp.stream import STREAMS, ClientStream

if TYPE_CHECKING:
    from formicary.core.errors import NameTakenError
    from formicary.server.account import AccountAddress

__all__ = ["UnreachableError", "log_in"]

logger = get_logger("formicary.transport.login")

_WAY_TIMEOUT = 4.0  # seconds that each of the server's addresses gets
_LOGIN_TIMEOUT = 10.0  # seconds until the server has accepted the password
_TLS = "urn:ietf:params:xml:ns:xmpp-tls"
_PORT = 5222
_TIMEOUT = 2.0  # seconds for the DNS
_SERVICES = {"xmpp-client": False, "xmpps-client": True}  # whether connections begin with TLS


async def ways(address: AccountAddress) -> list[tuple[str, int, bool]]:
    """Return hosts and ports to try in turn, and whether to begin with TLS; LinkError if there are none."""
    if address.host is not None:
        return [(address.host, address.port or _PORT, False)]
    services = [service for service, is_tls in _SERVICES.items() if address.tls or not is_tls]
    answers = await asyncio.gather(*(_records(address.domain, service) for service in services))
    begins_with_tls = {
        id(record): _SERVICES[service]
        for service, records in zip(services, answers, strict=True)
        for record in records
    }
    ordered = dns.rdtypes.util.weighted_processing_order([each for records in answers for each in records])
    if not ordered:
        return [(address.domain, _PORT, False)]
    found = [(str(each.target).rstrip("."), each.port, begins_with_tls[id(each)]) for each in ordered]
    if not any(host for host, _, _ in found):  # "." means that there is no such service (RFC 2782)
        raise LinkError(f"{address.domain} has no XMPP server for clients, according to DNS")
    return [way for way in found if way[0]]


async def _records(domain: str, service: str) -> list[Any]:
    """Look up a service in the DNS; return nothing if it is unknown, or without an answer.

    The certificate then shows whether the domain itself is the right server.
    """
    try:
        return [*await dns.asyncresolver.resolve(f"_{service}._tcp.{domain}.", "SRV", lifetime=_TIMEOUT)]
    except (dns.exception.DNSException, OSError):
        return []


class UnreachableError(LinkError):
    """There is no connection for now; one that was lost is tried again."""


async def log_in(address: AccountAddress) -> asyncio.Transport:
    """Connect and authenticate; return the connection, on which a new stream begins (RFC 6120, 6.4.6).

    Raises:
        AuthenticationError: the server does not accept the account's password.
        LinkError: anything else, with the cause.
    """
    stream, features = await _connect_anywhere(address)
    try:
        async with asyncio.timeout(_LOGIN_TIMEOUT):
            await authenticate(address, stream, features)
    except TimeoutError:
        stream.cut()
        raise UnreachableError(f"{address} did not answer the login within {_LOGIN_TIMEOUT:g} s") from None
    except BaseException:
        stream.cut()
        raise
    return stream.leave()


class LoginStream(ClientStream):
    """A stream until the server has accepted the account, read element by element."""

    def __init__(self, address: AccountAddress) -> None:
        super().__init__(address, address.domain)
        self._said: asyncio.Queue[Element | LinkError | NameTakenError] = asyncio.Queue()

    async def _reach(self) -> None:
        raise NotImplementedError  # it gets an existing connection

    def _negotiate(self, element: Element) -> None:
        self._said.put_nowait(element)

    def _refuse(self, error: LinkError | NameTakenError) -> None:
        self._said.put_nowait(error)

    def _refusal(self, condition: str) -> LinkError | None:
        if condition != "host-unknown":
            return None
        return LinkError(
            f"{self._server} does not serve {self._server.domain}; is the account's address right, and "
            f"{self._question}"
        )

    def _ended(self, cause: Exception | None) -> LinkError:
        return UnreachableError(
            f"{self._server} closed the connection{f': {cause}' if cause else ''}; {self._question}"
        )

    async def hear(self, *names: str) -> Element:
        """Return the server's next element, one of `names`; LinkError for any other, or at the end."""
        said = await self._said.get()
        if not isinstance(said, Element):
            raise said
        if said.tag not in names:
            raise LinkError(f"{self._server} does not speak XMPP; {self._question}")
        return said

    async def features(self) -> Element:
        """Return the stream's features, which follow its header; errors as of `hear`."""
        return await self.hear(f"{{{STREAMS}}}features")

    async def ask(self, text: str, *names: str) -> Element:
        """Send a text, and return the answer; arguments and errors as of `hear`."""
        self.write(text.encode())
        return await self.hear(*names)

    @property
    def is_encrypted(self) -> bool:
        """Whether the connection is encrypted."""
        return self._transport.get_extra_info("sslcontext") is not None

    def leave(self) -> asyncio.Transport:
        """Return the connection to another owner; LinkError if it has ended."""
        if not self._is_usable:
            raise self._ended(None)
        self._transport.set_protocol(asyncio.Protocol())
        self.connection_lost(None)
        return self._transport

    def cut(self) -> None:
        """End the connection at once."""
        self._drop()


async def _connect_anywhere(address: AccountAddress) -> tuple[LoginStream, Element]:
    """Return a stream to the first of the server's addresses that answers, and the features it announced."""
    failures: list[LinkError] = []
    for host, port, is_tls in await ways(address):
        try:
            async with asyncio.timeout(_WAY_TIMEOUT):
                return await _connect(address, host, port, is_tls=is_tls)
        except LinkError as error:
            failures.append(error)
        except (OSError, UnicodeError, OverflowError) as error:
            failures.append(_failure(address, error, host, port))
    raise failures[0]


async def _connect(
    address: AccountAddress, host: str, port: int, *, is_tls: bool
) -> tuple[LoginStream, Element]:
    context = await asyncio.to_thread(_context, address)
    stream = LoginStream(address)
    transport: asyncio.Transport | None = None
    try:
        direct: dict[str, Any] = {"ssl": context, "server_hostname": address.domain} if is_tls else {}
        transport, _ = await asyncio.get_running_loop().create_connection(
            lambda: stream, host, port, **direct
        )
        features = await stream.features()
        if context is None or is_tls:
            return stream, features
        if not await _agrees_on_tls(stream, features):
            raise _no_tls(address, host, port)  # noqa: TRY301 -- handled below as any other error
        stream = await _encrypt(address, stream, context)
        return stream, await stream.features()
    except BaseException:
        if transport is not None:
            transport.abort()
        raise


async def _agrees_on_tls(stream: LoginStream, features: Element) -> bool:
    if features.find(f"{{{_TLS}}}starttls") is None:
        return False
    answer = await stream.ask(f"<starttls xmlns='{_TLS}'/>", f"{{{_TLS}}}proceed", f"{{{_TLS}}}failure")
    return answer.tag == f"{{{_TLS}}}proceed"


async def _encrypt(address: AccountAddress, plain: LoginStream, context: ssl.SSLContext) -> LoginStream:
    transport = plain.leave()  # ignores what came unencrypted after the last answer
    encrypted = await asyncio.get_running_loop().start_tls(
        transport, asyncio.Protocol(), context, server_hostname=address.domain
    )
    if encrypted is None or encrypted.is_closing():  # lost at once
        raise ConnectionResetError(errno.ECONNRESET, "")
    stream = LoginStream(address)
    encrypted.set_protocol(stream)
    stream.connection_made(encrypted)
    return stream


def _no_tls(address: AccountAddress, host: str, port: int) -> LinkError:
    return LinkError(f"{_where(address, host, port)} offers no TLS, so the connection could be overheard")


def _where(address: AccountAddress, host: str, port: int) -> str:
    return str(address) if address.host is not None else f"{address} at {host}:{port}"


def _failure(address: AccountAddress, error: Exception, host: str, port: int) -> LinkError:
    where = _where(address, host, port)
    if isinstance(error, ssl.SSLCertVerificationError):
        return LinkError(
            f"the certificate of {where} cannot be trusted: {error.verify_message}; if it was "
            "issued by your own authority, pass that authority's certificate as ca_file="
        )
    if isinstance(error, ssl.SSLError):
        return LinkError(f"TLS with {where} failed: {error.reason or error}")
    if isinstance(error, socket.gaierror):
        return UnreachableError(f"cannot connect to {where}: {reason(error)}; is the name right?")
    if isinstance(error, TimeoutError) or not reason(error):
        why = "it does not answer" if isinstance(error, TimeoutError) else "it closed the connection"
        return UnreachableError(f"cannot connect to {where}: {why}; is it running?")
    return UnreachableError(f"cannot connect to {where}: {reason_and('is it running?', error)}")


def _context(address: AccountAddress) -> ssl.SSLContext | None:
    """Return the TLS context, None for no TLS; reading the system's authorities takes about 40 ms."""
    if not address.tls:
        _warn(
            "the connection to %s is not encrypted: anyone in between can read and change messages",
            str(address),
        )
        return None
    if address.insecure:
        _warn(
            "the certificate of %s is not checked: anyone in between can read and change messages",
            str(address),
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    else:
        try:
            context = ssl.create_default_context(cafile=address.ca_file)
        except OSError as error:
            raise LinkError(f"{address.ca_file} cannot be read as certificates: {reason(error)}") from None
    context.set_alpn_protocols(["xmpp-client"])
    return context


@functools.cache  # once for each server
def _warn(warning: str, server: str) -> None:
    logger.warning(warning, server)
