"""slixmpp's stream, as far as it differs from slixmpp's own: it is given connections that have logged in."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from typing import TYPE_CHECKING, Any

from slixmpp import ClientXMPP

if TYPE_CHECKING:
    from formicary.server import AccountAddress


class SlixmppStream(ClientXMPP):  # type: ignore[misc]  # its types may be missing
    """A stream that connects nowhere, and has no password.

    Args:
        account: whose it is.
    """

    def __init__(self, account: AccountAddress) -> None:
        unused = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # else it reads the system's authorities
        super().__init__(account.jid, "", ssl_context=unused)
        self.register_plugin("xep_0198", {"window": 1 << 32})  # we ask for confirmations ourselves
        self.init_plugins()

    def register_feature(self, name: str, *arguments: Any, **options: Any) -> None:
        """Register a feature with slixmpp, except those that the login has handled."""
        if name not in {"starttls", "mechanisms"}:
            super().register_feature(name, *arguments, **options)

    def exception(self, exception: Exception) -> None:
        """Report a handler's exception as the loop does for its callbacks."""
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
        """Forget what is not written, which the session remembers; for asyncio."""
        while not self.waiting_queue.empty():
            self.waiting_queue.get_nowait()
            self.waiting_queue.task_done()
        super().connection_lost(exception)

    def data_received(self, data: bytes) -> None:
        """Parse data, so that each stanza is handled as soon as it is complete; for asyncio.

        Expat (2.6, and older ones with its security fixes) looks again at a tag that it had in part only when
        twice as much has come, unless it is told to.
        """
        if self.parser is not None and hasattr(self.parser, "flush"):
            self.parser.feed(data)
            with contextlib.suppress(SyntaxError):  # it is raised again below
                self.parser.flush()
            data = b""
        super().data_received(data)
