"""The server's answers: the page's files, and one WebSocket per page.

They are for holders of the token, on this machine, and for no other web page on their behalf.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from base64 import b64encode
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from aiohttp import WSMsgType, web

from formicary.core.errors import FormicaryError, UsageError
from formicary.live.web import wire
from formicary.observe.exporting import export

if TYPE_CHECKING:
    from formicary.http.connections import Connection
    from formicary.live.web.hub import Hub, Seat

_STATIC = Path(__file__).parent / "static"
_KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_SILENCE = 20.0  # s of silence until a page is pinged
_ALIVE = 5.0  # s until a page is sent something; it waits three times as long (connection.js)
_STRANGE = "Invalid token: open the address that `formicary watch` printed."
_ACTS = 8  # concurrent actions of one page
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


class Application:
    """Answers the requests of one server."""

    def __init__(self, hub: Hub, guard: Guard, title: str) -> None:
        self._hub = hub
        self._guard = guard
        self._title = title
        self._files = {
            path.name: (path.read_bytes(), _KINDS[path.suffix])
            for path in _STATIC.iterdir()
            if path.suffix in _KINDS
        }
        policy = guard.policy(self._files["index.html"][0])
        self._headers = {**HEADERS, "Content-Security-Policy": policy}

    async def answer(self, request: web.BaseRequest, connection: Connection) -> web.StreamResponse:
        """Answer with a file of the page, or serve the page's WebSocket."""
        if (reason := self._guard.refusal(request)) is not None:
            return self._say(403, reason)
        if request.path == "/live":
            return await self._give_socket(request, connection)
        if request.method not in {"GET", "HEAD"}:
            return self._say(405, "Only GET is supported.")
        name = request.path.removeprefix("/") or "index.html"
        if name not in self._files:
            return self._say(404, "Not found.")
        body, kind = self._files[name]
        response = web.Response(body=body, content_type=kind, charset="utf-8", headers=self._headers)
        response.force_close()  # each file is requested once: close the connection
        return response

    def _say(self, status: int, sentence: str) -> web.Response:
        return web.Response(status=status, text=f"{sentence}\n", headers=self._headers)

    async def _give_socket(self, request: web.BaseRequest, connection: Connection) -> web.StreamResponse:
        """Serve a page's WebSocket until either end leaves."""
        socket = web.WebSocketResponse(
            heartbeat=_SILENCE, max_msg_size=wire.LONGEST, compress=False, protocols=[PROTOCOL]
        )
        if not socket.can_prepare(request):
            return self._say(400, "Only WebSocket connections are accepted here.")
        socket.headers.update(self._headers)
        try:
            await socket.prepare(request)
        except ConnectionError:
            return web.Response()  # discarded: the page left before the answer
        try:
            if not self._guard.has_token(request):
                raise UsageError(_STRANGE)
            connection.answer()  # the connection may stay open
            with self._hub.seat() as seat:
                await _Conversation(self._hub, socket, seat).hold(self._title)
        except FormicaryError as error:
            await socket.send_str(wire.encode(wire.Ended(str(error))).decode())
        await socket.close()
        return socket


class _Conversation:
    """The exchange with one page."""

    def __init__(self, hub: Hub, socket: web.WebSocketResponse, seat: Seat) -> None:
        self._hub = hub
        self._socket = socket
        self._seat = seat
        self._acts: set[asyncio.Task[None]] = set()

    async def hold(self, title: str) -> None:
        feed = self._hub.feed
        hello = wire.Hello(title, feed.may_act, self._hub.playing(), wire.FIELDS)
        telling = asyncio.create_task(self._tell_all(hello))
        try:
            async for message in self._socket:
                if message.type not in {WSMsgType.TEXT, WSMsgType.BINARY} or not self._hear(message.data):
                    break
        finally:
            tasks = [telling, *self._acts]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _tell_all(self, hello: wire.Hello) -> None:
        with suppress(ConnectionError):  # the page is gone, which the receiving task notices
            await self._tell(hello)
            while (parcel := await self._next()) is not None:
                await self._tell(parcel)
            await self._tell(wire.Ended(self._seat.ended or ""))
            await self._socket.close()

    async def _next(self) -> wire.ToPage | None:
        try:
            async with asyncio.timeout(_ALIVE):
                return await self._seat.next()
        except TimeoutError:
            return wire.Alive()

    async def _tell(self, what: wire.ToPage) -> None:
        await self._socket.send_str(wire.encode(what).decode())

    def _hear(self, data: str | bytes) -> bool:
        """Carry out a page's request; return False if it is malformed, so not from our page."""
        try:
            said = wire.decode(data)
        except (msgspec.DecodeError, ValueError):
            return False
        match said:
            case wire.Taken():
                self._seat.outbox.taken(said.number)
                self._seat.wake()
            case wire.Narrow():
                self._hub.narrow(self._seat, said.filters)
            case wire.Play():
                with suppress(FormicaryError):  # the page has no such buttons without a recording
                    self._hub.play(said)
                self._seat.wake()
            case wire.Do() | wire.Export():
                if len(self._acts) >= _ACTS:
                    return False
                task = asyncio.create_task(self._do(said))
                self._acts.add(task)
                task.add_done_callback(self._acts.discard)
        return True

    async def _do(self, said: wire.Do | wire.Export) -> None:
        try:
            if isinstance(said, wire.Export):
                result: str | None = export(said.messages, said.name)
            else:
                result = await self._hub.feed.act(said.act, **said.arguments)
            done = wire.Done(said.id, result)
        except (FormicaryError, TypeError, ValueError) as error:
            done = wire.Done(said.id, error=str(error))
        with suppress(ConnectionError):
            await self._tell(done)
