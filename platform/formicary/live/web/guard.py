"""Access control: only holders of the token, from this machine, and no other web page on their behalf."""

from __future__ import annotations

import re
import secrets
from base64 import b64encode
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aiohttp import web

HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
PROTOCOL = "formicary"
"""The WebSocket's subprotocol; the page appends the token, since it can set no other header."""

_POLICY = (
    "default-src 'none'; script-src 'self' {script}; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self' {sockets}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Guard:
    """The rules of one server.

    Anybody on this machine may load the page's files, which are the same for everybody. Only the WebSocket
    shows the platform and accepts actions, so only it requires the token. The token is in the address after a
    `#`, which browsers do not send, and then in the page; a cookie would be sent to every port of a host.

    Args:
        port: the server's port.
    """

    def __init__(self, port: int) -> None:
        self.token = secrets.token_urlsafe(24)
        self._hosts = {f"{host}:{port}" for host in ("127.0.0.1", "localhost")}

    def refusal(self, request: web.BaseRequest) -> str | None:
        """Return why a request is refused; None if it is not."""
        host = request.headers.get("Host", "")
        if host not in self._hosts:  # another name for this address: DNS rebinding
            return "Wrong host name: open the address that `formicary watch` printed."
        origin = request.headers.get("Origin")
        is_socket = request.headers.get("Upgrade", "").lower() == "websocket"
        if (origin is not None or is_socket) and origin != f"http://{host}":
            return "Cross-origin request refused: the live view only answers its own page."
        return None

    def has_token(self, request: web.BaseRequest) -> bool:
        """Return whether a request for a WebSocket has the token."""
        _, _, given = request.headers.get("Sec-WebSocket-Protocol", "").partition(",")
        return secrets.compare_digest(given.strip().encode(errors="replace"), self.token.encode())

    def policy(self, page: bytes) -> str:
        """Return a page's content security policy: its own files and its inline script."""
        (script,) = re.findall(rb"<script>(.*?)</script>", page, re.DOTALL)
        return _POLICY.format(
            script=f"'sha256-{b64encode(sha256(script).digest()).decode()}'",
            sockets=" ".join(f"ws://{host}" for host in sorted(self._hosts)),
        )
