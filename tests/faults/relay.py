"""A way of its own from one host to a server on another: passes bytes on between two sockets.

    python -m tests.faults.relay LISTEN CONNECT

Each of the two is a path, of a Unix socket, or a TCP port on loopback. Unix sockets reach from one network
namespace into another, so a pair of these stays where every other way between them is cut.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys

_BLOCK = 1 << 16


async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass bytes on until there are no more."""
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(_BLOCK):
            writer.write(data)
            await writer.drain()
    writer.close()


async def serve(listen: str, connect: str) -> None:
    """Pass on what comes to `listen`, and what comes back, for ever."""

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there = (
                await asyncio.open_connection("127.0.0.1", int(connect))
                if connect.isdecimal()
                else await asyncio.open_unix_connection(connect)
            )
        except OSError:  # the server is not there: nor are we
            writer.transport.abort()
            return
        await asyncio.gather(pass_on(reader, there[1]), pass_on(there[0], writer))

    if listen.isdecimal():
        await asyncio.start_server(accept, "127.0.0.1", int(listen))
    else:
        await asyncio.start_unix_server(accept, listen)
    print("ready", flush=True)  # noqa: T201 -- whoever started it waits for this
    while await asyncio.get_running_loop().run_in_executor(None, sys.stdin.buffer.read, 1):
        pass


if __name__ == "__main__":
    asyncio.run(serve(*sys.argv[1:]))
