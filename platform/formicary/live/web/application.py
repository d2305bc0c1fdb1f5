"""What the server answers: the page's files, and one web socket for each page."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from aiohttp import WSMsgType, web

from formicary.core.errors import FormicaryError
from formicary.live.web import wire
from formicary.live.web.guard import HEADERS, Guard
from formicary.observe.exporting import export

if TYPE_CHECKING:
    from formicary.live.web.hub import Hub, Seat

_STATIC = Path(__file__).parent / "static"
_KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_SILENCE = 20.0  # s after which a page is asked whether it is there
_ALIVE = 5.0  # s after which a page is told something; it waits for three times as long (connection.js)
_ACTS = 8  # that one page may have under way


def make_application(hub: Hub, guard: Guard, title: str) -> web.Application:
    """Return the application of a server.

    Args:
        hub: the feed and its pages.
        guard: who may ask.
        title: the name of what is watched.
    """
    live = _Live(hub, guard, title)
    application = web.Application(middlewares=[live.admit])
    application.on_response_prepare.append(live.sign)
    application.add_routes(
        [
            web.get("/", live.give_file),
            web.get("/live", live.give_socket),
            web.get("/favicon.ico", live.give_nothing),
            web.get("/{name}", live.give_file),
        ]
    )
    return application


class _Live:
    def __init__(self, hub: Hub, guard: Guard, title: str) -> None:
        self._hub = hub
        self._guard = guard
        self._title = title
        self._files = {
            path.name: (path.read_bytes(), _KINDS[path.suffix])
            for path in _STATIC.iterdir()
            if path.suffix in _KINDS
        }
        self._policy = guard.policy(self._files["index.html"][0])

    @web.middleware
    async def admit(self, request: web.Request, handler: Any) -> web.StreamResponse:
        """Refuse who may not ask."""
        if (reason := self._guard.refusal(request)) is not None:
            return web.Response(status=403, text=reason + "\n")
        response: web.StreamResponse = await handler(request)
        if not response.prepared:
            self._guard.keep(request, response)
        return response

    async def sign(self, request: web.Request, response: web.StreamResponse) -> None:
        """Say to the browser what it may do with an answer."""
        del request
        response.headers.update(HEADERS)
        response.headers["Content-Security-Policy"] = self._policy

    async def give_file(self, request: web.Request) -> web.Response:
        """Answer with a file of the page."""
        name = request.match_info.get("name", "index.html")
        if name not in self._files:
            return web.Response(status=404, text="There is no such file.\n")
        body, kind = self._files[name]
        response = web.Response(body=body, content_type=kind, charset="utf-8")
        response.force_close()  # each is asked for once: no connection waits for more
        return response

    async def give_nothing(self, request: web.Request) -> web.Response:
        """Answer where browsers ask by themselves."""
        del request
        return web.Response(status=204)

    async def give_socket(self, request: web.Request) -> web.StreamResponse:
        """Talk with a page until either end leaves."""
        socket = web.WebSocketResponse(heartbeat=_SILENCE, max_msg_size=wire.LONGEST, compress=False)
        if not socket.can_prepare(request):
            raise web.HTTPBadRequest(text="This is for the page's web socket.\n")
        try:
            await socket.prepare(request)
        except ConnectionError:
            return web.Response()  # nobody takes it: the page has left before it was answered
        try:
            with self._hub.seat() as seat:
                await _Conversation(self._hub, socket, seat).hold(self._title)
        except FormicaryError as error:
            await socket.send_str(wire.encode(wire.Ended(str(error))).decode())
        await socket.close()
        return socket


class _Conversation:
    """What is said with one page."""

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
        with suppress(ConnectionError):  # the page is gone, which the other side of this sees
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
        """Do what a page says; tell whether it can be understood: if not, it is no page of ours."""
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
                with suppress(FormicaryError):  # the page has no such buttons where it is no recording
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
