"""Who may see the page: only whoever has the token, from this machine, and no other page on their behalf."""

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
_POLICY = (
    "default-src 'none'; script-src 'self' {script}; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self' {sockets}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_LIVES = 12 * 3600  # s that the browser keeps the token


class Guard:
    """The rules of one server.

    Args:
        port: where it listens.
    """

    def __init__(self, port: int) -> None:
        self.token = secrets.token_urlsafe(24)
        self._hosts = {f"{host}:{port}" for host in ("127.0.0.1", "localhost")}
        self._cookie = f"formicary-live-{port}"  # a browser gives cookies to all ports of a host

    def refusal(self, request: web.Request) -> str | None:
        """Tell why a request is refused; None if it is not."""
        host = request.headers.get("Host", "")
        if host not in self._hosts:  # another name that leads here: DNS rebinding
            return "This name is not the live view's: open the address that `formicary watch` has printed."
        origin = request.headers.get("Origin")
        is_socket = request.headers.get("Upgrade", "").lower() == "websocket"
        if (origin is not None or is_socket) and origin != f"http://{host}":
            return "Another page has asked for this; the live view answers only its own."
        if not self._has_token(request):
            return "The token is not the right one: open the address that `formicary watch` has printed."
        return None

    def keep(self, request: web.Request, response: web.StreamResponse) -> None:
        """Have the browser keep the token, so that it need not stay in the address."""
        if self._is_token(request.query.get("token", "")):
            response.set_cookie(
                self._cookie, self.token, max_age=_LIVES, httponly=True, samesite="Strict", path="/"
            )

    def policy(self, page: bytes) -> str:
        """Give what a page may load: its own files, and the one script that it came with."""
        (script,) = re.findall(rb"<script>(.*?)</script>", page, re.DOTALL)
        return _POLICY.format(
            script=f"'sha256-{b64encode(sha256(script).digest()).decode()}'",
            sockets=" ".join(f"ws://{host}" for host in sorted(self._hosts)),
        )

    def _has_token(self, request: web.Request) -> bool:
        given = request.query.get("token"), request.cookies.get(self._cookie)
        return any(self._is_token(one) for one in given if one is not None)

    def _is_token(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(errors="replace"), self.token.encode())
