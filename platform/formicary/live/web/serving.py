"""The server of the live view, on this machine only."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from formicary.core.errors import UsageError
from formicary.http.server import HttpServer, listen
from formicary.live.web.application import Application, Guard
from formicary.live.web.hub import Hub

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from formicary.live.feed import Feed

_HOST = "127.0.0.1"
_MOST = 64  # connections: a page has one, and a few more while it loads
_KEPT = 10.0  # s that a connection stays open without a request


async def serve(
    feed: Feed,
    *,
    title: str,
    opened: Callable[[str], None],
    port: int = 0,
    is_kept_open: bool = False,
) -> None:
    """Serve the page of a feed until the feed ends, or this is cancelled.

    Args:
        feed: the feed, open only while a page shows it, unless `is_kept_open`.
        title: the name of the platform, or of the recording's file.
        opened: called with the address, which contains the token.
        port: where to listen on the loopback interface; 0 lets the system choose.
        is_kept_open: whether the feed is open without pages, too, as when it is being recorded.

    Raises:
        UsageError: the port is in use.
        FormicaryError: the feed cannot continue, for example because the platform ended; the pages were told.
    """
    async with serving(feed, title=title, port=port, is_kept_open=is_kept_open) as (address, running):
        opened(address)
        await running


@asynccontextmanager
async def serving(
    feed: Feed, *, title: str, port: int = 0, is_kept_open: bool = False
) -> AsyncIterator[tuple[str, asyncio.Task[None]]]:
    """Open the server as an async context manager; arguments and errors as of `serve`.

    Yields:
        The address with the token, and the task that ends with the feed.
    """
    try:
        listening = listen(_HOST, port)
    except OSError as error:
        raise UsageError(
            f"the live view cannot listen on port {port} ({error.strerror}): choose another one "
            "with --port, or omit it"
        ) from error
    port = listening.getsockname()[1]
    hub, guard = Hub(feed, is_kept_open=is_kept_open), Guard(port)
    application = Application(hub, guard, title)
    server = HttpServer("the live view", application.answer, connections=_MOST, kept=_KEPT)
    server.open(listening)
    running = asyncio.create_task(hub.run())
    try:
        yield f"http://{_HOST}:{port}/#token={guard.token}", running
    finally:
        running.cancel()
        await asyncio.wait([running])
        await server.close()
