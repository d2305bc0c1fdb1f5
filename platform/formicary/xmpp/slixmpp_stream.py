"""A variant of slixmpp's stream that uses logged-in connections."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from typing import TYPE_CHECKING, Any

from slixmpp import ClientXMPP

if TYPE_CHECKING:
    from formicary.server import AccountAddress


class SlixmppStream(ClientXMPP):  # type: ignore[misc]  # its types may be missing
    """A stream that neither connects by itself nor has a password."""

    def __init__(self, account: AccountAddress) -> None:
        unused = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # otherwise it reads the system's authorities
        super().__init__(account.jid, "", ssl_context=unused)
        self.register_plugin("xep_0198", {"window": 1 << 32})  # we request confirmations ourselves
        self.init_plugins()

    def register_feature(self, name: str, *arguments: Any, **options: Any) -> None:
        """Register a feature with slixmpp, except those that the login has handled."""
        if name not in {"starttls", "mechanisms"}:
            super().register_feature(name, *arguments, **options)

    def exception(self, exception: Exception) -> None:
        """Report a handler's exception as the loop does for callbacks."""
        context = {"message": "a handler of slixmpp's events failed", "exception": exception}
        asyncio.get_running_loop().call_exception_handler(context)

    def connection_made(self, transport: asyncio.BaseTransport, send_event: bool = True) -> None:  # noqa: FBT001, FBT002 -- slixmpp's
        """Begin the stream; for asyncio."""
        if send_event:
            self.event("connected")
        self.transport = transport
        self.init_parser()
        self.send_raw(self.stream_header)

    def connection_lost(self, exception: BaseException | None) -> None:
        """Drop unwritten data, which the session keeps; for asyncio."""
        while not self.waiting_queue.empty():
            self.waiting_queue.get_nowait()
            self.waiting_queue.task_done()
        super().connection_lost(exception)

    def data_received(self, data: bytes) -> None:
        """Parse data, handling each stanza as soon as it is complete; for asyncio.

        Expat (2.6, and older versions with its security fixes) parses a partial tag again only when twice as
        much has arrived, unless told to.
        """
        if self.parser is not None and hasattr(self.parser, "flush"):
            self.parser.feed(data)
            with contextlib.suppress(SyntaxError):  # raised again below
                self.parser.flush()
            data = b""
        super().data_received(data)
