"""Connecting to the server of an account and logging in, up to where XMPP begins a new stream.

aioxmpp speaks STARTTLS and does the authentication. TLS itself is Python's: aioxmpp checks names in
certificates with a function that Python 3.12 no longer has, and its transport does not tell when it is full.
"""

from __future__ import annotations

import asyncio
import errno
import functools
import socket
import ssl
from typing import TYPE_CHECKING, Any

import aiosasl
import dns.asyncresolver
import dns.exception
import OpenSSL.SSL
from aioxmpp import JID, errors, network, nonza, protocol, security_layer

from formicary.core.errors import AuthenticationError, LinkError
from formicary.core.logs import get_logger
from formicary.transport.os_errors import reason, reason_and

if TYPE_CHECKING:
    from formicary.server.account import AccountAddress

logger = get_logger("formicary.transport.login")

_PORT = 5222
_DNS_TIMEOUT = 2.0  # seconds that the DNS gets
_WAY_TIMEOUT = 4.0  # seconds that each of the server's addresses gets
_SERVICES = {"xmpp-client": False, "xmpps-client": True}  # and whether they begin with TLS


class UnreachableError(LinkError, OpenSSL.SSL.Error):  # type: ignore[misc]  # its types may be missing
    """There is no connection for now. It is an error of OpenSSL's too: so aioxmpp's client tries again."""


async def log_in(address: AccountAddress) -> asyncio.Transport:
    """Connect and authenticate.

    Returns:
        The connection; the server waits for the header of a new stream (RFC 6120, 6.4.6).

    Raises:
        AuthenticationError: the server does not accept the account's password.
        LinkError: anything else, with the cause.
    """
    transport, stream, features = await Connector(address).connect_anywhere()
    try:
        await _authenticate(address, transport, stream, features)
    except BaseException:
        transport.abort()
        await _give_up(stream)
        raise
    # From here on the connection is another's, and the stream needs not know.
    transport.set_protocol(asyncio.Protocol())
    await _give_up(stream)
    return transport


class _Stream(protocol.XMLStream):  # type: ignore[misc]  # it has no types
    """A stream of aioxmpp's that takes a connection's sudden end for an error, on which its client acts."""

    def eof_received(self) -> None:
        if self.state is protocol.State.OPEN:
            self._fail(ConnectionResetError("the server closed it"))
        super().eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.state is protocol.State.OPEN:
            exc = exc or ConnectionResetError("the server closed it")
        super().connection_lost(exc)


class Connector:
    """Opens connections, for aioxmpp's client as well.

    Args:
        address: the account.
    """

    def __init__(self, address: AccountAddress) -> None:
        self._address = address
        self._latest: tuple[asyncio.Transport, Any] | None = None

    async def connect(self, *_: Any, **__: Any) -> tuple[asyncio.Transport, Any, Any]:
        """Do as `connect_anywhere`; aioxmpp's client says where to, but the address knows."""
        connection = await self.connect_anywhere()
        self._latest = connection[:2]
        return connection

    async def end(self) -> None:
        """Cut the connection that aioxmpp's client had: it says goodbye and does not wait for the end."""
        if self._latest is not None:
            transport, stream = self._latest
            transport.abort()
            await _give_up(stream)

    async def connect_anywhere(self) -> tuple[asyncio.Transport, Any, Any]:
        """Connect to the first of the server's addresses that answers.

        Returns:
            The connection, aioxmpp's stream on it, and the features that the server has announced.

        Raises:
            LinkError: there is none, with the cause for the first.
        """
        failures: list[LinkError] = []
        for host, port, is_tls in await self._ways():
            try:
                async with asyncio.timeout(_WAY_TIMEOUT):
                    return await self._connect(host, port, is_tls=is_tls)
            except LinkError as error:
                failures.append(error)
            except (OSError, UnicodeError, OverflowError, ssl.CertificateError) as error:
                failures.append(self._failure(error, host, port))
        raise failures[0]

    async def _ways(self) -> list[tuple[str, int, bool]]:
        """Return hosts and ports, each with whether it begins with TLS (XEP-0368)."""
        address = self._address
        if address.host is not None:
            return [(address.host, address.port or _PORT, False)]
        answers = await asyncio.gather(*(_services(address.domain, service) for service in _SERVICES))
        records = [record for answer in answers for record in answer if address.tls or not record[2][2]]
        if not records:
            return [(address.domain, _PORT, False)]
        ways = [way for way in network.group_and_order_srv_records(records) if way[0]]
        if not ways:
            raise LinkError(f"{address.domain} says that it has no XMPP server for clients")
        return ways

    async def _connect(self, host: str, port: int, *, is_tls: bool) -> tuple[asyncio.Transport, Any, Any]:
        loop = asyncio.get_running_loop()
        domain = self._address.domain
        context = await asyncio.to_thread(_context, self._address)
        stream = _Stream(to=domain)
        transport: asyncio.Transport | None = None
        try:
            features = stream.features_future()
            direct: dict[str, Any] = {"ssl": context, "server_hostname": domain} if is_tls else {}
            transport, _ = await loop.create_connection(lambda: stream, host, port, **direct)
            if context is None or is_tls:
                return transport, stream, await features
            await features
            await self._ask_for_tls(stream)
            plain, stream = stream, _Stream(to=domain)
            transport.set_protocol(asyncio.Protocol())
            await _give_up(plain)  # what came with the answer, unencrypted, is not listened to
            features = stream.features_future()
            transport = await _start_tls(transport, stream, context, domain)
            return transport, stream, await features
        except BaseException:
            if transport is not None:
                transport.abort()
            await _give_up(stream)
            raise

    @staticmethod
    async def _ask_for_tls(stream: Any) -> None:
        answer = await protocol.send_and_wait_for(
            stream, [nonza.StartTLS()], [nonza.StartTLSProceed, nonza.StartTLSFailure]
        )
        if not isinstance(answer, nonza.StartTLSProceed):
            raise errors.TLSUnavailable("it refuses TLS")

    def _failure(self, error: Exception, host: str, port: int) -> LinkError:
        address = self._address
        where = str(address) if address.host is not None else f"{address} at {host}:{port}"
        if isinstance(error, ssl.SSLCertVerificationError):
            return LinkError(
                f"the certificate of {where} cannot be trusted: {error.verify_message}; if its authority is "
                "one of your own, give its certificate as ca_file="
            )
        if isinstance(error, ssl.SSLError):
            return LinkError(f"there is no TLS with {where}: {error.reason or error}")
        if isinstance(error, errors.TLSUnavailable):
            return LinkError(f"{where} offers no TLS, without which a connection can be overheard")
        if isinstance(error, errors.StreamError):
            return self._refusal(error.condition.value[1], where)
        return self._no_connection(error, where)

    def _refusal(self, condition: str, where: str) -> LinkError:
        if condition == "host-unknown":
            return LinkError(
                f"{where} does not serve {self._address.domain}; is the account's address right?"
            )
        return LinkError(f"{where} ended the connection: {condition}; is that its port for clients?")

    @staticmethod
    def _no_connection(error: Exception, where: str) -> LinkError:
        if isinstance(error, socket.gaierror):
            return UnreachableError(f"cannot connect to {where}: {reason(error)}; is the name right?")
        if isinstance(error, TimeoutError) or not reason(error):
            why = "it does not answer" if isinstance(error, TimeoutError) else "it hangs up"
            return UnreachableError(f"cannot connect to {where}: {why}; is it running?")
        return UnreachableError(f"cannot connect to {where}: {reason_and('is it running?', error)}")


async def _services(domain: str, service: str) -> list[tuple[int, int, tuple[str, int, bool]]]:
    """Ask the DNS for a service (RFC 6120, 3.2; XEP-0368).

    Returns:
        Priorities, weights and, for each, a host, a port and whether it begins with TLS. An empty host means
        that there is no such service (RFC 2782). Nothing where the DNS knows nothing or does not answer: the
        certificate will say whether what is there instead is right.
    """
    try:
        name = f"_{service}._tcp.{domain}."
        answer = await dns.asyncresolver.resolve(name, "SRV", lifetime=_DNS_TIMEOUT)
    except (dns.exception.DNSException, OSError):
        return []
    is_tls = _SERVICES[service]
    return [
        (record.priority, record.weight, (str(record.target).rstrip("."), record.port, is_tls))
        for record in answer
    ]


async def _start_tls(
    transport: asyncio.Transport, stream: Any, context: ssl.SSLContext, domain: str
) -> asyncio.Transport:
    loop = asyncio.get_running_loop()
    encrypted = await loop.start_tls(transport, stream, context, server_hostname=domain)
    if encrypted is None or stream.state is protocol.State.CLOSED:  # lost at once
        raise ConnectionResetError(errno.ECONNRESET, "")
    stream.connection_made(encrypted)
    return encrypted


def security(address: AccountAddress) -> Any:
    """Return what aioxmpp's client needs to authenticate."""
    return security_layer.make(address.password)


async def _authenticate(
    address: AccountAddress, transport: asyncio.Transport, stream: Any, features: Any
) -> None:
    encrypted = transport if transport.get_extra_info("sslcontext") else None
    (provider,) = security(address).sasl_providers
    done = False
    try:
        done = await provider.execute(JID.fromstr(address.jid), features, stream, encrypted)
    except (aiosasl.SASLError, OSError) as error:
        raise explain(address, error) from None
    if not done:
        raise explain(address, errors.SASLUnavailable("none in common"))
    if transport.is_closing():
        raise explain(address, ConnectionResetError("it had accepted the password"))


def explain(address: AccountAddress, error: Exception) -> LinkError:
    """Return what an error of aioxmpp's means for the account."""
    if isinstance(error, aiosasl.AuthenticationFailure):
        return AuthenticationError(f"{address} does not accept the password of {address.jid}")
    if isinstance(error, aiosasl.SASLError | errors.SASLUnavailable):
        return AuthenticationError(
            f"{address} offers no way to log in that can be taken here: SCRAM, or with TLS a plain password"
        )
    if isinstance(error, LinkError):
        return error
    return UnreachableError(f"{address} closed the connection: {error}")


def _context(address: AccountAddress) -> ssl.SSLContext | None:
    """Return how to encrypt; reading the system's authorities takes some 40 ms."""
    if not address.tls:
        _warn("the connection to %s is not encrypted: whoever is in between can read and write", str(address))
        return None
    if address.insecure:
        _warn("the certificate of %s is not checked: whoever is in between can read and write", str(address))
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


@functools.cache  # so: once
def _warn(warning: str, server: str) -> None:
    logger.warning(warning, server)


async def _give_up(stream: Any) -> None:
    """End a stream of aioxmpp's, which has no public way to end without a word, and whatever waits for it."""
    for future in stream._error_futures:  # noqa: SLF001 -- see above
        future.cancel()  # else they would say that nobody has asked them
    if stream.state is protocol.State.READY:
        stream.abort()
    else:
        stream.connection_lost(None)
    await asyncio.wait([stream._closing_future])  # noqa: SLF001 -- see above
