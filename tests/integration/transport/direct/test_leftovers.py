"""What a container leaves in the temporary folder when it is killed: the next one that starts removes it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.integration.transport.direct.test_direct_joining import asked

from formicary import Container, Network
from formicary.core import scratch
from formicary.transport.addresses import JoinAddress

PROGRAM = """
import asyncio, sys
from formicary import Container, MicroAgent
class Echo(MicroAgent):
    async def handle(self, message):
        await self.send(message.make_reply(body=message.body))
async def main():
    async with Container(sys.argv[1], listen="127.0.0.1") as container:
        await container.start(Echo("echo"))
        print(container.join_address, flush=True)
        await asyncio.to_thread(sys.stdin.read)
asyncio.run(main())
"""


@pytest.fixture
def temporary(monkeypatch):
    """Give the system's temporary folder, which nobody else uses."""
    # Not in tmp_path: sockets are below it, whose paths are short.
    with tempfile.TemporaryDirectory(prefix="t-") as folder:
        monkeypatch.setenv("TMPDIR", folder)
        monkeypatch.setattr(tempfile, "tempdir", None)
        scratch._sweep_once.cache_clear()  # as in a process that has just started
        yield Path(folder)


def start(stack, name):
    """Start a container in a process of its own; return the process and where it can be joined."""
    process = stack.enter_context(
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
    )
    stack.callback(process.kill)
    return process, process.stdout.readline().strip()


def folder_of(address):
    return Path(JoinAddress.parse(address).unix).parent


async def test_the_next_container_removes_what_a_killed_one_has_left(temporary):
    with ExitStack() as stack:
        killed, gone = start(stack, "killed")
        _, there = start(stack, "c1")
        killed.kill()
        killed.wait()
        assert {path.name for path in folder_of(gone).iterdir()} == {"direct", scratch.MARK}
        async with Container("c2", join=there, listen="127.0.0.1") as c2:
            own = folder_of(c2.join_address)
            assert set(temporary.iterdir()) == {folder_of(there), own}
            assert (await asked(c2, "echo@c1")).body == "x"
        assert list(temporary.iterdir()) == [folder_of(there)]


async def test_a_key_is_in_no_file(temporary):
    async with Container("c1", listen="127.0.0.1", network=Network(tls="always")) as c1:
        assert [path.name for path in temporary.rglob("*") if path.is_file()] == [scratch.MARK]
        assert folder_of(c1.join_address).parent == temporary
