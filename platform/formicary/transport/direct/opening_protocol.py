"""Runs the opening on a connection; reads nothing else until both sides have proven who they are."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from formicary.core.errors import LinkError
from formicary.transport.addresses import fingerprint
from formicary.transport.direct.connection import DirectConnection
from formicary.transport.direct.opening import AcceptorOpening, DiallerOpening, OpeningError

if TYPE_CHECKING:
    import ssl
    from collections import Counter
    from collections.abc import Callable


_LAST_WORD = 0.5  # seconds that the other side gets to read why it is refused


class OpeningProtocol(asyncio.Protocol):
    """One connection during the opening.

    `opening` creates the state machine from the fingerprint of the other side's certificate, or raises
    LinkError.
    """

    def __init__(
        self,
        opening: Callable[[bytes], AcceptorOpening | DiallerOpening],
        dropped: Counter[str],
    ) -> None:
        self._make = opening
        self._dropped = dropped
        self._opening: AcceptorOpening | DiallerOpening
        self._transport: asyncio.Transport | None = None
        self.opened: asyncio.Future[DirectConnection | None] = asyncio.get_running_loop().create_future()
        """Gets the connection when the opening is done, or None if it has failed."""
        self._error: Exception | None = None  # why, until `connection` raises it
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the connection has ended."""

    async def connection(self) -> DirectConnection:
        """Return the connection when both sides have proven who they are; if cancelled, close it.

        Raises:
            LinkError: the other side is not the one that was dialled.
            OpeningError: the other side is refused, or has ended the connection.
        """
        try:
            connection = await asyncio.shield(self.opened)
        except asyncio.CancelledError:
            if (handed_over := self._handed_over) is not None:
                handed_over.abort()
            elif self._transport is not None:
                self._transport.abort()
            self.opened.cancel()
            self._error = None
            raise
        if connection is not None:
            return connection
        # The error refers to the frames that it has passed, and so to this object. If this referred to the
        # error, all memory of the connection (270 kB with TLS) would wait for the garbage collector.
        error, self._error = self._error, None
        try:
            await self._end()
            assert error is not None
            raise error
        finally:
            del error

    async def _end(self) -> None:
        """Wait a moment for the other side to read our last message."""
        if self._transport is None:
            return
        try:
            await asyncio.wait([self.ended], timeout=_LAST_WORD)
        finally:
            self._transport.abort()

    @property
    def _handed_over(self) -> DirectConnection | None:
        return self.opened.result() if self.opened.done() and not self.opened.cancelled() else None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the opening; for asyncio."""
        self._transport = cast("asyncio.Transport", transport)
        tls: ssl.SSLObject | None = transport.get_extra_info("ssl_object")
        certificate = tls.getpeercert(binary_form=True) if tls else None
        try:
            self._opening = self._make(fingerprint(certificate))
        except LinkError as error:
            self._fail(error)
            return
        if isinstance(self._opening, DiallerOpening):
            self._transport.write(self._opening.first())

    def data_received(self, data: bytes) -> None:
        """Continue the opening; for asyncio."""
        assert self._transport is not None
        if self.opened.done():
            return
        try:
            answer = self._opening.received(data)
        except OpeningError as error:
            self._transport.write(error.answer)
            self._fail(error)
            return
        except LinkError as error:
            self._fail(error)
            return
        if self._opening.is_done:
            self._hand_over(self._transport)
        if answer:
            self._transport.write(answer)

    def _hand_over(self, transport: asyncio.Transport) -> None:
        transport.pause_reading()  # until `DirectConnection.start`
        connection = DirectConnection(
            transport,
            self._opening.peer,
            is_dialler=isinstance(self._opening, DiallerOpening),
            description=self._describe(transport),
            rest=self._opening.rest,
            dropped=self._dropped,
        )
        transport.set_protocol(connection)
        self.opened.set_result(connection)

    @staticmethod
    def _describe(transport: asyncio.Transport) -> str:
        address = transport.get_extra_info("peername")
        place = "Unix socket"
        if isinstance(address, tuple):
            ip, port = address[:2]
            place = f"TCP [{ip}]:{port}" if ":" in ip else f"TCP {ip}:{port}"
        tls: ssl.SSLObject | None = transport.get_extra_info("ssl_object")
        return place if tls is None else f"{place} with {(tls.version() or '').replace('TLSv', 'TLS ')}"

    def _fail(self, error: Exception) -> None:
        assert self._transport is not None
        self._give_up(error)
        self._transport.close()

    def _give_up(self, error: Exception) -> None:
        if not self.opened.done():
            self._error = error
            self.opened.set_result(None)

    def connection_lost(self, _exc: Exception | None) -> None:
        """Fail the opening, which ended too early; for asyncio."""
        self.ended.set_result(None)
        self._give_up(OpeningError("closed early"))
