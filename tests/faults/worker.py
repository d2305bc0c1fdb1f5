"""A container with agents that send numbers; a worker with orders in lines of JSON on stdin.

    python -m tests.faults.worker

Each agent `a0`, `a1`, ... exchanges numbers with the agent of the same name in the other container. The fate
of every number is recorded in the worker's ledger. Orders and answers are lines of JSON; the first order is
the `Setting`. The worker ends in order on `close`, and at once when its stdin ends.
"""

from __future__ import annotations

import asyncio
import ctypes
import datetime as dt
import os
import socket
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from tests.faults.ledger import FAILED, RAISED, SENT, Ledger

from formicary import Agent, Container, CyclicBehaviour, Message, Template
from formicary.container.options import of_plain
from formicary.errors import FormicaryError
from formicary.server import ServerAddress

_TASKS_OF_AGENTS = 0.05  # s between two looks at whether all have ended their last send


@dataclass(frozen=True)
class Setting:
    """A worker's task.

    Attributes:
        name: its container's.
        peer: the other container's.
        ledger: the file of its ledger.
        options: further arguments of `Container`; `server` as a dictionary.
        agents: their number on either side.
        limit: the most messages of each.
        pause: seconds between two messages of an agent; 0: as fast as it can.
        size: characters of a message.
        early: seconds by which the time of day is wrong from the start.
    """

    name: str
    peer: str
    ledger: str
    options: dict[str, Any]
    agents: int
    limit: int
    pause: float
    size: int
    early: float = 0.0


class Sending(CyclicBehaviour):
    """Sends numbers until told to stop."""

    def __init__(self, work: Work, index: int) -> None:
        super().__init__()
        self._work = work
        self._index = index
        self._to = f"a{index}@{work.setting.peer}"

    async def run(self) -> None:
        work, index = self._work, self._index
        ledger, setting = work.ledger, work.setting
        number = ledger.next[index]
        if not work.is_sending or number == ledger.limit:
            self.kill()
            return
        ledger.next[index] = number + 1
        text = str(number)
        body = text.ljust(setting.size)
        try:
            await self.send(Message(to=self._to, body=body, performative="inform", reply_with=text))
        except FormicaryError as error:
            ledger.note_outgoing(index, number, RAISED)
            work.raised[type(error).__name__] = str(error)
        else:
            ledger.note_outgoing(index, number, SENT)
        if setting.pause:
            await asyncio.sleep(setting.pause)


class Receiving(CyclicBehaviour):
    """Receives the other side's numbers, and failures of its own."""

    def __init__(self, work: Work, index: int) -> None:
        super().__init__()
        self._work = work
        self._index = index

    async def run(self) -> None:
        message = await self.receive()
        work = self._work
        if message.performative == "inform":
            work.ledger.note_incoming(self._index, int(message.body))
            if work.pace:
                await work.wait_a_while()
        elif message.sender.startswith("ams@") and message.ontology == "fipa-agent-management":
            work.failures[str(message.body)] = None
            work.ledger.note_outgoing(self._index, int(message.in_reply_to), FAILED)


class Work:
    """The agents' shared state.

    Args:
        setting: their task.
    """

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.ledger = Ledger(Path(setting.ledger), setting.agents, setting.limit)
        self.is_sending = False
        self.pace = 0.0  # seconds that each receiver takes for a message
        self._hurry = asyncio.Event()
        self.raised: dict[str, str] = {}  # what send() has raised, by class
        self.failures: dict[str, None] = {}  # the reasons that came
        self._sending: list[Sending] = []

    async def populate(self, container: Container) -> None:
        """Start the agents."""
        for index in range(self.setting.agents):
            agent = Agent(f"a{index}")
            agent.add_behaviour(Receiving(self, index))
            await container.start(agent)

    def start(self, container: Container) -> None:
        """Let all agents send."""
        self.is_sending = True
        self._sending = [Sending(self, index) for index in range(self.setting.agents)]
        for agent, sending in zip(container.agents, self._sending, strict=True):
            agent.add_behaviour(sending, Template(performative="never"))

    async def stop(self) -> None:
        """Stop all agents from sending; return when each knows the fate of its last message."""
        self.is_sending = False
        while not all(sending.is_done() for sending in self._sending):  # noqa: ASYNC110 -- of thousands
            await asyncio.sleep(_TASKS_OF_AGENTS)

    async def wait_a_while(self) -> None:
        """Take the ordered time for a message, unless in a hurry."""
        try:
            async with asyncio.timeout(self.pace):
                await self._hurry.wait()
        except TimeoutError:
            pass

    def hurry(self) -> None:
        """Take no time for messages any more."""
        self.pace = 0.0
        self._hurry.set()


def shift_clock(seconds: float) -> None:
    """Shift the time of day by some seconds, as seen by Python code."""
    true_time, true_time_ns = _TRUE
    offset = dt.timedelta(seconds=seconds)

    class Shifted(dt.datetime):
        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> Any:
            return _DATETIME.now(tz) + offset

        @classmethod
        def utcnow(cls) -> Any:
            return _DATETIME.now(dt.UTC).replace(tzinfo=None) + offset

    time.time = lambda: true_time() + seconds
    time.time_ns = lambda: true_time_ns() + int(seconds * 1e9)
    dt.datetime = Shifted
    for module in tuple(sys.modules.values()):  # who has imported the class by name keeps the true one
        name = getattr(module, "__name__", "")
        if name.startswith("formicary") and isinstance(getattr(module, "datetime", None), type):
            module.datetime = Shifted


_TRUE = (time.time, time.time_ns)
_DATETIME = dt.datetime


def container_of(setting: Setting) -> Container:
    """Return the worker's container."""
    options = of_plain(setting.options)
    if options.get("server"):
        server = dict(options["server"])
        server["folder"] = server["folder"] and Path(server["folder"])
        options["server"] = ServerAddress(**server)
    return Container(setting.name, **options)


def links(container: Container) -> list[dict[str, Any]]:
    """Return the container's report on its links."""
    return [link._asdict() for link in container.links]


def break_connections(container: Container) -> int:
    """Break all direct connections, as the network might; return their number."""
    connections = [
        link.direct for link in container.dispatcher.transport.links.values() if link.direct is not None
    ]
    for connection in connections:
        connected = connection._transport.get_extra_info("socket")
        if connected is None:  # it has just ended by itself
            continue
        with socket.socket(fileno=os.dup(connected.fileno())) as broken, suppress(OSError):
            broken.shutdown(socket.SHUT_RDWR)
    return len(connections)


def trim() -> None:
    """Release memory that malloc keeps for later, if possible (glibc).

    Each TLS connection has a buffer of 256 kB. Where one was freed, smaller things are put, so the next one
    does not fit in any more: after hundreds of faults, some megabytes are free between what is used.
    """
    give_back = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if give_back is not None:
        give_back(0)


def tell(event: str, **what: Any) -> None:
    """Answer with a line."""
    sys.stdout.buffer.write(msgspec.json.encode({"event": event, **what}) + b"\n")
    sys.stdout.flush()


async def obey(container: Container, work: Work, order: dict[str, Any]) -> None:
    """Carry out an order, and answer."""
    match order:
        case {"do": "start"}:
            work.start(container)
            tell("started")
        case {"do": "stop"}:
            await work.stop()
            tell("stopped", raised=work.raised, failures=list(work.failures)[:20])
        case {"do": "links"}:
            tell("links", links=links(container))
        case {"do": "break"}:
            tell("broken", count=break_connections(container))
        case {"do": "trim"}:
            trim()
            tell("trimmed")
        case {"do": "places"}:
            tell("places", tcp=container.dispatcher.transport._connections.endpoint._listener.tcp)
        case {"do": "clock", "seconds": seconds}:
            shift_clock(seconds)
            tell("shifted", now=time.time())
        case {"do": "pace", "seconds": seconds}:
            work.pace = seconds
            tell("paced")
        case {"do": "hurry"}:
            work.hurry()
            tell("hurried")
        case _:
            raise ValueError(f"an order that nobody knows: {order}")


async def main() -> None:
    """Run the worker until it is ordered to close."""
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(orders), sys.stdin.buffer
    )
    setting = msgspec.json.decode(await orders.readline(), type=Setting)
    if setting.early:
        shift_clock(setting.early)
    work = Work(setting)
    async with container_of(setting) as container:
        await work.populate(container)
        tell("ready", pid=os.getpid(), join=None if setting.options.get("server") else container.join_address)
        while (order := msgspec.json.decode(await orders.readline() or b"null")) != {"do": "close"}:
            if order is None:
                os._exit(1)  # the parent process is gone
            await obey(container, work, order)
    dead = [letter.reason for letter in container.dead_letters][:20]
    tell("closed", dead_letters=dead, raised=work.raised, failures=list(work.failures)[:20])
    work.ledger.close()


if __name__ == "__main__":
    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main())
