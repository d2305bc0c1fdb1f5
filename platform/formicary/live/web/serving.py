"""The server of the live view: opened on this machine only, and ended in order."""

from __future__ import annotations

import asyncio
import socket
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from aiohttp import web

from formicary.core.errors import UsageError
from formicary.live.web.application import make_application
from formicary.live.web.guard import Guard
from formicary.live.web.hub import Hub

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from formicary.live.feed import Feed

_HOST = "127.0.0.1"
_LEAVING = 1.0  # s that pages get to take what is on its way


async def serve(
    feed: Feed,
    *,
    title: str,
    opened: Callable[[str], None],
    port: int = 0,
    is_kept_open: bool = False,
) -> None:
    """Give the page of a feed until the feed ends, or this is cancelled.

    Args:
        feed: what is watched; it is open only while a page looks, or always, as below.
        title: the name of the platform, or of the recording's file.
        opened: is called with the address, which has the token in it.
        port: where to listen on the loopback interface; 0 lets the system choose.
        is_kept_open: whether the feed is open without pages, too, as where it is recorded.

    Raises:
        UsageError: the port is in use.
        FormicaryError: the feed cannot go on, as where the platform has ended; the pages were told.
    """
    async with serving(feed, title=title, port=port, is_kept_open=is_kept_open) as (address, running):
        opened(address)
        await running


@asynccontextmanager
async def serving(
    feed: Feed, *, title: str, port: int = 0, is_kept_open: bool = False
) -> AsyncIterator[tuple[str, asyncio.Task[None]]]:
    """Open the server for a while: `async with`; arguments and errors as of `serve`.

    Yields:
        The address with the token, and the task that ends with the feed.
    """
    listener = _listen(port)
    port = listener.getsockname()[1]
    hub, guard = Hub(feed, is_kept_open=is_kept_open), Guard(port)
    application = make_application(hub, guard, title)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=_LEAVING)
    await runner.setup()
    running: asyncio.Task[None] | None = None
    try:
        await web.SockSite(runner, listener).start()
        running = asyncio.create_task(hub.run())
        yield f"http://{_HOST}:{port}/?token={guard.token}", running
    finally:
        if running is not None:
            running.cancel()
            await asyncio.wait([running])
        await runner.cleanup()
        listener.close()


def _listen(port: int) -> socket.socket:
    """Return a socket that listens on this machine only."""
    try:
        return socket.create_server((_HOST, port))
    except OSError as error:
        raise UsageError(
            f"the live view cannot listen on port {port} ({error.strerror}): choose another one with --port, "
            "or leave it out"
        ) from error
