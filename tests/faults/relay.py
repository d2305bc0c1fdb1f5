"""A separate path from one host to a server on another: relays bytes between two sockets.

    python -m tests.faults.relay LISTEN CONNECT

Each of the two is the path of a Unix socket, or a TCP port on loopback. Unix sockets connect network
namespaces, so a pair of relays still works when every other path between them is cut.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys

_BLOCK = 1 << 16


async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Relay bytes to the end."""
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(_BLOCK):
            writer.write(data)
            await writer.drain()
    writer.close()


async def serve(listen: str, connect: str) -> None:
    """Relay connections to `listen`, both ways, for ever."""

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
