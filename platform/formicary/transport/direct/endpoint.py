"""A container's listener and dialler of direct connections."""

from __future__ import annotations

import asyncio
import secrets
import ssl
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from formicary.core.errors import AuthenticationError, LinkError
from formicary.core.logs import get_logger
from formicary.transport.addresses import NO_FINGERPRINT, JoinAddress, Offer, this_host
from formicary.transport.direct.half_open import cut, first_message
from formicary.transport.direct.identity import Identity, anonymous
from formicary.transport.direct.listener import Listener
from formicary.transport.direct.opening import AcceptorOpening, DiallerOpening, OpeningError
from formicary.transport.direct.opening_protocol import OpeningProtocol
from formicary.transport.direct.peer_keys import PeerKeys
from formicary.transport.os_errors import reason_and

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from formicary.transport.addresses import SocketAddress, Tls
    from formicary.transport.direct.connection import DirectConnection
    from formicary.transport.direct.identity import IdentityFile, Record

logger = get_logger("formicary.transport")

_OPENING_TIMEOUT = 5.0  # seconds until both sides have proven who they are


class DirectEndpoint:
    """Listens for direct connections from other containers, and dials others.

    Args:
        domain: the container's domain.
        tls: on which connections TLS is used: True: TCP; "always": also Unix sockets; False: none.
        listen: the IP address or host name, with or without `:port`, at which others reach this host and may
            join; None: listen on loopback only, and let nobody join.
        on_connection: called with each accepted connection, when both sides have proven who they are.
        admit: called with the domain of a container that wants to join and has the token; returns why it
            must not, or None.
        file: the file with this container's identity; None for a new one.

    Attributes:
        dropped: how many connections were refused, by reason.
        peers: the keys and certificates of other containers.
    """

    def __init__(
        self,
        domain: str,
        *,
        tls: Tls,
        listen: str | None,
        on_connection: Callable[[DirectConnection], None],
        admit: Callable[[str], str | None],
        file: IdentityFile | None = None,
    ) -> None:
        self.dropped: Counter[str] = Counter()
        self._domain = domain
        self._tls: Tls = tls
        self._listen = listen
        self._on_connection = on_connection
        self._admit = admit
        self._file = file
        self._record = file.record if file else None
        self._identity = ((file and file.identity) or Identity.make()) if tls else None
        self._token = (self._record.token if self._record else secrets.token_bytes(32)) if listen else None
        self.peers = PeerKeys(self._identity, self._token)
        self._listener = Listener(domain, self._welcome, self.dropped)
        self._showing: ssl.SSLContext | None = self._identity.dialling() if self._identity else None
        self._anonymous = anonymous() if tls else None

    async def open(self) -> None:
        """Start to listen; UsageError if `listen` is no address, LinkError if the system refuses."""
        record = self._record
        if record is None:
            await self._listener.open(self._listen)
        else:
            await self._listener.open(self._listen, unix=record.unix, tcp=record.tcp)
            if (change := self._change(record)) is not None:
                logger.warning("%s cannot find it again and need its new join address", change)

    def keep(self) -> None:
        """Write the identity file, if any; UsageError if that fails."""
        if self._file is not None and self._token is not None:
            self._file.keep(
                self._token, self._identity, tls=self._tls, unix=self._listener.unix, tcp=self._listener.tcp
            )

    def _change(self, record: Record) -> str | None:
        """Return what has changed so that others cannot find this container by its record, if anything."""
        if record.tls != self._tls:
            return f"{self._domain} changed its TLS setting: containers that had joined it"
        lost = [f"{ip}, port {port}" for ip, port in record.tcp if (ip, port) not in self._listener.tcp]
        if lost:
            return (
                f"{self._domain} no longer listens at {' and '.join(lost)}, perhaps because another "
                "program does: containers that had joined it there"
            )
        return None

    async def close(self) -> None:
        """Stop listening, and end half-open connections; established ones stay."""
        await self._listener.close()
        if self._file is not None:
            self._file.close()

    @property
    def join_address(self) -> JoinAddress | None:
        """What others need to join; None if they must not."""
        if self._token is None:
            return None
        return JoinAddress(
            **self._addresses(),
            domain=self._domain,
            fingerprint=self._identity.fingerprint if self._identity else NO_FINGERPRINT,
            key=self._token,
        )

    def offer(self, peer: str) -> Offer:
        """Return the offer to send to `peer`, and nobody else, over a trusted path."""
        certificate = self._identity.certificate if self._identity else b""
        return Offer(**self._addresses(), certificate=certificate, key=self.peers.key_for(peer))

    def _addresses(self) -> dict[str, Any]:
        return {
            "host": this_host(),
            "unix": self._listener.unix,
            "tcp": self._listener.tcp,
            "tls": self._tls,
        }

    # -- accepting ------------------------------------------------------------------------------------------

    async def _welcome(
        self,
        connected: socket.socket,
        is_tcp: bool,  # noqa: FBT001 -- a callback
        begun: Callable[[], None],
    ) -> None:
        with_tls = bool(self._tls) if is_tcp else self._tls == "always"
        try:
            async with asyncio.timeout(_OPENING_TIMEOUT):
                try:
                    await first_message(connected, with_tls=with_tls)
                except BaseException:
                    connected.close()
                    raise
                begun()
                connection = await self._open_accepted(connected, with_tls=with_tls)
        except TimeoutError:
            self.dropped["too slow"] += 1
        except OpeningError as error:
            self.dropped[error.reason] += 1
        except ssl.SSLCertVerificationError:
            self.dropped["unknown certificate"] += 1
        except OSError:  # ssl.SSLError is one
            self.dropped["no TLS" if with_tls else "closed early"] += 1
        else:
            self._on_connection(connection)

    async def _open_accepted(self, connected: socket.socket, *, with_tls: bool) -> DirectConnection:
        """Return the connection when both sides have proven who they are; if that fails, close it."""
        opening = OpeningProtocol(partial(self._acceptor, with_tls=with_tls), self.dropped)
        context = self.peers.context() if with_tls else None
        loop = asyncio.get_running_loop()
        is_open = False
        try:
            await loop.connect_accepted_socket(lambda: opening, connected, ssl=context)
            connection = await opening.connection()
            is_open = True
            return connection
        finally:
            if not is_open:
                await cut(connected)

    def _acceptor(self, seen: bytes, *, with_tls: bool) -> AcceptorOpening:
        key_of = partial(self.peers.key_of, seen=seen if with_tls else None)
        own = self._identity.fingerprint if self._identity and with_tls else NO_FINGERPRINT
        return AcceptorOpening(self._domain, key_of=key_of, admit=self._admit, certificate=own)

    # -- dialling -------------------------------------------------------------------------------------------

    async def dial(self, peer: str, offer: Offer | JoinAddress) -> DirectConnection:
        """Connect to `peer`, at the first address in its offer that works.

        Raises:
            AuthenticationError: what answers is not `peer`.
            LinkError: it cannot be reached, with the cause.
        """
        errors: list[LinkError] = []
        for address in offer.reachable_from(this_host()):
            try:
                return await self._dial(peer, offer, address)
            except LinkError as error:
                errors.append(error)
        if not errors:
            raise LinkError(
                f"{peer} does not listen anywhere that this host can reach; set an address that "
                "others can reach, with listen="
            )
        try:
            # A wrong answer says more than none.
            raise next((error for error in errors if isinstance(error, AuthenticationError)), errors[-1])
        finally:
            errors.clear()  # they refer to this frame, so only the garbage collector would free them

    async def _dial(self, peer: str, offer: Offer | JoinAddress, address: SocketAddress) -> DirectConnection:
        context = self._dialling_context(peer, offer, address)
        where = (
            f"{peer} at its Unix socket"
            if isinstance(address, str)
            else f"{peer} at {address[0]}, port {address[1]}"
        )
        opening = OpeningProtocol(partial(self._dialler, peer, offer, context), self.dropped)
        try:
            async with asyncio.timeout(_OPENING_TIMEOUT):
                await self._connect(opening, address, context)
                return await opening.connection()
        except TimeoutError:
            raise LinkError(
                f"cannot connect to {where}: no answer within {_OPENING_TIMEOUT:g} s; is the "
                "network path open?"
            ) from None
        except OpeningError:
            raise LinkError(
                f"{where} closed the connection before accepting this container; does it expect "
                "this one, and is its address up to date?"
            ) from None
        except (OSError, UnicodeError) as error:
            raise LinkError(f"cannot connect to {where}: {reason_and('is it running?', error)}") from None

    @staticmethod
    async def _connect(
        opening: OpeningProtocol, address: SocketAddress, context: ssl.SSLContext | None
    ) -> None:
        loop = asyncio.get_running_loop()
        name = None if context is None else ""  # no name is sent or compared
        if isinstance(address, str):
            await loop.create_unix_connection(lambda: opening, address, ssl=context, server_hostname=name)
        else:
            await loop.create_connection(lambda: opening, *address, ssl=context, server_hostname=name)

    def _dialling_context(
        self, peer: str, offer: Offer | JoinAddress, address: SocketAddress
    ) -> ssl.SSLContext | None:
        theirs, ours = (
            tls == "always" if isinstance(address, str) else bool(tls) for tls in (offer.tls, self._tls)
        )
        if theirs != ours:
            kind = "Unix sockets" if isinstance(address, str) else "TCP"
            raise LinkError(
                f"{peer} uses {'TLS' if theirs else 'no TLS'} on {kind} and this container "
                f"{'does' if ours else 'does not'}; use the same tls= for both"
            )
        if not ours:
            return None
        return self._anonymous if isinstance(offer, JoinAddress) else self._showing

    def _dialler(
        self, peer: str, offer: Offer | JoinAddress, context: ssl.SSLContext | None, seen: bytes
    ) -> DiallerOpening:
        if context is not None and seen != offer.fingerprint:
            raise AuthenticationError(
                f"a different certificate than that of {peer} was presented; get its address again"
            )
        joins = isinstance(offer, JoinAddress)
        return DiallerOpening(self._domain, peer, offer.key, by_token=joins, certificate=seen)
