"""Drives mango: agents in one container, or in two that talk by TCP, in two processes.

With the argument `lean`, agents send in tasks of asyncio, bypassing mango's scheduler, and messages between
processes are encoded by the faster of mango's codecs.
"""

from __future__ import annotations

import asyncio
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from lab import Part, Times, serve
from mango import Agent, addr, create_tcp_container, sender_addr
from mango.messages.codecs import JSON
from mango.messages.fast_json import FastJSON

if TYPE_CHECKING:
    from collections.abc import Callable


IS_LEAN = sys.argv[1:] == ["lean"]


class Sender(Agent):  # type: ignore[misc]  # mango is in the driver's environment alone
    """Sends from its message handler, which is not a coroutine."""

    def __init__(self) -> None:
        super().__init__()
        self.sending: set[asyncio.Task[bool]] = set()

    def give(self, content: str, receiver: Any) -> None:
        if not IS_LEAN:
            self.schedule_instant_message(content, receiver)
            return
        task = asyncio.create_task(self.send_message(content, receiver))
        self.sending.add(task)  # a task that nobody has may be collected
        task.add_done_callback(self.sending.discard)


class Echo(Sender):
    """Answers every message with its content."""

    def handle_message(self, content: Any, meta: dict[str, Any]) -> None:
        self.give(content, sender_addr(meta))


class Ask(Sender):
    """Sends a message after each answer.

    Args:
        partner: the address of the agent that answers.
        body: the body of each message.
    """

    def __init__(self, partner: Any, body: str) -> None:
        super().__init__()
        self.partner = partner
        self.body = body
        self.left = 0
        self.times = Times()
        self.finished = asyncio.Event()

    def begin(self, trips: int) -> None:
        """Begin a number of round trips; `finished` is set after the last one."""
        self.left = trips
        self.finished.clear()
        self.ask()

    def ask(self) -> None:
        self.times.begin()
        self.give(self.body, self.partner)

    def handle_message(self, content: Any, meta: dict[str, Any]) -> None:
        """Record the time, and continue."""
        del content, meta
        self.times.end()
        self.left -= 1
        if self.left:
            self.ask()
        else:
            self.finished.set()


async def prepare(job: dict[str, Any], advance: Callable[[], None]) -> Part:
    """Start all agents."""
    del advance  # it takes no time
    container = create_tcp_container(addr=(job["listen"], 0), codec=FastJSON() if IS_LEAN else JSON())
    await container.start()
    if job["role"] != "ask":
        for number in range(job["receivers"]):
            container.register(Echo(), suggested_aid=f"echo-{number}")
    host, port = job["peer"].split() if job["peer"] else container.addr
    echoes = [addr((host, int(port)), f"echo-{number}") for number in range(job["receivers"])]
    askers = []
    for number in range(job["pairs"] if job["role"] != "echo" else 0):
        partner = echoes[number % len(echoes)]
        asker = Ask(partner, "x" * job["payload_bytes"])
        askers.append(container.register(asker, suggested_aid=f"asker-{number}"))
    container.on_ready()

    async def go(trips: int) -> None:
        for asker in askers:
            asker.begin(trips)
        for asker in askers:
            await asker.finished.wait()

    host, port = container.addr
    return Part(go, f"{host} {port}", [asker.times for asker in askers])


if __name__ == "__main__":
    serve(
        {
            "name": "mango-lean" if IS_LEAN else "mango",
            "version": version("mango-agents"),
            "experiments": ["messaging/pairs", "messaging/many-to-one", "messaging/size"],
            "placements": ["same-container", "two-containers"],
        },
        prepare,
    )
