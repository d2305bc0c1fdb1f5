"""Writes services into a directory's file, and says of each when it has been confirmed.

    python writer.py FILE FIRST

Prints a line with the number of each service that is confirmed; when a write fails, `failed: ` and why, and
waits for a line on its input before it tries that service again. Ends when its input does.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
from pathlib import Path

from formicary.directory.central.store import Journal, Registration, Store
from formicary.directory.model.description import ServiceDescription
from formicary.errors import StoreError

WRITERS = 5


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


async def write(journal: Journal, numbers: itertools.count[int]) -> None:
    for number in numbers:
        service = ServiceDescription(
            "alice@c1.lab.localhost", "printer", str(number), properties={"text": "x" * 500}
        )
        record = Registration(service)
        while True:
            try:
                await journal.write({record.key: record})
            except StoreError as error:
                say(f"failed: {error}")
                if not await asyncio.to_thread(sys.stdin.readline):
                    return
            else:
                say(str(number))
                break


async def main() -> None:
    journal = Journal(Store(Path(sys.argv[1])))
    numbers = itertools.count(int(sys.argv[2]))
    await asyncio.gather(*(write(journal, numbers) for _ in range(WRITERS)))


asyncio.run(main())
