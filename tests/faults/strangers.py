"""Strangers at a container's socket: each connects, sends three bytes of TLS, and reconnects when cut off.

python -m tests.faults.strangers ADDRESS PORT NUMBER
"""

from __future__ import annotations

import asyncio
import contextlib
import sys

_SAID = b"\x16\x03\x01"
_AGAIN = 0.5  # s


async def come(address: str, port: int) -> None:
    """Connect repeatedly."""
    while True:
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection(address, port)
            try:
                writer.write(_SAID)
                await reader.read()
            finally:
                writer.transport.abort()
        await asyncio.sleep(_AGAIN)


async def main(address: str, port: str, number: str) -> None:
    """Start so many strangers."""
    async with asyncio.TaskGroup() as crowd:
        for _ in range(int(number)):
            crowd.create_task(come(address, int(port)))
        print("ready", flush=True)  # noqa: T201 -- for who has started it


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
