"""A container in a process of its own, whose memory and file descriptors are its own: strangers crowd it.

It is started with its options as JSON, prints its join address, and then answers each line of its standard
input with one: `dropped` with what its endpoint has counted, `use 10` after it has opened files until so many
more would be too many, `free` after it has closed them, and `dial` with why it cannot connect to an address.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import psutil
from tests.plugins.paths import ROOT
from tests.unit.core.agents import Echo, start

from formicary import Container, Network
from formicary.errors import FormicaryError
from formicary.transport.addresses import JoinAddress

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = 256  # file descriptors, where there is to be a limit


async def main(options):
    """Answer one line after the other, until there are no more."""
    if options.pop("limit", None):
        psutil.Process().rlimit(psutil.RLIMIT_NOFILE, (LIMIT, LIMIT))
    async with Container("c1", listen="127.0.0.1", network=Network(**options)) as container:
        await start(container, "echo", Echo())
        say(container.join_address)
        direct = container.dispatcher.transport._connections.endpoint
        files = []
        while command := await asyncio.to_thread(sys.stdin.readline):
            match command.split():
                case ["dropped"]:
                    answer = json.dumps(direct.dropped)
                case ["use", left]:
                    files += use_all_but(int(left))
                    answer = str(len(files))
                case ["free"]:
                    for file in files:
                        os.close(file)
                    answer = "freed"
                case ["dial", address]:
                    try:
                        await direct.dial("c9.lab.localhost", JoinAddress.parse(address))
                        answer = "connected"
                    except FormicaryError as error:
                        answer = str(error)
            say(answer)


def say(line):
    """Answer the test."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def use_all_but(left):
    files = []
    try:
        while True:
            files.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        for _ in range(left):
            os.close(files.pop())
    return files


@dataclass
class Victim:
    """Such a process, seen from outside.

    Args:
        process: it.
        address: its join address.
        log: the file that it logs to.
    """

    process: asyncio.subprocess.Process
    address: str
    log: Path

    def only(self, way):
        """Return its join address with one way in it: "tcp" or "unix"."""
        address = JoinAddress.parse(self.address)
        left = {"unix": None} if way == "tcp" else {"tcp": ()}
        return str(msgspec.structs.replace(address, **left))

    def place(self, way):
        """Return where it listens."""
        address = JoinAddress.parse(self.address)
        return address.tcp[0] if way == "tcp" else address.unix

    @property
    def megabytes(self):
        return psutil.Process(self.process.pid).memory_info().rss / 1e6

    @property
    def descriptors(self):
        return psutil.Process(self.process.pid).num_fds()

    async def ask(self, line):
        """Have it do something; return what it says then."""
        self.process.stdin.write(f"{line}\n".encode())
        return (await self.process.stdout.readline()).decode().strip()


async def run(folder, *, loop="uvloop", **options):
    """Start one, and return it when it can be joined."""
    log = folder / "log"
    with log.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", __name__, loop, json.dumps(options)),
            cwd=ROOT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
        )
    address = (await process.stdout.readline()).decode().strip()
    assert address, log.read_text()
    return Victim(process, address, log)


if __name__ == "__main__":
    import uvloop

    logging.basicConfig(format="%(levelname)s %(message)s")
    factory = uvloop.new_event_loop if sys.argv[1] == "uvloop" else asyncio.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(main(json.loads(sys.argv[2])))
